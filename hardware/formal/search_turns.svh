// SPDX-License-Identifier: MIT OR Apache-2.0
// The place in a batch and its commands, in the model of search_control.sv, and what the registers of rc4_search hold of them.

  // The place in a batch: a turn of twelve clocks for each pair of the schedule, one for the last pair, and two for each round of the
  // stream. `begins` is the first clock of a batch.
  reg starting;    // a key is accepted, and its first batch has not begun
  reg sweeping;    // the first batch is to come, or runs
  reg fresh;       // a batch may begin
  reg running;
  reg [7:0] turn;
  reg [1:0] group_at, slot_at;
  reg asking, asked;  // of the engines' keys, in search_hits.svh
  wire begins = state == SCHEDULING && pair == 0 && group_no == 0 && slot == 0;
  wire running_now = running || begins;
  wire [7:0] turn_now = begins ? 0 : turn;
  wire [1:0] group_now = begins ? 0 : group_at, slot_now = begins ? 0 : slot_at;
  wire [7:0] total = N / 2 + 1 + (sweeping ? 0 : 2 * words);
  wire swept = running_now && sweeping && turn_now == N / 2 && group_now == 3 && slot_now == 2;
  reg asks;
  always @(posedge clk_i) begin
    slot_at <= slot_now == 2 ? 0 : slot_now + 1;
    if (slot_now == 2) group_at <= group_now + 1; else group_at <= group_now;
    turn <= turn_now + (slot_now == 2 && group_now == 3);
    if (begins) {starting, fresh, running} <= 1;
    if (swept) {sweeping, fresh} <= 1;
    if (over) {running, fresh} <= !final_one;
    if (asks) running <= 0;
    if (accepted) {starting, sweeping, fresh} <= 7;
    if (wipe) {starting, sweeping, fresh, running} <= 0;
  end

  // The tag of the batch. Each batch has the other one than the batch before; a sweep has any.
  reg tag;
  wire tag_now = !begins ? tag : starting ? epoch : !tag;
  always @(posedge clk_i) tag <= tag_now;

  // The command for this clock.
  wire scheduling = running_now && turn_now < N / 2, last_pair = running_now && turn_now == N / 2;
  wire streaming = running_now && turn_now > N / 2 && turn_now < total;
  wire [7:0] half = turn_now - (N / 2 + 1);
  wire [W-1:0] i = half / 2 + 1;
  wire again = half[0];  // the second turn of a round
  wire [W-2:0] above = i[W-1:1] + 1;
  wire compares = streaming && again && slot_now != 2;
  wire probes;
  // Bits of a command, as `told` has them, and two more: this is a turn of a batch, and a batch runs.
  localparam GROUP = 0, SLOT = 2, SCHEDULE = 4, STEP = 5, COMPARE = 6, START = 7, SWEEP = 8, EPOCH = 9, PAIR = 10;
  localparam WRITE_EVEN = 17, WRITE_ODD = 18, ODD = 19, CODES = 20, PROBE = 52, NUMBER = 53, TURN = 61, RUNS = 62;
  reg [RUNS:0] command;
  always @* begin
    command = 0;
    command[TURN] = scheduling || last_pair || streaming;
    command[RUNS] = running_now;
    command[GROUP +: 2] = group_now;
    command[SLOT +: 2] = slot_now;
    command[SCHEDULE] = scheduling;
    command[STEP] = streaming && !again;
    command[COMPARE] = compares;
    command[START] = scheduling ? turn_now == 0 : streaming && i == 1 && !again;
    command[SWEEP] = sweeping;
    command[EPOCH] = tag_now;
    command[PAIR +: 7] = streaming ? above : scheduling ? turn_now : 0;
    command[WRITE_EVEN] = scheduling || last_pair || streaming && again && !i[0];
    command[WRITE_ODD] = scheduling || last_pair || streaming && again && i[0];
    command[ODD] = streaming && i[0];
    command[PROBE] = probes;
  end
  reg [RUNS:0] command_1, command_2, command_3;  // of the clocks before
  reg [1:0] third;  // the slot never misses a turn
  always @(posedge clk_i) begin
    {command_1, command_2, command_3} <= known ? {command, command_1, command_2} : 0;
    third <= third == 2 || rst_i ? 0 : third + 1;
  end

  // `told` is the command of the clock before. The chain passes it on. `start` has no meaning for the last pair.
  function automatic is_told(input [60:0] told, input [RUNS:0] command);
    is_told = {told[SCHEDULE], told[STEP], told[COMPARE], told[WRITE_EVEN], told[WRITE_ODD], told[PROBE]}
      == {command[SCHEDULE], command[STEP], command[COMPARE], command[WRITE_EVEN], command[WRITE_ODD], command[PROBE]}
      && (!(command[RUNS] || command[TURN]) || {told[GROUP +: 4], told[EPOCH]} == {command[GROUP +: 4], command[EPOCH]})
      && (!command[TURN] || {told[SWEEP], told[PAIR +: 7], told[ODD]} == {command[SWEEP], command[PAIR +: 7], command[ODD]})
      && (!(command[SCHEDULE] || command[STEP] || command[COMPARE]) || told[START] == command[START]);
  endfunction
  wire [60:0] first = chain >> 61 * (C - 1);
  wire told_right = (lived < 1 || is_told(told, command_1)) && (lived < 2 || is_told(first, command_2))
    && (lived < 3 || C == 1 || is_told(chain[60:0], command_3));

  // The clocks since the last command that writes or asks. Only after rst_i may a sweep have another tag than this one.
  reg [3:0] calm;
  reg last_tag;
  wire writes = told[SCHEDULE] || told[STEP] || told[WRITE_EVEN] || told[WRITE_ODD];
  always @(posedge clk_i) begin
    calm <= writes ? 1 : calm == 15 ? 15 : calm + 1;
    if (writes) last_tag <= told[EPOCH];
  end
  wire [3:0] calm_now = writes ? 0 : calm;
  wire tag_at_last = writes ? told[EPOCH] : last_tag;
  wire sweep_lawful = !(begins && starting) || calm_now >= 7 || tag_at_last == epoch;
  wire [3:0] since_wipe = state == SORTING ? 2 + bit_no : state == STORING ? 2 + W : state == DRAINING ? 3 + W : begins ? 4 + W : number != 0 || refused ? 3 + W : has_text;
  wire calms = tag_at_last == epoch || begins && !starting
    || (starting || !running && !asking && !asked) && (calm_now >= since_wipe || calm_now >= 7);

  wire tag_right = !(running_now || asking || asked) || epoch == tag_now;

  // The registers of the place.
  wire [2:0] some = number == 0 ? 1 : number;
  wire [3:0] round_no = 2 * turn_now[2:0];
  wire [M-1:0] first_word = round_no % some, second_word = (round_no + 1) % some;
  wire loads = state == IDLE || sorts || state == DISCARDING;
  wire quiet = marks == 0 && lasts == 0;  // no answer is awaited
  wire young = lived < 7 && (!loads && !starting && !begins || lived < since_wipe);
  reg placed_right;
  always @* begin
    case (state)
      IDLE: placed_right = !whole && !refused && m0 == number && number < L && (number == 0 || !error && words != 0);
      SORTING, STORING: placed_right = number == m0 + 1 && number <= L && words != 0 && ending == whole && refused == (!whole && number == L)
        && error == refused && (!whole || tried == 0);
      DISCARDING: placed_right = refused && error;
      SCHEDULING: placed_right = running_now && turn_now <= N / 2 && pair == turn_now && m0 == first_word && m1 == second_word
        && pass_1 == (passed != number) && !second && !dead && quiet;
      STREAMING: placed_right = streaming && !sweeping && pair == i && second == again;
      DRAINING: placed_right = starting && dead && quiet && !running || running && turn_now >= total && !sweeping && pair == words + 1 && !second
        || asked && dead;
      PROBING, LISTENING, FETCHING, HANDING: placed_right = asking && !dead;
      default: placed_right = 0;
    endcase
    if (loads && (running || asking || asked || dead || !quiet || sweep)) placed_right = 0;
    if (loads && (starting != whole || fresh != whole || sweeping != whole)) placed_right = 0;
    if (!loads && (!whole || number == 0 || number > L || last != number - 1 || sweep != sweeping)) placed_right = 0;
    if (running_now + (starting && !begins) + asking + asked > 1 || (asking || asked) && sweeping) placed_right = 0;
    if (running_now && state != SCHEDULING && state != STREAMING && state != DRAINING) placed_right = 0;
    if (asked && state != DRAINING || asking && state < PROBING || starting && !(whole && sweeping && fresh)) placed_right = 0;
    if (slot != third || slot == 3 || ending_12 != (slot == 2 && group_no == 3) && !(state == IDLE && slot == 0 && group_no == 0)) placed_right = 0;
    if (running_now && (slot != slot_now || group_no != group_now || starting && !begins)) placed_right = 0;
    // After the first reset.
    if (young || lived < 7 && (command_1[TURN] || command_2[TURN] || command_3[TURN] || command_1[PROBE] || command_2[PROBE] || command_3[PROBE]))
      placed_right = 0;
  end
