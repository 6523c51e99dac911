// SPDX-License-Identifier: MIT OR Apache-2.0
// The invariant of every register of rc4_rotor, in terms of a serial model. The model has done the groups that are written
// in the table. This module does the groups in stages 3 to 0, one after the other, from the model's state.
//
// In arrays of VHDL the first element is the highest.
`define W(v, r) v[W*(K-1-(r)) +: W]
`define B(v, r) v[K-1-(r)]
`define BB(v, r, m) v[K*(K-1-(r)) + K-1-(m)]

module rotor #(
  parameter N = 8, K = 1, L = 3, AHEAD = 2, W = $clog2(N),
  ROWB = 3 * W / 8, COLB = W - ROWB, LOWB = COLB / 2, H = 2**LOWB + 2**(COLB - LOWB), ROWS = 2**ROWB
) (
  // The model.
  input [N*W-1:0] s_i, input [W-1:0] i_i, j_i, input stream_i, first_i, input [L*W-1:0] key_i,
  input z_i,         // the keystream of the group in stage 0 is wanted
  input [K-1:0] x0_open_i, e0_open_i,  // rounds in stage 0 whose x or j is still wrong
  // The core's registers.
  input [W-1:0] i, input [N*W-1:0] s,
  input [K*W-1:0] x0, x1, x2, x3, x4, e0, e1, e2, e3, e4, y4, yy, u3, t4,
  input [3:0] live, input [4:0] z_wanted,
  input [K*H-1:0] half1, half3, half4, input [K*ROWB-1:0] high2, input [K-1:0] in_table2,
  input [K*ROWS*W-1:0] part2,
  input [K*K-1:0] own_x1, x_of_1, x_of_2, y_of_1, y_of_2, y_of_1_late, root1, root2, root3, ahead_1, ahead_2, ahead_3,
  input [K-1:0] any_own1, any_of_1, any_of_2, lost1, lost2, lost3, ahead_cell,
  input [K*W-1:0] known2,
  // The model's state after stage 1, and after stage 0.
  output [N*W-1:0] s1_o, s_o, output [W-1:0] i1_o, j1_o, output stream1_o, first1_o, output [W-1:0] i_o, j_o, output stream_o, first_o,
  output [K*W-1:0] z4_o,  // the words that stage 4 makes, the first one lowest
  output [6:0] holds_o
);
  // Groups are numbered by their stage; live[3 - k] is that of stage k.
  wire [K*W-1:0] e [0:3], x [0:3];
  assign e[0] = e0, e[1] = e1, e[2] = e2, e[3] = e3, x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3;

  wire [N*W-1:0] table_ [0:4];
  wire [W-1:0] is [0:4], js [0:4];
  wire [4:0] stream, first;
  wire [K*W-1:0] x_want [0:3], y_want [0:3], j_want [0:3];
  assign table_[4] = s_i, is[4] = i_i, js[4] = j_i, stream[4] = stream_i, first[4] = first_i;

  wire [3:0] wanted = {z_i, z_wanted[4:2]};
  wire [3:0] kinds, xs, chain;
  genvar g, r;
  generate for (g = 0; g < 4; g = g + 1) begin : stage
    wire [K*W-1:0] at, x_here, x_skip, j_skip;
    wire [W-1:0] here = i - g * K;
    for (r = 0; r < K; r = r + 1) begin : round
      assign at[W*r +: W] = `W(e[g], r) + i - 2 * K;
      assign x_here[W*r +: W] = `W(x[g], r);
      assign x_skip[W*r +: W] = {W{g == 0 && x0_open_i[r]}};
      assign j_skip[W*r +: W] = {W{g == 0 && e0_open_i[r]}};
    end
    group #(N, K, L) serial (
      .live_i(live[3-g]), .s_i(table_[g+1]), .i_i(is[g+1]), .j_i(js[g+1]), .stream_i(stream[g+1]), .first_i(first[g+1]),
      .key_i(key_i), .given_i(1'b1), .js_i(at),
      .s_o(table_[g]), .i_o(is[g]), .j_o(js[g]), .stream_o(stream[g]), .first_o(first[g]),
      .x_o(x_want[g]), .y_o(y_want[g]), .js_o(j_want[g])
    );
    // Without a group there is no activity.
    assign kinds[g] = (live[3-g] ? is[g+1] == here : is[g+1] == 0 && js[g+1] == 0 && !stream[g+1] && !first[g+1])
      && wanted[3-g] == (live[3-g] && stream[g+1]);
    assign xs[g]    = !live[3-g] || ((x_here ^ x_want[g]) & ~x_skip) == 0;
    assign chain[g] = !live[3-g] || ((at ^ j_want[g]) & ~j_skip) == 0;
  end endgenerate
  assign s1_o = table_[1], s_o = table_[0], i1_o = is[1], j1_o = js[1], stream1_o = stream[1], first1_o = first[1], i_o = is[0], j_o = js[0], stream_o = stream[0], first_o = first[0];

  // The table moves by K cells a clock.
  reg turned;
  always @* begin
    turned = 1;
    for (int p = 0; p < N; p = p + 1) begin : cell_
      reg [W-1:0] at;
      at = i - 3 * K + p;
      if (s[W*(N-1-p) +: W] != s_i[W*at +: W]) turned = 0;
    end
  end

  // Each choice as a function of the j alone.
  function halves(input [H-1:0] half, input [W-1:0] a);
    begin
      halves = 1;
      for (int b = 0; b < 2**LOWB; b = b + 1)
        if (half[H-1-b] != (a[LOWB-1:0] == b)) halves = 0;
      for (int b = 0; b < 2**(COLB-LOWB); b = b + 1)
        if (half[H-1-2**LOWB-b] != (a[COLB-1:LOWB] == b)) halves = 0;
    end
  endfunction

  reg choices, found, hx, hy;
  reg [K*K-1:0] root [1:3];
  reg [W-1:0] here;
  reg [K-1:0] lost;
  always @* begin
    choices = 1;
    {found, hx, hy, here, lost} = 0;
    // The place of each round within its group, and whether a later round of the group writes there.
    for (int k = 1; k <= 3; k = k + 1) begin
      root[k] = 0;
      for (int a = 0; a < K; a = a + 1) begin
        here = `W(e[k], a) + k * K;  // the frame of stage 0
        found = 0;
        `BB(root[k], a, a) = 1;
        for (int m = a - 1; m >= 0; m = m - 1) begin
          hx = `W(e[k], a) == `W(e[k], m);
          hy = here == 2 * K + m;
          if (k == 1 && live[2] && `BB(own_x1, a, m) != (hx && !found)) choices = 0;
          if (hy && !hx && !found) root[k][K*(K-1-a) +: K] = root[k][K*(K-1-m) +: K];
          found = found || hx || hy;
        end
        if (k == 1 && live[2] && `B(any_own1, a) != found) choices = 0;
        `B(lost, a) = !live[3-k];
        for (int m = a + 1; m < K; m = m + 1)
          if (`W(e[k], a) == `W(e[k], m) || here == 2 * K + m) `B(lost, a) = 1;
      end
      if (k == 1 && lost1 != lost || k == 2 && lost2 != lost || k == 3 && lost3 != lost) choices = 0;
    end
    if (live[2] && root1 != root[1] || live[1] && root2 != root[2] || live[0] && root3 != root[3]) choices = 0;
    for (int a = 0; a < K; a = a + 1) begin
      if (live[2]) begin
        here = `W(e1, a) + K;
        found = 0;
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[1] && `W(e1, a) == `W(e2, m);
          hy = live[1] && here == K + m;
          if (`BB(x_of_1, a, m) != (hx && !found) || `BB(y_of_1, a, m) != (hy && !hx && !found)) choices = 0;
          found = found || hx || hy;
        end
        if (`B(any_of_1, a) != found) choices = 0;
        found = 0;
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[0] && `W(e1, a) == `W(e3, m);
          hy = live[0] && here == m;
          if (`BB(x_of_2, a, m) != (hx && !found) || `BB(y_of_2, a, m) != (hy && !hx && !found)) choices = 0;
          found = found || hx || hy;
        end
        if (`B(any_of_2, a) != found) choices = 0;
        if (!halves(half1[H*(K-1-a) +: H], here)) choices = 0;
      end
      if (live[0] && !halves(half3[H*(K-1-a) +: H], `W(e3, a))) choices = 0;
      if (z_wanted[1] && !halves(half4[H*(K-1-a) +: H], `W(t4, a))) choices = 0;
      // The x of a later group.
      found = 0;
      for (int k = 1; k <= 3; k = k + 1)
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[3-k] && `W(e[k], m) == ((AHEAD + 2) * K + a) % N;
          if ((k == 1 ? `BB(ahead_1, a, m) : k == 2 ? `BB(ahead_2, a, m) : `BB(ahead_3, a, m)) != (hx && !found)) choices = 0;
          found = found || hx;
        end
      if (`B(ahead_cell, a) == found) choices = 0;
    end
  end

  // The y of stages 2 and 3; t.
  reg [W-1:0] v [0:K-1];
  reg [W-1:0] y;
  reg values, ts;
  always @* begin
    values = 1;
    ts = 1;
    y = 0;
    for (int a = 0; a < K; a = a + 1) begin
      v[a] = `W(known2, a);
      if (`B(in_table2, a)) v[a] = v[a] | part2[W*(K*ROWS-1 - (a*ROWS + high2[ROWB*(K-1-a) +: ROWB])) +: W];
      for (int m = 0; m < K; m = m + 1)
        if (`BB(y_of_1_late, a, m)) v[a] = v[a] | `W(yy, m);
    end
    for (int a = 0; a < K; a = a + 1) begin
      y = 0;
      for (int m = 0; m <= a; m = m + 1)
        if (`BB(root2, a, m)) y = y | v[m];
      if (live[1] && y != y_want[2][W*a +: W]) values = 0;
      if (live[0] && `W(yy, a) != y_want[3][W*a +: W]) values = 0;
      if (live[0] && `W(u3, a) != (`W(x3, a) - i + 2 * K) % N) ts = 0;
    end
  end

  // Stage 4.
  reg [K*W-1:0] z;
  reg [W-1:0] at4, later;
  always @* begin
    z = 0;
    {at4, later} = 0;
    for (int a = 0; a < K; a = a + 1) begin
      at4 = `W(t4, a);
      z[W*a +: W] = s[W*(N-1-at4) +: W];
      for (int m = K - 1; m > a; m = m - 1) begin
        later = m - K;
        if (at4 == later) z[W*a +: W] = `W(x4, m);
        if (at4 == `W(e4, m)) z[W*a +: W] = `W(y4, m);
      end
    end
  end
  assign z4_o = z;
  wire model = i_i % K == 0 && (!first_i || stream_i && i_i == 0 && j_i == 0);
  assign holds_o = {model && &kinds, &xs, &chain, turned, choices, values, ts};
endmodule
