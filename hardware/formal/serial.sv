// SPDX-License-Identifier: MIT OR Apache-2.0
// The model: RC4 as the books write it, and its stream. The proofs compare the cores with this module.

// Does a group of K rounds, one after the other, if live_i is 1.
module group #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N)
) (
  input              live_i,
  input  [N*W-1:0]   s_i,       // the table, cell 0 lowest
  input  [W-1:0]     i_i, j_i,  // i of the first round; j of the round before
  input              stream_i,  // a group of the keystream, not of the key schedule
  input              first_i,   // the first group of the keystream: its first round has i = j = 0 and gives no word
  input  [L*W-1:0]   key_i,
  input              given_i,   // swap at js_i and not at the computed j
  input  [K*W-1:0]   js_i,
  output [N*W-1:0]   s_o,
  output [W-1:0]     i_o, j_o,
  output             stream_o, first_o,
  output [K*W-1:0]   x_o, y_o,  // of each round, the first one lowest: S[i] and S[j] before the swap,
  output [K*W-1:0]   js_o, z_o  // j, and S[x + y] after it
);
  reg [N*W-1:0] s;
  reg [K*W-1:0] xs, ys, js, zs;
  reg [W-1:0] i, j, at, x, y, t;
  always @* begin
    {i, at, x, y, t} = 0;
    s = s_i;
    j = j_i;
    xs = 0; ys = 0; js = 0; zs = 0;
    for (int r = 0; r < K; r = r + 1) begin
      i = i_i + r;
      x = s[W*i +: W];
      if (!(first_i && r == 0)) j = j + x;
      if (!stream_i) j = j + key_i[W*(i % L) +: W];
      js[W*r +: W] = j;
      at = given_i ? js_i[W*r +: W] : j;
      y = s[W*at +: W];
      for (int c = 0; c < N; c = c + 1)
        s[W*c +: W] = at == c ? x : i == c ? y : s[W*c +: W];
      t = x + y;
      xs[W*r +: W] = x;
      ys[W*r +: W] = y;
      zs[W*r +: W] = s[W*t +: W];
      j = at;
    end
  end
  wire last = !stream_i && i_i == N - K;
  assign s_o      = live_i ? s : s_i;
  assign i_o      = live_i ? i_i + K : i_i;
  assign j_o      = !live_i ? j_i : last ? 0 : j;
  assign stream_o = stream_i || (live_i && last);
  assign first_o  = live_i ? last : first_i;
  assign x_o = xs;
  assign y_o = ys;
  assign js_o = js;
  assign z_o = zs;
endmodule

// A key, its rounds as far as group_i asked for them, and the words that the core has not given yet.
module model #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N), D = 5 * K
) (
  input                clk_i, wipe_i,
  input                take_i,   // the core takes a word of the key
  input      [W-1:0]   key_i,
  input                group_i,  // do the next group
  input                read_i,   // the core gives K words
  input      [K*W-1:0] z_i,
  output               right_o,  // the words that the core gives are the next ones of the keystream
  output reg           known_o,  // there was a wipe; before the first wipe the state is unknown
  output reg           run_o,    // the key is complete
  output reg [W-1:0]   taken_o,  // the number of words of an incomplete key
  output reg [L*W-1:0] kk_o,     // the key, the first word lowest
  output reg [N*W-1:0] s_o,
  output reg [W-1:0]   i_o, j_o,
  output reg           stream_o, first_o,
  output reg [D*W-1:0] due_o,    // the words that are due, the first one lowest, and their number
  output reg [7:0]     number_o
);
  initial known_o = 0;
  wire [N*W-1:0] s;
  wire [W-1:0] i, j;
  wire stream, first;
  wire [K*W-1:0] z;
  group #(N, K, L) next (
    .live_i(1'b1), .s_i(s_o), .i_i(i_o), .j_i(j_o), .stream_i(stream_o), .first_i(first_o), .key_i(kk_o),
    .given_i(1'b0), .js_i({K*W{1'b0}}),
    .s_o(s), .i_o(i), .j_o(j), .stream_o(stream), .first_o(first), .z_o(z)
  );
  assign right_o = !read_i || (run_o && number_o >= K && due_o[K*W-1:0] == z_i);

  reg [D*W-1:0] due;
  reg [7:0] number;
  always @* begin
    due    = due_o;
    number = number_o;
    if (read_i) begin
      due    = due >> (K*W);
      number = number - K;
    end
    if (group_i && stream_o)
      for (int r = 0; r < K; r = r + 1)
        if (!(first_o && r == 0)) begin
          for (int c = 0; c < D; c = c + 1)
            if (number == c) due[W*c +: W] = z[W*r +: W];
          number = number + 1;
        end
  end

  always @(posedge clk_i) begin
    due_o    <= due;
    number_o <= number;
    if (group_i) begin
      s_o      <= s;
      i_o      <= i;
      j_o      <= j;
      stream_o <= stream;
      first_o  <= first;
    end
    if (take_i) begin
      for (int c = 0; c < L; c = c + 1)
        if (taken_o == c) kk_o[W*c +: W] <= key_i;
      run_o    <= taken_o == L - 1;
      taken_o  <= taken_o == L - 1 ? 0 : taken_o + 1;
      for (int c = 0; c < N; c = c + 1) s_o[W*c +: W] <= c;
      i_o      <= 0;
      j_o      <= 0;
      stream_o <= 0;
      first_o  <= 0;
      number_o <= 0;
    end
    if (wipe_i) begin
      known_o  <= 1;
      run_o    <= 0;
      taken_o  <= 0;
      number_o <= 0;
    end
  end
endmodule
