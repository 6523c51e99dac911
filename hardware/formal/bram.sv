// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_bram with the model. holds_o is an invariant: if all bits are 1 in one clock, all bits are 1 in the next, for all inputs.
// The highest bit: the core's output is the keystream. The next bit: the core makes progress.
//
// The table is the RAM's content with the pending write included. In phases 0 and 1 it equals the model's table. In phase 2 S[j]
// has been written, and S[i] has not.
module bench #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N)
) (
  input clk_i, rst_i, ce_i, clear_i, key_valid_i, z_ready_i,
  input [W-1:0] key_i,
  output [6:0] holds_o
);
  wire key_last_i = 0;
  wire key_ready_o, busy_o, z_valid_o;
  wire [W-1:0] z_o;
  wire [W-1:0] at, write_a, write_d, i, j, base, t;
  wire write_e, filling, fresh, z_due, stream, z_valid, step;
  wire [2:0] phase;
  wire [W-1:0] s_0, s_1, s_2, s_3, s_4, s_5, s_6, s_7;
  wire [L*W-1:0] key_box_words;
  wire [$clog2(L)-1:0] key_box_taken;
  dut core (.*);
  wire is0 = phase == 3'b100, is1 = phase == 3'b010, is2 = phase == 3'b001;

  wire wipe = rst_i || clear_i;
  wire take = key_valid_i && key_ready_o;
  wire read = z_valid_o && z_ready_i;

  // The model: the key, its rounds, and the word that is due.
  reg known = 0, run, m_stream, due;
  reg [W-1:0] taken, m_i, m_j, word;
  reg [L*W-1:0] kk;
  reg [N*W-1:0] m_s;
  wire [N*W-1:0] next_s;
  wire [W-1:0] next_i, next_j, x, y, next_z, new_j;
  wire next_stream, begins;
  group #(N, 1, L) serial (
    .live_i(1'b1), .s_i(m_s), .i_i(m_i), .j_i(m_j), .stream_i(m_stream), .first_i(1'b0), .key_i(kk), .given_i(1'b0), .js_i({W{1'b0}}),
    .s_o(next_s), .i_o(next_i), .j_o(next_j), .stream_o(next_stream), .first_o(begins), .x_o(x), .y_o(y), .js_o(new_j), .z_o(next_z)
  );
  always @(posedge clk_i) begin
    if (read) due <= 0;
    if (step && is2) begin
      m_s <= next_s;
      m_i <= begins ? 1 : next_i;
      m_j <= next_j;
      m_stream <= next_stream;
      due <= m_stream;
      word <= next_z;
    end
    if (take) begin
      for (int c = 0; c < L; c = c + 1)
        if (taken == c) kk[W*c +: W] <= key_i;
      run   <= taken == L - 1;
      taken <= taken == L - 1 ? 0 : taken + 1;
      for (int c = 0; c < N; c = c + 1) m_s[W*c +: W] <= c;
      {m_i, m_j, m_stream, due} <= 0;
    end
    if (wipe) {known, run, taken, due} <= {1'b1, 1'b0, {W{1'b0}}, 1'b0};
  end

  localparam LONGEST = N - 1 + 3 * N + 4;
  wire [7:0] place = is0 ? 0 : is1 ? 1 : 2;
  wire [7:0] rounds = N - i;
  wire [7:0] to_come = z_valid ? 0 : filling ? rounds + 3 * N + 4 : stream && is0 && z_due ? 1 : (stream ? 4 : 4 + 3 * rounds) - place;
  `include "waits.svh"

  reg [N*W-1:0] cells, swapped;
  reg box, start, round, words;
  wire [W-1:0] key = m_stream ? 0 : kk[W*(m_i % L) +: W];
  always @* begin
    cells = {s_7, s_6, s_5, s_4, s_3, s_2, s_1, s_0};
    if (write_e) cells[W*write_a +: W] = write_d;
    swapped = m_s;
    swapped[W*new_j +: W] = x;

    box = key_box_taken == taken && busy_o == (run && !m_stream) && taken < L && (!run || taken == 0);
    for (int r = 0; r < L; r = r + 1) begin
      if (!run && r >= L - taken && key_box_words[W*(L-1-r) +: W] != kk[W*(r + taken - L) +: W]) box = 0;
      if (busy_o && key_box_words[W*(L-1-r) +: W] != kk[W*((m_i + r) % L) +: W]) box = 0;
    end

    // Before the first round: the table is being filled, or is the identity.
    start = is0 && !stream && !z_due && !z_valid && !due && j == 0 && (filling ? i != 0 : i == 0)
      && (!filling || write_e && write_a + 1 == i) && (filling || !write_e || write_a == N - 1);
    for (int c = 0; c < N; c = c + 1)
      if ((!filling || c < i) && cells[W*c +: W] != c) start = 0;
    if (run)
      for (int c = 0; c < N; c = c + 1)
        if (m_s[W*c +: W] != c || m_i != 0 || m_j != 0 || m_stream) start = 0;

    round = run && !filling && stream == m_stream && i == m_i && (m_stream || m_i < N)
      && (is0 && cells == m_s && j == m_j && !(write_e && write_a == i)
        || is1 && cells == m_s && j == m_j && !write_e && at == x && base == m_j + key
        || is2 && cells == swapped && j == new_j && write_a == new_j && write_d == x && base == x && at == y);

    words = is0 ? !z_valid && z_due == due && (!due || (t == j ? base : t == write_a ? write_d : at) == word)
          : is1 ? z_valid == due && (!due || z_o == word) : !z_valid && !due;
  end
  assign holds_o = {7{!known}} | {
    !read || run && due && z_o == word,
    goes_on,
    run || fresh,
    is0 || is1 || is2,
    box,
    fresh ? start : round,
    fresh || words
  };
endmodule
