// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_still with the model. holds_o is an invariant; sums.svh explains its bits.
`define AT(v, r) v[W*(K-1-(r)) +: W]
module bench #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N), ROWB = W / 2, ROWS = 2**ROWB, COLS = 2**(W - ROWB), PARTS = ROWS < 4 ? ROWS : 4
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
  localparam C = 0;
  `include "cells.svh"
  `include "registers.svh"
  `include "sums.svh"
endmodule
