// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_pipe with the model. holds_o is an invariant: if all bits are 1 in one clock, all bits are 1 in the next, for all inputs.
// The highest bit: the core's output is the keystream. The next bit: the core makes progress.
module bench #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N),
  ROWB = 3 * W / 8, COLB = W - ROWB, LOWB = COLB / 2, H = 2**LOWB + 2**(COLB - LOWB), ROWS = 2**ROWB, AHEAD = 2
) (
  input clk_i, rst_i, ce_i, clear_i, key_valid_i, z_ready_i,
  input [W-1:0] key_i,
  output [14:0] holds_o
);
  wire valid, last, first, stream;
  wire [K*W-1:0] x, key;
  wire [W-1:0] add0, base_e;
  `include "rotor.svh"
  `include "registers.svh"
  assign group_written = step && !held && rotor_live[0];
  assign x0_open = 0, e0_open = 0;

  // The group that enters stage 0 next, and the first group that uses the key.
  wire last_next = !stream0 && i0 == N - K;
  assign i_next = valid ? i0 + K : i0;
  assign stream_next = stream0 || (valid && last_next);
  wire [W-1:0] i_x = rotor_i + K;
  wire [W-1:0] i_after = rotor_i + 2 * K;
  wire [W-1:0] base_want = j0 - rotor_i + 2 * K;

  reg kind, values;
  reg [W-1:0] at, want, add_want;
  always @* begin
    kind = valid ? i0 == i_x && stream == stream0 && first == first0 && last == last_next && base_e == base_want
                 : i0 == 0 && j0 == 0 && !stream0 && !first0 && !first;
    kind = kind && i_next == i_after;
    values = 1;
    {at, want, add_want} = 0;
    for (int r = 0; r < K; r = r + 1) begin
      at = i_x + r;
      if (valid && x[W*r +: W] != s1[W*at +: W]) values = 0;
      want = stream ? 0 : kk[W*(at % L) +: W];
      if (r == 0) begin
        want = want - K;
        add_want = want + (first ? 0 : x[W-1:0]);
        if (valid && add0 != add_want) values = 0;
      end
      if (valid && key[W*r +: W] != want) values = 0;
    end
  end

  // The stages up to the output, and the groups of the key up to the first group of the stream. With K = 1 this group gives no word.
  localparam LONGEST = 1 + 7 + N / K + 1 + 1;
  reg [7:0] stages;
  wire [6:0] wanted = {valid && stream, rotor_z_i, rotor_z_wanted};
  reg passed;
  always @* begin
    stages = 7 + (stream_next ? 0 : (N - i_next) / K);
    passed = keystream_begun;
    for (int s = 0; s < 7; s = s + 1)
      if (wanted[s]) begin
        if (passed && stages >= 7) stages = s;
        passed = 1;
      end
    if (!passed) stages = stages + 1;
  end
  wire [7:0] to_come = held ? LONGEST : keystream_head_valid ? 0 : stages + 1 + !go;
  `include "waits.svh"

  wire open = known && !held;  // there are groups in the stages
  assign holds_o = {
    !known || in_order,
    !known || goes_on,
    {2{!known}} | {held ? start : run, box},
    {11{!open}} | {kind, values, key_right, out, rotor_holds}
  };
endmodule
