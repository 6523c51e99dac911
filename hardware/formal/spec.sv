// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_spec with the model. holds_o is an invariant; sums.svh explains its bits.
`define AT(v, r) v[W*(K-1-(r)) +: W]
module bench #(
  parameter N = 8, K = 1, L = 3, C = 0, W = $clog2(N),
  ROWB = 3 * W / 8, COLB = W - ROWB, LOWB = COLB / 2, H = 2**LOWB + 2**(COLB - LOWB), ROWS = 2**ROWB, AHEAD = 3
) (
  input clk_i, rst_i, ce_i, clear_i, key_valid_i, z_ready_i,
  input [W-1:0] key_i,
  output [19:0] holds_o
);
  wire [3:0] kind3, kind2, kind1, kind0;  // stream, first, last, valid
  wire [K*W-1:0] key3, key2, key1, key0, x2, x1, x0, e0;
  wire [2*K*W-1:0] sums;
  wire [K*K-1:0] hit2, hit1, hit0;
  wire [W-1:0] base_e, base_before;
  wire any0, again;
  wire [K-1:0] right, late;
  wire [W-1:0] x_new, x_old;
  `include "rotor.svh"
  `include "registers.svh"
  `include "sums.svh"
endmodule
