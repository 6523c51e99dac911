// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_fifo with a list of the words accepted and not yet taken. Bits of holds_o, from the highest:
//   It gives the first word of the list, and has none if the list is empty. Without a word the data are zeros.
//   It accepts a word unless WORDS words wait.
// The last bit is the invariant of its registers.
module bench #(
  parameter BITS = 4, WORDS = 4, A = $clog2(WORDS)
) (
  input clk_i, rst_i, valid_i, ready_i,
  input [BITS-1:0] data_i,
  output [2:0] holds_o
);
  wire ready_o, valid_o;
  wire [BITS-1:0] data_o;
  wire [A:0] put, taken;
  wire [BITS-1:0] held_0, held_1, held_2, held_3, held_4, held_5, held_6, held_7;
  dut core (.*);

  reg known = 0;
  reg [BITS*WORDS-1:0] list, list_next;
  reg [7:0] number, count;
  always @* begin
    {list_next, count} = {list, number};
    if (valid_o && ready_i) {list_next, count} = {list >> BITS, number - 8'd1};
    for (int n = 0; n < WORDS; n = n + 1) if (valid_i && ready_o && count == n) list_next[BITS*n +: BITS] = data_i;
    count = count + (valid_i && ready_o);
  end
  always @(posedge clk_i) begin
    {list, number} <= {list_next, count};
    if (rst_i) {known, number} <= {1'b1, 8'd0};
  end

  wire [BITS*8-1:0] held = {held_7, held_6, held_5, held_4, held_3, held_2, held_1, held_0};
  wire [A:0] waiting = put - taken;
  reg same;
  reg [A-1:0] place;
  always @* begin
    same = waiting == number && number <= WORDS;
    for (int n = 0; n < WORDS; n = n + 1) begin
      place = taken + n;
      if (n < number && held[BITS*place +: BITS] != list[BITS*n +: BITS]) same = 0;
    end
  end
  assign holds_o = {3{!known}} | {
    valid_o == (number != 0) && data_o == (number != 0 ? list[BITS-1:0] : 0),
    ready_o == (number != WORDS),
    same
  };
endmodule
