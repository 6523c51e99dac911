// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_key with VARIABLE_KEY with the key that was written, for any length. Word m of words_o is word r + m of the key, repeated
// without end. r is the number of rounds so far.
// Bits of holds_o, from the highest:
//   words_o, and zero without a complete key     busy_o and key_ready_o: from the last word of the key until `done`
//   the content of the first K cells, and of the key's cells     `longer` and `taken`     without a key all cells are zero
module bench #(
  parameter N = 8, K = 1, L = 2, W = $clog2(N), CELLS = K > L ? K : L
) (
  input clk_i, rst_i, ce_i, key_valid_i, key_last_i, turn_i, done_i,
  input [W-1:0] key_i,
  output [4:0] holds_o
);
  wire key_ready_o, busy_o;
  wire [K*W-1:0] words_o;
  wire [CELLS*W-1:0] words;
  wire [0:L-1] longer;
  wire [L > 1 ? $clog2(L) - 1 : 0:0] taken;
  dut core (.*);

  reg known = 0;
  reg [L*W-1:0] key;  // the first word lowest
  reg [7:0] length;   // the number of words that were written
  reg whole;
  reg [7:0] r;        // modulo the length
  always @(posedge clk_i) begin
    if (ce_i && !whole && key_valid_i) begin
      for (int m = 0; m < L; m = m + 1) if (m == length) key[W*m +: W] <= key_i;
      length <= length + 1;
      whole <= key_last_i || length == L - 1;
      r <= 0;
    end
    if (ce_i && whole && turn_i) begin
      r <= (r + K) % length;
      if (done_i) {length, whole} <= 0;
    end
    if (rst_i) {known, length, whole} <= {1'b1, 8'd0, 1'b0};
  end

  reg [K*W-1:0] due;
  reg cells, empty, count;
  reg [W-1:0] word;
  always @* begin
    {cells, empty, count, due} = 0;
    {cells, count} = 2'b11;
    for (int m = 0; m < CELLS; m = m + 1) begin
      word = key >> (W * ((r + m) % length));
      if (m < K) due[W*m +: W] = word;
      if (length != 0 && (m < K || m < length) && words[W*(CELLS-1-m) +: W] != word) cells = 0;
    end
    for (int m = 0; m < L; m = m + 1) if (longer[m] != (length > m)) count = 0;
    count = count && length <= L && (L == 1 || taken == (whole ? 0 : length)) && (whole ? length > 0 && r < length : length < L && (r == 0 || length == 0));
    empty = length != 0 || words == 0;
  end
  assign holds_o = {5{!known}} | {
    words_o == (whole ? due : 0),
    busy_o == whole && key_ready_o == (ce_i && !whole),
    cells,
    count,
    empty
  };
endmodule
