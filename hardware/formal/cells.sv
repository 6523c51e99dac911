// SPDX-License-Identifier: MIT OR Apache-2.0
// The invariant of every register of rc4_cells, in terms of a serial model. The model has done the groups that are written
// in the table. This module does the groups in stages 3 to 0, one after the other, from the model's state.
//
// In arrays of VHDL the first element is the highest.
`define W(v, r) v[W*(K-1-(r)) +: W]
`define B(v, r) v[K-1-(r)]
`define BB(v, r, m) v[K*(K-1-(r)) + K-1-(m)]

module cells #(
  parameter N = 8, K = 1, L = 3, W = $clog2(N), ROWB = W / 2, COLB = W - ROWB, ROWS = 2**ROWB, COLS = 2**COLB, PARTS = ROWS < 4 ? ROWS : 4
) (
  // The model.
  input [N*W-1:0] s_i, input [W-1:0] i_i, j_i, input stream_i, first_i, input [L*W-1:0] key_i,
  input z_i,         // the keystream of the group in stage 0 is wanted
  input [K-1:0] x0_open_i, e0_open_i,  // rounds in stage 0 whose x or j is still wrong
  // The core's registers.
  input [W-1:0] i2, i3, i4, input [N*W-1:0] s,
  input [K*W-1:0] x0, x1, x2, x3, x4, e0, e1, e2, j1, j2, j3, j4, y4, yy, t4, known2, x_cell,
  input [3:0] live, input [4:0] z_wanted,
  input [K*ROWS-1:0] row1, row4, input [K*COLS-1:0] col1, col4, input [ROWS-1:0] ahead_row, input [COLS-1:0] ahead_col,
  input [K-1:0] in_table2, input [K*PARTS*W-1:0] part2,
  input [K*K-1:0] own_x1, x_of_1, x_of_2, y_of_1, y_of_2, y_of_1_late, root1, root2, root3, ahead_1, ahead_2, ahead_3, ahead_4, ahead_soon,
  input [K-1:0] any_own1, any_of_1, any_of_2, lost1, lost2, lost3, i_lost1, i_lost2, i_lost3, ahead_cell,
  // The model's state after stage 1, and after stage 0.
  output [N*W-1:0] s1_o, s_o, output [W-1:0] i1_o, j1_o, output stream1_o, first1_o, output [W-1:0] i_o, j_o, output stream_o, first_o,
  output [K*W-1:0] z4_o,  // the words that stage 4 makes, the first one lowest
  output [5:0] holds_o
);
  wire [W-1:0] i = i2 + 2 * K;  // of the group in stage 0
  // Groups are numbered by their stage; live[3 - k] is that of stage k.
  wire [K*W-1:0] j [1:3], x [0:3];
  assign j[1] = j1, j[2] = j2, j[3] = j3, x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3;

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
      if (g == 0) assign at[W*r +: W] = `W(e0, r) + i - 2 * K;
      else assign at[W*r +: W] = `W(j[g], r);
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

  // The cells do not move.
  wire [W-1:0] written = i - 3 * K;  // of the group in stage 3
  reg still;
  always @* begin
    still = !live[0] || i3 == written;
    for (int p = 0; p < N; p = p + 1)
      if (s[W*(N-1-p) +: W] != s_i[W*p +: W]) still = 0;
  end

  // The decoded lines of an address.
  function lines(input [ROWS-1:0] row, input [COLS-1:0] col, input [W-1:0] a);
    lines = row == 1 << (ROWS - 1 - (a >> COLB)) && col == 1 << (COLS - 1 - a[COLB-1:0]);
  endfunction

  // In a group of one round the lines determine t.
  reg [K*W-1:0] t;
  always @* begin
    t = t4;
    if (K == 1) begin
      t = 0;
      for (int h = 0; h < ROWS; h = h + 1) if (row4[ROWS-1-h]) t = t | h << COLB;
      for (int c = 0; c < COLS; c = c + 1) if (col4[COLS-1-c]) t = t | c;
    end
  end

  // Each choice as a function of the j alone.
  reg choices, found, hx, hy;
  reg [K*K-1:0] root [1:3];
  reg [W-1:0] here, far;
  reg [K-1:0] lost, i_lost;
  always @* begin
    choices = 1;
    {found, hx, hy, here, far, lost, i_lost} = 0;
    // The place of each round within its group, and whether a later round of the group writes there.
    for (int k = 1; k <= 3; k = k + 1) begin
      root[k] = 0;
      here = i - k * K;  // of the group
      for (int a = 0; a < K; a = a + 1) begin
        found = 0;
        `BB(root[k], a, a) = 1;
        for (int m = a - 1; m >= 0; m = m - 1) begin
          hx = `W(j[k], a) == `W(j[k], m);
          far = here + m;
          hy = `W(j[k], a) == far;
          if (k == 1 && live[2] && `BB(own_x1, a, m) != (hx && !found)) choices = 0;
          if (hy && !hx && !found) root[k][K*(K-1-a) +: K] = root[k][K*(K-1-m) +: K];
          found = found || hx || hy;
        end
        if (k == 1 && live[2] && `B(any_own1, a) != found) choices = 0;
        `B(lost, a) = !live[3-k];
        `B(i_lost, a) = !live[3-k];
        for (int m = a; m < K; m = m + 1) begin
          far = here + m;
          if (m > a && (`W(j[k], a) == `W(j[k], m) || `W(j[k], a) == far)) `B(lost, a) = 1;
          far = here + a;
          if (`W(j[k], m) == far) `B(i_lost, a) = 1;
        end
      end
      if (k == 1 && lost1 != lost || k == 2 && lost2 != lost || k == 3 && lost3 != lost) choices = 0;
      if (k == 1 && i_lost1 != i_lost || k == 2 && i_lost2 != i_lost || k == 3 && i_lost3 != i_lost) choices = 0;
    end
    if (live[2] && root1 != root[1] || live[1] && root2 != root[2] || live[0] && root3 != root[3]) choices = 0;
    for (int a = 0; a < K; a = a + 1) begin
      // e counts in the frame of stage 0, and is K less with each stage.
      here = `W(j1, a) - i + 2 * K;
      far = `W(j2, a) - i + 2 * K;
      if (live[2] && `W(e1, a) != here || live[1] && `W(e2, a) != far) choices = 0;
      if (live[2]) begin
        found = 0;
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[1] && `W(j1, a) == `W(j2, m);
          here = i - 2 * K + m;
          hy = live[1] && `W(j1, a) == here;
          if (`BB(x_of_1, a, m) != (hx && !found) || `BB(y_of_1, a, m) != (hy && !hx && !found)) choices = 0;
          found = found || hx || hy;
        end
        if (`B(any_of_1, a) != found) choices = 0;
        found = 0;
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[0] && `W(j1, a) == `W(j3, m);
          here = i - 3 * K + m;
          hy = live[0] && `W(j1, a) == here;
          if (`BB(x_of_2, a, m) != (hx && !found) || `BB(y_of_2, a, m) != (hy && !hx && !found)) choices = 0;
          found = found || hx || hy;
        end
        if (`B(any_of_2, a) != found) choices = 0;
        if (!lines(row1[ROWS*(K-1-a) +: ROWS], col1[COLS*(K-1-a) +: COLS], `W(j1, a))) choices = 0;
      end
      if (z_wanted[1] && !lines(row4[ROWS*(K-1-a) +: ROWS], col4[COLS*(K-1-a) +: COLS], `W(t, a))) choices = 0;
      // The x of a later group comes from stages 1 to 3, from stage 4, or from the cell.
      far = i + 3 * K + a;
      found = 0;
      for (int k = 1; k <= 3; k = k + 1)
        for (int m = K - 1; m >= 0; m = m - 1) begin
          hx = live[3-k] && `W(j[k], m) == far;
          if ((k == 1 ? `BB(ahead_1, a, m) : k == 2 ? `BB(ahead_2, a, m) : `BB(ahead_3, a, m)) != (hx && !found)) choices = 0;
          found = found || hx;
        end
      for (int m = K - 1; m >= 0; m = m - 1) begin
        if (`BB(ahead_4, a, m) && (found || `W(x4, m) != s_i[W*far +: W])) choices = 0;
        found = found || `BB(ahead_4, a, m);
      end
      if (`B(ahead_cell, a) == found || !found && `W(x_cell, a) != s_i[W*far +: W]) choices = 0;
      // The same in the next clock.
      far = i + 4 * K + a;
      for (int m = 0; m < K; m = m + 1)
        if (`BB(ahead_soon, a, m) != (live[0] && `W(j3, m) == far)) choices = 0;
    end
    far = i + 4 * K;
    if (!lines(ahead_row, ahead_col, far)) choices = 0;
  end

  // The y of stages 2 and 3.
  reg [W-1:0] v [0:K-1];
  reg [W-1:0] y;
  reg values;
  always @* begin
    values = 1;
    y = 0;
    for (int a = 0; a < K; a = a + 1) begin
      v[a] = `W(known2, a);
      for (int part = 0; part < PARTS; part = part + 1)
        if (`B(in_table2, a)) v[a] = v[a] | part2[W*(K*PARTS-1 - (a*PARTS + part)) +: W];
      for (int m = 0; m < K; m = m + 1)
        if (`BB(y_of_1_late, a, m)) v[a] = v[a] | `W(yy, m);
    end
    for (int a = 0; a < K; a = a + 1) begin
      y = 0;
      for (int m = 0; m <= a; m = m + 1)
        if (`BB(root2, a, m)) y = y | v[m];
      if (live[1] && y != y_want[2][W*a +: W]) values = 0;
      if (live[0] && `W(yy, a) != y_want[3][W*a +: W]) values = 0;
    end
  end

  // Stage 4.
  reg [K*W-1:0] z;
  reg [W-1:0] at4, later;
  always @* begin
    z = 0;
    {at4, later} = 0;
    for (int a = 0; a < K; a = a + 1) begin
      at4 = `W(t, a);
      z[W*a +: W] = s_i[W*at4 +: W];
      for (int m = K - 1; m > a; m = m - 1) begin
        later = i4 + m;
        if (at4 == later) z[W*a +: W] = `W(x4, m);
        if (at4 == `W(j4, m)) z[W*a +: W] = `W(y4, m);
      end
    end
  end
  assign z4_o = z;
  wire model = i_i % K == 0 && (!first_i || stream_i && i_i == 0 && j_i == 0);
  assign holds_o = {model && &kinds, &xs, &chain, still, choices, values};
endmodule
