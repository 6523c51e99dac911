// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_unroll with the model. holds_o is an invariant: if all bits are 1 in one clock, all bits are 1 in the next, for all inputs.
// The highest bit: the core's output is the keystream. The next bit: the core makes progress.
module bench #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N)
) (
  input clk_i, rst_i, ce_i, clear_i, key_valid_i, z_ready_i,
  input [W-1:0] key_i,
  output [4:0] holds_o
);
  wire key_last_i = 0;
  wire key_ready_o, busy_o, z_valid_o;
  wire [K*W-1:0] z_o, z_read;
  wire [N*W-1:0] s;
  wire [W-1:0] i, j;
  wire stream, valid2, z_valid, step;
  wire [L*W-1:0] key_box_words;
  wire [$clog2(L)-1:0] key_box_taken;
  dut core (.*);

  wire wipe = rst_i || clear_i;
  wire take = key_valid_i && key_ready_o;
  wire read = z_valid_o && z_ready_i;

  // The model: the key, its rounds, and the words that are due, the first one lowest.
  reg known = 0, run, m_stream;
  reg [W-1:0] taken, m_i, m_j;
  reg [L*W-1:0] kk;
  reg [N*W-1:0] m_s;
  reg [3*K*W-1:0] due, due_next;
  reg [7:0] number, count;
  wire [N*W-1:0] next_s;
  wire [W-1:0] next_i, next_j;
  wire [K*W-1:0] next_z;
  wire next_stream, begins;
  group #(N, K, L) serial (
    .live_i(1'b1), .s_i(m_s), .i_i(m_i), .j_i(m_j), .stream_i(m_stream), .first_i(1'b0), .key_i(kk), .given_i(1'b0), .js_i({K*W{1'b0}}),
    .s_o(next_s), .i_o(next_i), .j_o(next_j), .stream_o(next_stream), .first_o(begins), .z_o(next_z)
  );
  wire round = ce_i && step;
  always @* begin
    {due_next, count} = {due, number};
    if (read) {due_next, count} = {due >> (K*W), number - 8'd1};
    if (round && m_stream) begin
      for (int c = 0; c < 3; c = c + 1) if (count == c) due_next[K*W*c +: K*W] = next_z;
      count = count + 1;
    end
  end
  always @(posedge clk_i) begin
    {due, number} <= {due_next, count};
    if (round) begin
      m_s <= next_s;
      m_i <= begins ? 1 : next_i;
      m_j <= next_j;
      m_stream <= next_stream;
    end
    if (take) begin
      for (int c = 0; c < L; c = c + 1)
        if (taken == c) kk[W*c +: W] <= key_i;
      run   <= taken == L - 1;
      taken <= taken == L - 1 ? 0 : taken + 1;
      for (int c = 0; c < N; c = c + 1) m_s[W*c +: W] <= c;
      {m_i, m_j, m_stream, number} <= 0;
    end
    if (wipe) begin
      for (int c = 0; c < N; c = c + 1) m_s[W*c +: W] <= c;
      {m_i, m_j, m_stream, number} <= 0;
      {known, run, taken} <= {1'b1, 1'b0, {W{1'b0}}};
    end
  end

  localparam LONGEST = N / K + 2;
  wire [7:0] to_come = z_valid ? 0 : valid2 ? 1 : stream ? 2 : (N - i) / K + 2;
  `include "waits.svh"

  reg box, state, words;
  always @* begin
    box = key_box_taken == taken && busy_o == (run && !m_stream) && taken < L && (!run || taken == 0);
    for (int r = 0; r < L; r = r + 1) begin
      if (!run && r >= L - taken && key_box_words[W*(L-1-r) +: W] != kk[W*(r + taken - L) +: W]) box = 0;
      if (busy_o && key_box_words[W*(L-1-r) +: W] != kk[W*((m_i + r) % L) +: W]) box = 0;
    end
    state = s == m_s && i == m_i && j == m_j && stream == m_stream && (run || !m_stream) && (m_stream || m_i % K == 0);
    words = number == z_valid + valid2 && (m_stream || number == 0);
    if (z_valid && z_o != due[K*W-1:0]) words = 0;
    if (valid2 && z_read != (z_valid ? due[K*W +: K*W] : due[K*W-1:0])) words = 0;
  end
  assign holds_o = {5{!known}} | {!read || run && number > 0 && z_o == due[K*W-1:0], goes_on, box, state, words};
endmodule
