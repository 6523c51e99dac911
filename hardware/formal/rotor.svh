// SPDX-License-Identifier: MIT OR Apache-2.0
// The registers of rc4_rotor in a core, and what they hold.
  wire rotor_z_i;
  wire [W-1:0] rotor_i;
  wire [N*W-1:0] rotor_s;
  wire [K*W-1:0] rotor_x0, rotor_x1, rotor_x2, rotor_x3, rotor_x4, rotor_e0, rotor_e1, rotor_e2, rotor_e3, rotor_e4;
  wire [K*W-1:0] rotor_y4, rotor_yy, rotor_u3, rotor_t4, rotor_known2, rotor_z_o;
  wire [3:0] rotor_live;
  wire [4:0] rotor_z_wanted;
  wire [K*H-1:0] rotor_half1, rotor_half3, rotor_half4;
  wire [K*ROWB-1:0] rotor_high2;
  wire [K-1:0] rotor_in_table2, rotor_any_own1, rotor_any_of_1, rotor_any_of_2, rotor_lost1, rotor_lost2, rotor_lost3;
  wire [K-1:0] rotor_ahead_cell;
  wire [K*ROWS*W-1:0] rotor_part2;
  wire [K*K-1:0] rotor_own_x1, rotor_x_of_1, rotor_x_of_2, rotor_y_of_1, rotor_y_of_2, rotor_y_of_1_late;
  wire [K*K-1:0] rotor_root1, rotor_root2, rotor_root3, rotor_ahead_1, rotor_ahead_2, rotor_ahead_3;
  rotor #(N, K, L, AHEAD) rotor (
    .s_i(m_s), .i_i(m_i), .j_i(m_j), .stream_i(m_stream), .first_i(m_first), .key_i(kk), .z_i(rotor_z_i), .x0_open_i(x0_open), .e0_open_i(e0_open),
    .i(rotor_i), .s(rotor_s), .x0(rotor_x0), .x1(rotor_x1), .x2(rotor_x2), .x3(rotor_x3), .x4(rotor_x4),
    .e0(rotor_e0), .e1(rotor_e1), .e2(rotor_e2), .e3(rotor_e3), .e4(rotor_e4), .y4(rotor_y4), .yy(rotor_yy),
    .u3(rotor_u3), .t4(rotor_t4), .live(rotor_live), .z_wanted(rotor_z_wanted), .half1(rotor_half1), .half3(rotor_half3),
    .half4(rotor_half4), .high2(rotor_high2), .in_table2(rotor_in_table2), .part2(rotor_part2), .own_x1(rotor_own_x1),
    .x_of_1(rotor_x_of_1), .x_of_2(rotor_x_of_2), .y_of_1(rotor_y_of_1), .y_of_2(rotor_y_of_2),
    .y_of_1_late(rotor_y_of_1_late), .root1(rotor_root1), .root2(rotor_root2), .root3(rotor_root3),
    .ahead_1(rotor_ahead_1), .ahead_2(rotor_ahead_2), .ahead_3(rotor_ahead_3), .any_own1(rotor_any_own1),
    .any_of_1(rotor_any_of_1), .any_of_2(rotor_any_of_2), .lost1(rotor_lost1), .lost2(rotor_lost2), .lost3(rotor_lost3),
    .ahead_cell(rotor_ahead_cell), .known2(rotor_known2),
    .s1_o(s1), .s_o(s0), .i1_o(i1), .j1_o(j1), .stream1_o(stream1), .first1_o(first1), .i_o(i0), .j_o(j0), .stream_o(stream0), .first_o(first0), .z4_o(z4), .holds_o(rotor_holds)
  );
