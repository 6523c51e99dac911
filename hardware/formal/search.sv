// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_search_engine with RC4, for one of its eight keys. At one clock holds_o says whether the engine has done RC4's step to this
// key's table. The command for the key comes after ten clocks, so that the commands in the pipeline are real ones. The RAM, the registers and
// the commands for the other keys are free.
//
//   PART 0   two rounds of the key schedule, S[2p] and S[2p + 1]
//   PART 1   after the last ones: the last pair is written
//   PART 2   the first turn of a round of the stream, for any i: S[i] is stored at S[j], and the old S[j] is about to be written
//   PART 3   the second turn: the old S[j] is written. The key still matches if it matched before and the word is the expected one
//   PART 4   two rounds of the schedule, or the last pair, in a sweep: the cells of its pair get the tag, and no cell loses it
//   PART 5   the first two rounds, S[0] and S[1]. The commands before the batch have the other tag and are arbitrary, with any group:
//            the batch cut their turn off. No cell has the batch's tag before
//   PART 6   a probe: the answer comes two clocks later
//
// In the parts 0, 3 and 5 the engine's answer 11 clocks after the command includes this key.
//
// The model has N = 8 cells. Before round 2p, cell c of the key is at address c + 2 if its pair is before p - 1. If its pair is p - 1, the cell
// is in the registers, and otherwise at address c. An address whose tag is not the key's holds its number. All commands of a batch have the same epoch.
module bench #(
  parameter PART = 0, Q = 0
) (
  input clk_i,
  input [1:0] any_group,
  input any_epoch, any_start, other_sweep,
  input [1:0] other_group,
  input [2:0] any_p,
  input [2:0] any_i,
  input other_schedule, other_step, other_compare, other_start, other_write_even, other_write_odd, other_odd, other_probe,
  input [6:0] other_pair,
  input [31:0] command_i_codes,
  input [7:0] command_i_number,
  output holds_o
);
  // The commands. The case to prove is chosen in the first clock.
  reg [5:0] count;
  reg [1:0] group;
  reg epoch, start;
  reg [2:0] p, i;
  wire [5:0] place = count + 2 + Q;
  wire own = count == 10, own_none = count == 12 - Q;
  localparam ROUNDS = PART == 0 || PART == 4 || PART == 5;
  wire before = PART == 5 && count + 3 * group + Q < 10;  // the batch
  wire [1:0] command_i_group_no = before ? other_group : group + place / 3, command_i_slot = place % 3;
  wire none = command_i_slot == 2;
  wire command_i_schedule = own || own_none ? ROUNDS && p != 4 : other_schedule;
  wire command_i_step = own ? PART == 2 : other_step;
  wire command_i_compare = own ? PART == 3 : !none && other_compare;
  wire command_i_start = own || own_none ? start && PART != 3 : other_start;
  wire command_i_sweep = PART == 4 && (own || own_none) || (before || PART == 4 || (PART == 2 || PART == 3) && !own) && other_sweep;
  wire command_i_epoch = epoch ^ before;
  wire command_i_write_even = own ? ROUNDS || PART == 1 || PART == 3 && !i[0] : other_write_even;
  wire command_i_write_odd = own ? ROUNDS || PART == 1 || PART == 3 && i[0] : other_write_odd;
  wire command_i_odd = own ? (PART == 2 || PART == 3) && i[0] : other_odd;
  wire [1:0] after_i = i[2:1] + 1;
  wire [6:0] command_i_pair = own && PART != 6 ? (PART == 2 || PART == 3 ? after_i : p[1:0]) : other_pair;
  wire command_i_probe = own ? PART == 6 : other_probe;
  wire alive_o;
  wire [3:0] cells_0, cells_1, cells_2, cells_3, cells_4, cells_5, cells_6, cells_7;
  wire [3:0] cells_8, cells_9, cells_10, cells_11, cells_12, cells_13, cells_14, cells_15;
  wire [3:0] cells_16, cells_17, cells_18, cells_19, cells_20, cells_21, cells_22, cells_23;
  wire [3:0] cells_24, cells_25, cells_26, cells_27, cells_28, cells_29, cells_30, cells_31;
  wire [3:0] cells_32, cells_33, cells_34, cells_35, cells_36, cells_37, cells_38, cells_39;
  wire [3:0] cells_40, cells_41, cells_42, cells_43, cells_44, cells_45, cells_46, cells_47;
  wire [3:0] cells_48, cells_49, cells_50, cells_51, cells_52, cells_53, cells_54, cells_55;
  wire [3:0] cells_56, cells_57, cells_58, cells_59, cells_60, cells_61, cells_62, cells_63;
  wire [2:0] kept_0, kept_1, kept_2, kept_3, kept_4, kept_5, kept_6, kept_7;
  wire [17:0] even_after;
  wire [5:0] odd_after;
  wire [7:0] alive;
  dut core (.*);

  // The key's table, j and state in this clock.
  wire [255:0] cells = {
    cells_63, cells_62, cells_61, cells_60, cells_59, cells_58, cells_57, cells_56,
    cells_55, cells_54, cells_53, cells_52, cells_51, cells_50, cells_49, cells_48,
    cells_47, cells_46, cells_45, cells_44, cells_43, cells_42, cells_41, cells_40,
    cells_39, cells_38, cells_37, cells_36, cells_35, cells_34, cells_33, cells_32,
    cells_31, cells_30, cells_29, cells_28, cells_27, cells_26, cells_25, cells_24,
    cells_23, cells_22, cells_21, cells_20, cells_19, cells_18, cells_17, cells_16,
    cells_15, cells_14, cells_13, cells_12, cells_11, cells_10, cells_9, cells_8,
    cells_7, cells_6, cells_5, cells_4, cells_3, cells_2, cells_1, cells_0
  };
  wire [2:0] turn = {group, Q[0]};
  wire [31:0] mine = cells[32*turn +: 32];
  wire [23:0] all_kept = {kept_7, kept_6, kept_5, kept_4, kept_3, kept_2, kept_1, kept_0};
  wire [2:0] kept = all_kept[3*turn +: 3];
  wire mine_alive = alive[7 - turn];
  wire [7:0] tags;
  genvar a;
  for (a = 0; a < 8; a = a + 1) assign tags[a] = mine[4*a + 3] == epoch;

  // S before round 2 * pair of the key schedule. Before round 8, with the last pair written, S is the table of the stream.
  function automatic [23:0] table_of(input [31:0] held, input [2:0] pair, input [5:0] written, input moved, input tag);
    reg [2:0] at;
    for (int c = 0; c < 8; c = c + 1) begin
      at = c[2:1] < pair ? c + 2 : c;
      table_of[3*c +: 3] = held[4*at + 3] == tag ? held[4*at +: 3] : at;
      if (!moved && c[2:1] + 3'd1 == pair) table_of[3*c +: 3] = written[3*(c % 2) +: 3];
    end
  endfunction
  wire [5:0] last_pair = {odd_after[2:0], even_after[8:6]};
  wire [2:0] next_p = p + 1;
  wire [23:0] s_before = table_of(mine, p, last_pair, PART == 2 || PART == 3, epoch);
  wire [23:0] s_after = table_of(mine, ROUNDS ? next_p : p, last_pair, !ROUNDS, epoch);

  // A word of the key: a code of four bits for each bit.
  function automatic [2:0] key_word(input [31:0] codes, input q);
    for (int b = 0; b < 3; b = b + 1) key_word[b] = codes[4*b +: 4] == 1 || q && codes[4*b +: 4] == 3;
  endfunction

  // The model.
  reg [23:0] s, t;
  reg [2:0] j, key0, key1, text, care, x, y, u, v;
  reg [5:0] waiting;
  reg [7:0] tags0;
  reg alive0, probed, told, settled, one, answered;
  reg [1:0] probes;
  reg [3:0] asked;
  always @* begin
    t = s;
    {x, y, u, v} = 0;
    if (ROUNDS) begin
      x = t[3*{p[1:0], 1'b0} +: 3];
      u = j + x + key0;
      y = t[3*u +: 3];
      t[3*u +: 3] = x;
      t[3*{p[1:0], 1'b0} +: 3] = y;
      x = t[3*{p[1:0], 1'b1} +: 3];
      v = u + x + key1;
      y = t[3*v +: 3];
      t[3*v +: 3] = x;
      t[3*{p[1:0], 1'b1} +: 3] = y;
    end else if (PART == 2) begin
      x = t[3*i +: 3];
      v = j + x;
      y = t[3*v +: 3];
      t[3*v +: 3] = x;
    end else if (PART == 3) begin
      x = t[3*i +: 3];
      y = waiting[2:0];
      t[3*i +: 3] = y;
      u = x + y;
      u = t[3*u +: 3];
      v = j;
    end
  end
  always @(posedge clk_i) begin
    count <= count + 1;
    if (count == 0) begin
      {group, epoch, start, i} <= {any_group, any_epoch, any_start || PART == 5, any_i};
      p <= PART == 0 ? any_p[1:0] : PART == 4 && any_p < 4 ? any_p : PART == 5 ? 0 : 4;
    end
    if (count == 11) {s, j, tags0, alive0, waiting} <= {s_before, start && PART != 3 ? 3'd0 : kept, tags, mine_alive, last_pair};
    if (count == 12) key0 <= key_word(command_i_codes, 0);
    if (count == 14 - Q) key1 <= key_word(command_i_codes, Q);
    if (count == 17)
      for (int b = 0; b < 3; b = b + 1) {text[b], care[b]} <= {command_i_codes[4*b], !command_i_codes[4*b + 1]};
    // The answers, and what they are to be.
    probes <= {probes[0], command_i_probe};
    if (count == 10) asked <= {command_i_number == 0, command_i_pair[2:0]};
    if (count == 11) probed <= asked[3] && alive[7 - asked[2:0]];
    if (count == 12) told <= alive_o;
    if (count == 20) {settled, one} <= {mine_alive, |alive};
    if (count == 21) answered <= alive_o == one || probes[1];
  end

  // A late exchange of the previous batch may take the tag of S[0] and S[1]'s free address again. The last pair gives it back.
  wire [7:0] written = PART == 5 ? 8'd0 : ROUNDS ? 8'd3 << 2*p[1:0] : PART == 1 ? 8'd3 : 8'd0;
  wire kept_tags = (tags & (tags0 | written)) == (tags0 | written);
  wire fits = ((u ^ text) & care) == 0;
  reg part;
  always @*
    case (PART)
      0, 5: part = kept == v && mine_alive == (start || alive0) && settled == mine_alive && answered;
      1: part = 1;
      2: part = kept == v && last_pair == {y, y};
      3: part = kept == v && mine_alive == (alive0 && fits) && settled == mine_alive && answered;
      4: part = 1;
      6: part = told == probed;
    endcase
  // The first turn of a round leaves the same word for both cells.
  wire left = PART != 3 || waiting[5:3] == waiting[2:0];
  wire untagged = PART != 5 || tags0 == 0;
  assign holds_o = !left || !untagged || part && (PART == 6 || kept_tags && (PART == 4 || s_after == t));
endmodule
