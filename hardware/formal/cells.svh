// SPDX-License-Identifier: MIT OR Apache-2.0
// The registers of rc4_cells in a core, and what they hold. The benches share some names with those of the rotor.
  wire [W-1:0] cells_i2, cells_i3, cells_i4;
  wire [N*W-1:0] cells_s;
  wire [K*W-1:0] cells_x0, cells_x1, cells_x2, cells_x3, cells_x4, cells_e0, cells_e1, cells_e2, cells_j1, cells_j2, cells_j3, cells_j4;
  wire [K*W-1:0] cells_y4, cells_yy, cells_t4, cells_known2, cells_x_cell, cells_z_o;
  wire [2:0] cells_live;
  wire cells_rst_i;
  wire [4:0] cells_z_wanted;
  wire cells_z_i;
  wire [K*ROWS-1:0] cells_row1, cells_row4;
  wire [K*COLS-1:0] cells_col1, cells_col4;
  wire [ROWS-1:0] cells_ahead_row;
  wire [COLS-1:0] cells_ahead_col;
  wire [K-1:0] cells_in_table2, cells_any_own1, cells_any_of_1, cells_any_of_2, cells_lost1, cells_lost2, cells_lost3;
  wire [K-1:0] cells_i_lost1, cells_i_lost2, cells_i_lost3, cells_ahead_cell;
  wire [K*PARTS*W-1:0] cells_part2;
  wire [K*K-1:0] cells_own_x1, cells_x_of_1, cells_x_of_2, cells_y_of_1, cells_y_of_2, cells_y_of_1_late;
  wire [K*K-1:0] cells_root1, cells_root2, cells_root3, cells_ahead_1, cells_ahead_2, cells_ahead_3, cells_ahead_4, cells_ahead_soon;
  cells #(N, K, L) cells (
    .s_i(m_s), .i_i(m_i), .j_i(m_j), .stream_i(m_stream), .first_i(m_first), .key_i(kk), .z_i(cells_z_i), .x0_open_i(x0_open), .e0_open_i(e0_open),
    .i2(cells_i2), .i3(cells_i3), .i4(cells_i4), .s(cells_s), .x0(cells_x0), .x1(cells_x1), .x2(cells_x2), .x3(cells_x3), .x4(cells_x4),
    .e0(cells_e0), .e1(cells_e1), .e2(cells_e2), .j1(cells_j1), .j2(cells_j2), .j3(cells_j3), .j4(cells_j4), .y4(cells_y4), .yy(cells_yy),
    .t4(cells_t4), .live(rotor_live), .z_wanted(cells_z_wanted), .row1(cells_row1), .row4(cells_row4), .col1(cells_col1), .col4(cells_col4),
    .ahead_row(cells_ahead_row), .ahead_col(cells_ahead_col), .in_table2(cells_in_table2), .part2(cells_part2), .own_x1(cells_own_x1),
    .x_of_1(cells_x_of_1), .x_of_2(cells_x_of_2), .y_of_1(cells_y_of_1), .y_of_2(cells_y_of_2),
    .y_of_1_late(cells_y_of_1_late), .root1(cells_root1), .root2(cells_root2), .root3(cells_root3),
    .ahead_1(cells_ahead_1), .ahead_2(cells_ahead_2), .ahead_3(cells_ahead_3), .ahead_4(cells_ahead_4), .ahead_soon(cells_ahead_soon),
    .any_own1(cells_any_own1), .any_of_1(cells_any_of_1), .any_of_2(cells_any_of_2), .lost1(cells_lost1), .lost2(cells_lost2), .lost3(cells_lost3),
    .i_lost1(cells_i_lost1), .i_lost2(cells_i_lost2), .i_lost3(cells_i_lost3), .ahead_cell(cells_ahead_cell), .known2(cells_known2),
    .x_cell(cells_x_cell),
    .s1_o(s1), .s_o(s0), .i1_o(i1), .j1_o(j1), .stream1_o(stream1), .first1_o(first1), .i_o(i0), .j_o(j0), .stream_o(stream0), .first_o(first0), .z4_o(z4), .holds_o(rotor_holds[5:0])
  );
  assign rotor_holds[6] = 1;
  wire [W-1:0] rotor_i = cells_i2 + 2 * K;  // of the group in stage 0
  // No register of the core tells whether a group is in stage 3: it writes nothing where its rounds are lost.
  reg live3;
  always @(posedge clk_i) if (step) live3 <= cells_live[0] && !cells_rst_i;
  wire [3:0] rotor_live = {cells_live, live3};
  wire [4:0] rotor_z_wanted = cells_z_wanted;
  wire rotor_z_i = cells_z_i;
  wire [K*W-1:0] rotor_z_o = cells_z_o;
