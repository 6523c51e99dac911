// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_search, without its engines and without the FIFO of its hits, with a model of one search. The FIFO may be full in any clock.
// The engines are free, except for their answers about one key of each batch, `mine`. This key is any key. In the model, an engine compares
// its word when the command comes, with any result. The engine answers as search.sv proves: 11 clocks after the last command for the key, and
// 2 clocks after a probe.
//
// The model is in three files: search_key.svh has the text, the key and the counter. search_turns.svh has the commands. search_hits.svh has
// the answers and the hits. Bits of holds_o, from the highest:
//   The core takes a text and a key only between searches, and a key only after a whole text. A key too long sets key_error_o and starts no
//     search.
//   After clear_i no search runs, and error, text and count are gone. The FIFO is emptied.
//   batches_o counts the batches. A search has a whole text, and is busy from its key on until all counted bits were ones.
//   A batch begins only at the start of a search, after its sweep and after the previous batch (two bits: never else, and then at once).
//   The commands of a batch are the turns of RC4's schedule and stream. There are no others, except the probes.
//   `mine` gets the words of its key, and each of its comparisons the word of the text. The key has the counter's next value in each batch.
//   A sweep begins if the last commands have its tag, or are so old that the engines have done them.
//   A probe asks when the engine has done the last comparison.
//   What enters the FIFO is the next word of the key that was asked for last, and that fits.
//   Until the end of its batch, `mine` has entered the FIFO once if it fits, and not at all if it does not fit.
//   A batch takes at most LONGEST clocks, and so does the start of a search. Clocks in which the FIFO is full do not count.
// The lower bits are the invariant of the registers.
module bench #(
  parameter L = 2, T = 2, E = 1,
  parameter N = 8, W = 3, M = L > 2 ? $clog2(L) : 1, LANE = 3 + $clog2(E), C = (E + 7) / 8, ANSWER = 12 + C
) (
  input clk_i, rst_i, clear_i, text_valid_i, text_last_i, key_valid_i, key_last_i, hit_ready_i, core_ready_o, core_valid_o, fits_i,
  input [W-1:0] text_i, care_i, key_i, mask_i,
  input [W:0] core_data_o,
  input [LANE-1:0] mine_i,
  input [E-1:0] any_i,
  output [20:0] holds_o
);
  wire text_ready_o, key_ready_o, key_error_o, busy_o, hit_last_o, hit_valid_o, core_clk_i, core_ready_i, core_valid_i, core_rst_i;
  wire [63:0] batches_o;
  wire [W-1:0] hit_o;
  wire [W:0] core_data_i;
  wire [E-1:0] free_i;
  // The registers.
  wire [3:0] state;
  wire [1:0] slot, group_no;
  wire ending_12, second, bank, epoch, sweep, pass_1, carry, dead, ending, key_error, text_open, step_1, base_on;
  wire [W-1:0] pair, loaded, mask, base_1, base_in;
  wire [M-1:0] m0, m1, last, at_1;
  wire [M:0] base_at;
  wire [4*W-1:0] kinds_in, kinds_1;
  wire [$clog2(W)-1:0] bit_no;
  wire [$clog2(LANE+1)-1:0] seen;
  wire [$clog2(T+1)-1:0] text_count;
  wire [LANE-1:0] lane_no;
  wire [60:0] told;
  wire [63:0] codes;
  wire [61*C-1:0] chain;
  wire [2*W-1:0] text_1;
  wire [C-1:0] any;
  wire [ANSWER-1:0] marks, lasts;
  wire [4*W-1:0] kinds_cell_0, kinds_cell_1, kinds_cell_2, kinds_cell_3;
  wire [W-1:0] bases_0, bases_1, bases_2, bases_3, bases_4, bases_5, bases_6, bases_7;
  wire [2*W-1:0] texts_0, texts_1, texts_2, texts_3;
  dut core (.*);

  localparam IDLE = 0, SORTING = 1, STORING = 2, DISCARDING = 3, SCHEDULING = 4, STREAMING = 5, DRAINING = 6;
  localparam PROBING = 7, LISTENING = 8, FETCHING = 9, HANDING = 10;
  wire sorts = state == SORTING || state == STORING;
  reg known = 0, wiped;
  reg [2:0] lived;  // clocks since the first reset, at most 7
  wire wipe = rst_i || clear_i;
  always @(posedge clk_i) begin
    if (rst_i) known <= 1;
    lived <= !known ? 0 : lived == 7 ? 7 : lived + 1;
    wiped <= wipe;
  end

  `include "search_key.svh"
  `include "search_turns.svh"
  `include "search_hits.svh"

  assign holds_o = {21{!known}} | {
    text_ready_o == !(whole || refused || sorts) && key_ready_o == (refused && !sorts || text_ready_o && has_text && !text_valid_i)
      && key_error_o == (error && !sorts),
    core_rst_i == wipe && !(wiped && (busy_o || key_ready_o || key_error_o || batches_o != 0)),
    (whole && sorts || batches_o == tried) && busy_o == (whole && !sorts) && !(whole && !has_text),
    !begins || fresh,
    !(fresh && !starting) || begins,
    told_right,
    words_right,
    sweep_lawful,
    probe_lawful,
    push_right && core_ready_i == hit_ready_i && hit_valid_o == core_valid_o && {hit_last_o, hit_o} == core_data_o,
    over_right,
    ends,
    words_coming,
    calms && tag_right,
    placed_right,
    text_held,
    sorted,
    key_held,
    base_held,
    hits_right,
    probes_gone
  };
endmodule
