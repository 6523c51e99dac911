// SPDX-License-Identifier: MIT OR Apache-2.0
// What the benches of rc4_pipe, rc4_spec and rc4_still share: the registers of the parts that the cores have, the model, and what
// these parts hold. A bench includes the registers of its table first: rotor.svh or cells.svh. It says when the table steps with a
// group to write (`group_written`), which words of stage 0 are not yet right (`x0_open`, `e0_open`), and i of the next group to
// leave the key (`i_next`, `stream_next`).
  // The core's ports, and below its registers.
  wire key_last_i = 0;
  wire key_ready_o, busy_o, z_valid_o;
  wire [K*W-1:0] z_o;
  wire step, held, go, done;
  wire [$clog2(N/K)-1:0] turns;
  wire [L*W-1:0] key_box_words;
  wire [$clog2(L)-1:0] key_box_taken;
  wire [K*W-1:0] keystream_head, keystream_tail, keystream_previous;
  wire keystream_head_valid, keystream_tail_valid, keystream_begun;
  dut core (.*);

  wire group_written, stream_next;
  wire [K-1:0] x0_open, e0_open;
  wire [W-1:0] i_next;

  wire wipe = rst_i || clear_i;
  wire take = key_valid_i && key_ready_o;
  wire read = z_valid_o && z_ready_i;
  wire in_order, known, run, m_stream, m_first;
  wire [W-1:0] taken, m_i, m_j;
  wire [L*W-1:0] kk;
  wire [N*W-1:0] m_s;
  wire [5*K*W-1:0] due;
  wire [7:0] number;
  model #(N, K, L) serial (
    .clk_i(clk_i), .wipe_i(wipe), .take_i(take), .key_i(key_i), .group_i(group_written),
    .read_i(read), .z_i(z_o), .right_o(in_order), .known_o(known), .run_o(run), .taken_o(taken), .kk_o(kk),
    .s_o(m_s), .i_o(m_i), .j_o(m_j), .stream_o(m_stream), .first_o(m_first), .due_o(due), .number_o(number)
  );

  wire [N*W-1:0] s1, s0;
  wire [W-1:0] i1, j1, i0, j0;
  wire stream1, first1, stream0, first0;
  wire [K*W-1:0] z4;
  wire [6:0] rotor_holds;

  // The key in its box: while it is loaded, complete, and turned by the groups that have it.
  reg box, key_right;
  always @* begin
    box = key_box_taken == taken && busy_o == (run && (held || !stream_next)) && taken < L && (!run || taken == 0);
    for (int r = 0; r < L; r = r + 1) begin
      if (!run && r >= L - taken && key_box_words[W*(L-1-r) +: W] != kk[W*(r + taken - L) +: W]) box = 0;
      if (run && held && key_box_words[W*(L-1-r) +: W] != kk[W*r +: W]) box = 0;
      if (run && !held && !stream_next && key_box_words[W*(L-1-r) +: W] != kk[W*((i_next + r) % L) +: W]) box = 0;
    end
    key_right = turns == (stream_next ? 0 : i_next / K) && done == (!stream_next && i_next == N - K);
  end

  // The words that are due are those in the pipeline and the output.
  reg [5*K*W-1:0] words;
  reg [7:0] count;
  reg out;
  always @* begin
    words = 0;
    count = 0;
    for (int r = K - 1; r >= 0; r = r - 1)
      if (rotor_z_wanted[1] && (r > 0 || keystream_begun || rotor_z_wanted[0])) begin
        words = {words, z4[W*r +: W]};
        count = count + 1;
      end
    for (int r = K - 1; r >= 0; r = r - 1)
      if (rotor_z_wanted[0] && (r > 0 || keystream_begun)) begin
        words = {words, rotor_z_o[W*r +: W]};
        count = count + 1;
      end
    for (int r = K - 1; r > 0; r = r - 1)
      if (keystream_begun) begin
        words = {words, keystream_previous[W*r +: W]};
        count = count + 1;
      end
    if (keystream_tail_valid) begin
      words = {words, keystream_tail};
      count = count + K;
    end
    if (keystream_head_valid) begin
      words = {words, keystream_head};
      count = count + K;
    end
    out = count == number && !((go || !keystream_head_valid) && keystream_tail_valid)
      && (keystream_begun || rotor_z_wanted[0] || rotor_z_wanted[1]) == (m_stream && !m_first);
    for (int r = 0; r < 5 * K; r = r + 1)
      if (r < number && words[W*r +: W] != due[W*r +: W]) out = 0;
  end

  reg [N*W-1:0] identity;
  always @* for (int r = 0; r < N; r = r + 1) identity[W*r +: W] = r;
  wire start = number == 0 && (!run || m_s == identity && m_i == 0 && m_j == 0 && !m_stream && !m_first);

