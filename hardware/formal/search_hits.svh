// SPDX-License-Identifier: MIT OR Apache-2.0
// The key `mine` with its words, the engines' answers and the hits, in the model of search_control.sv. At the end the liveness.

  // The key `mine`: its engine, and its clocks in a turn. The reset chooses it.
  reg [LANE-1:0] mine;
  always @(posedge clk_i) if (!known) mine <= mine_i;
  wire [7:0] my_engine = mine >> 3;
  wire far = C > 1 && my_engine >= 8;  // it gets the commands a clock later
  function automatic at_mine(input [1:0] group, input [1:0] slot);
    at_mine = group == mine[2:1] && slot == mine[0];
  endfunction

  // A word that an engine decodes.
  function automatic [W-1:0] decoded(input [31:0] codes, input [8:0] number);
    for (int b = 0; b < W; b = b + 1) begin
      decoded[b] = codes[4*b +: 4] == 1;
      for (int q = 0; q < 9; q = q + 1) if (codes[4*b +: 4] == 3 + q && number[q]) decoded[b] = 1;
    end
  endfunction
  function automatic fits_text(input [31:0] codes, input [W-1:0] word, input [W-1:0] care);
    fits_text = 1;
    for (int b = 0; b < W; b = b + 1) if (codes[4*b + 1] == care[b] || care[b] && codes[4*b] != word[b]) fits_text = 0;
  endfunction

  // What the codes are to be for this clock, and when: the words of the key with their commands, and the word of the text five clocks after
  // the comparison's command. They leave four clocks later, two clocks after the command of this clock.
  wire gets_key = scheduling && (at_mine(group_now, slot_now) || group_now == mine[2:1] && slot_now == 2);
  wire [M-1:0] word_at = slot_now == 2 ? second_word : first_word;
  wire [7:0] text_turn = {group_now, slot_now} >= {2'd1, 2'd2} ? turn_now : turn_now - 1;
  wire [7:0] text_half = text_turn - (N / 2 + 1), text_at = text_half / 2;
  wire [1:0] text_group = slot_now == 2 ? group_now - 1 : group_now - 2, text_slot = slot_now == 2 ? 0 : slot_now + 1;
  wire gets_text = running_now && !sweeping && turn_now != 0 && text_turn > N / 2 && text_turn < total && text_half[0]
    && at_mine(text_group, text_slot);
  reg [2*W+2:0] due, due_1, due_2, due_3, due_4, due_5;
  always @* begin
    due = 0;
    for (int n = 0; n < L; n = n + 1)
      if (gets_key && word_at == n) due = {1'b0, slot_now == 2, 1'b1, {W{1'b0}}, word_of(kinds[4*W*n +: 4*W], base[W*n +: W], mine)};
    for (int n = 0; n < T; n = n + 1) if (gets_text && text_at == n) due = {3'b100, care[W*n +: W], text[W*n +: W]};
  end
  always @(posedge clk_i) {due_1, due_2, due_3, due_4, due_5} <= known ? {due, due_1, due_2, due_3, due_4} : 0;
  function automatic given(input [31:0] codes, input [2*W+2:0] due, input [LANE-1:0] mine);
    given = (!due[2*W] || decoded(codes, {mine >> 3, due[2*W + 1] && mine[0]}) == due[W-1:0])
      && (!due[2*W + 2] || fits_text(codes, due[W-1:0], due[2*W-1:W]));
  endfunction
  wire words_right = given(first[CODES +: 32], due_4, mine) && (C == 1 || given(chain[CODES +: 32], due_5, mine));
  wire words_coming = given(codes[31:0], due_3, mine) && given(codes[63:32], due_2, mine)
    && (!due_1[2*W] || told[SCHEDULE] && word_of(kinds_1, base_1, mine) == due_1[W-1:0] && told[GROUP +: 2] == mine[2:1]
      && told[SLOT +: 2] == (due_1[2*W + 1] ? 2 : mine[0]))
    && (!due_1[2*W + 2] || !told[SCHEDULE] && text_1[2*W-1:W] == due_1[2*W-1:W] && text_1[W-1:0] == due_1[W-1:0]);

  // The engines.
  function automatic [11:0] probe_of(input [60:0] told);
    probe_of = {told[PROBE], told[NUMBER +: 8], told[PAIR +: 3]};
  endfunction
  reg good;         // `mine` fits as far as it was compared
  reg [3:0] since;  // clocks since the last command that changes that
  wire [60:0] mine_told = far ? chain[60:0] : first;
  wire for_mine = at_mine(mine_told[GROUP +: 2], mine_told[SLOT +: 2]);
  wire starts_mine = for_mine && mine_told[SCHEDULE] && mine_told[START], compares_mine = for_mine && mine_told[COMPARE];
  reg [12*C-1:0] probe_1, probe_2;  // of each cluster, one and two clocks ago
  reg [E-1:0] answers;              // of engine e
  always @(posedge clk_i) begin
    if (starts_mine) good <= 1; else if (compares_mine) good <= good && fits_i;
    since <= starts_mine || compares_mine ? 1 : since == 15 ? 15 : since + 1;
    for (int c = 0; c < C; c = c + 1) probe_1[12*c +: 12] <= probe_of(chain >> 61 * (C-1-c));
    probe_2 <= probe_1;
  end
  always @* begin
    for (int e = 0; e < E; e = e + 1)
      if (probe_2[12*(e/8) + 11])
        answers[e] = probe_2[12*(e/8) + 3 +: 8] == e && (my_engine == e && probe_2[12*(e/8) +: 3] == mine[2:0] ? good : any_i[e]);
      else answers[e] = any_i[e] || my_engine == e && good && since >= 11;
  end
  assign free_i = answers;
  // The engine has done the last comparison when a probe asks.
  wire probe_lawful = !mine_told[PROBE] || since >= 9 || lived < 2 + far;

  // The questions, a key at a time, and the words of a key found.
  reg [LANE-1:0] ask;
  reg [7:0] waited;  // clocks since the probe
  reg giving;        // words of the key
  reg [7:0] word_no;
  reg [1:0] times;   // that `mine` was found in this batch
  localparam LISTENS = ANSWER - 8;
  assign probes = asking && !giving && waited == 0;
  wire pushes = core_valid_i && core_ready_o;
  wire answered = asking && !giving && waited == LISTENS;
  wire found = any[0];
  wire passes = answered && !found || pushes && word_no == number - 1;
  always @* begin
    over = (state == STREAMING || state == DRAINING) && dead && slot == 2 && !starting && !wipe;
    asks = (state == STREAMING || state == DRAINING) && marks[0] && lasts[0] && found && !wipe;
  end
  always @(posedge clk_i) begin
    waited <= waited + 1;
    if (answered && found) {giving, word_no} <= {1'b1, 8'd0};
    if (pushes) begin
      word_no <= word_no + 1;
      if (word_no == number - 1 && ask == mine && times != 3) times <= times + 1;
    end
    if (passes) begin
      {giving, waited} <= 0;
      ask <= ask + 1;
      if (ask == limit) {asking, asked} <= 1;
    end
    if (asks) {asking, giving, waited, ask} <= {1'b1, 1'b0, 8'd0, {LANE{1'b0}}};
    if (begins) times <= 0;
    if (over) asked <= 0;
    if (wipe) {asking, asked} <= 0;
  end
  reg push_right;
  always @* begin
    push_right = !core_valid_i || asking && giving && word_no < number && core_data_i[W] == (word_no == number - 1);
    for (int n = 0; n < L; n = n + 1)
      if (core_valid_i && word_no == n && core_data_i[W-1:0] != word_of(kinds[4*W*n +: 4*W], base[W*n +: W], ask)) push_right = 0;
  end
  wire over_right = !over || times == (good && mine <= limit);

  // Clocks from the end of a second turn, in the turns after it.
  wire rounds = running_now && !sweeping && turn_now >= N / 2 + 3;
  wire odd_turn = half[0];
  wire [7:0] pos = 3 * group_now + slot_now, my_pos = 3 * mine[2:1] + mine[0];
  wire [7:0] after = pos + (odd_turn ? 13 : 1);
  // Since the last comparison that the engine has.
  wire own_done = odd_turn && turn_now < total && pos >= my_pos + 3 + far;
  wire [7:0] elapsed = pos + (own_done ? 0 : odd_turn ? 24 : 12) - my_pos;
  wire [7:0] second_turn = N / 2 + 2;  // of the first round
  // The commands of the clocks before: k clocks ago.
  function automatic compared(input [7:0] turn, input [7:0] pos, input [7:0] k, input [7:0] total, input [7:0] my_pos);
    reg [7:0] there, half;
    there = pos >= k ? turn : turn - 1;
    half = there - (N / 2 + 1);
    compared = there > N / 2 && there < total && half[0] && (pos >= k ? pos - k : pos + 12 - k) == my_pos;
  endfunction
  function automatic compare_of(input [RUNS:0] command, input [LANE-1:0] mine);
    compare_of = command[COMPARE] && command[GROUP +: 2] == mine[2:1] && command[SLOT +: 2] == mine[0];
  endfunction
  wire lone = !command_1[TURN] && (command_1[SCHEDULE] || command_1[COMPARE]) || !command_2[TURN] && (command_2[SCHEDULE] || command_2[COMPARE])
    || !command_3[TURN] && (command_3[SCHEDULE] || command_3[COMPARE]);
  wire schedules = command_1[SCHEDULE] || command_2[SCHEDULE] || command_3[SCHEDULE];
  wire my_compares = compare_of(command_1, mine) || compare_of(command_2, mine) || compare_of(command_3, mine);

  reg hits_right;
  always @* begin
    hits_right = 1;
    // The last commands.
    if (lone) hits_right = 0;
    if (running_now && !sweeping) begin
      if ((rounds || turn_now == second_turn && pos >= 1) && compare_of(command_1, mine) != compared(turn_now, pos, 1, total, my_pos)) hits_right = 0;
      if ((rounds || turn_now == second_turn && pos >= 2) && compare_of(command_2, mine) != compared(turn_now, pos, 2, total, my_pos)) hits_right = 0;
      if ((rounds || turn_now == second_turn && pos >= 3) && compare_of(command_3, mine) != compared(turn_now, pos, 3, total, my_pos)) hits_right = 0;
    end
    if (running_now && !sweeping && turn_now > N / 2 && schedules) hits_right = 0;
    if (running_now && !sweeping && turn_now == N / 2
      && (pos >= 1 && command_1[SCHEDULE] || pos >= 2 && command_2[SCHEDULE] || pos >= 3 && command_3[SCHEDULE])) hits_right = 0;
    if ((asking || asked) && (schedules || my_compares)) hits_right = 0;
    if ((command_1[PROBE] || command_2[PROBE] || command_3[PROBE]) && (since < 11 || schedules || my_compares)) hits_right = 0;
    // The answers to come.
    for (int k = 1; k <= ANSWER; k = k + 1) begin
      if (running_now && marks[ANSWER-k] != (rounds && after == k)) hits_right = 0;
      if (running_now && lasts[ANSWER-k] != (rounds && after == k && turn_now >= total)) hits_right = 0;
      if ((asking || asked) && (lasts != 0 || marks[ANSWER-k] != (asking && !giving && waited != 0 && k == 8 + waited))) hits_right = 0;
      for (int j = 0; j < C; j = j + 1)
        if (rounds && marks[ANSWER-k] && k == 13 + j && (!far || j > 0) && good && !any[C-1-j]) hits_right = 0;
    end
    if ((rounds || running_now && turn_now == second_turn && own_done) && elapsed >= 3 + far && since < 15 && since < elapsed - 2 - far) hits_right = 0;
    if (running_now && dead && !(rounds && odd_turn && pos >= C && pos <= 2 && !good)) hits_right = 0;
    if (running_now && turn_now >= total && !(turn_now == total || turn_now == total + 1 && pos <= (dead ? 2 : C - 1))) hits_right = 0;
    if ((running_now && !begins || asked && mine > limit) && times != 0) hits_right = 0;
    if ((asking || asked) && since < 11) hits_right = 0;
    // The questions.
    if (asking) begin
      if (lane_no != ask || ask > limit) hits_right = 0;
      if (!giving && waited > LISTENS || giving && word_no >= number) hits_right = 0;
      if (times != (mine < ask && good && mine <= limit)) hits_right = 0;
      if (giving && ask == mine && !good) hits_right = 0;
      if (giving ? state != FETCHING && state != HANDING || m0 != word_no : state != (waited == 0 ? PROBING : LISTENING)) hits_right = 0;
      if (!giving && waited > 1 && m0 != 0) hits_right = 0;
      for (int n = 0; n < L; n = n + 1)
        if (state == HANDING && m0 == n && (base_1 != base[W*n +: W] || kinds_1 != kinds[4*W*n +: 4*W])) hits_right = 0;
      if (!giving && waited == 1 && probe_of(told) != 12'h800 + ask) hits_right = 0;
      for (int j = 0; j < C; j = j + 1) begin
        if (!giving && waited == 2 + j && probe_of(chain >> 61 * (C-1-j)) != 12'h800 + ask) hits_right = 0;
        if (!giving && waited == 3 + j && probe_1[12*j +: 12] != 12'h800 + ask) hits_right = 0;
        if (!giving && waited == 4 + j && probe_2[12*j +: 12] != 12'h800 + ask) hits_right = 0;
        if (!giving && waited == 5 + j && ask == mine && any[C-1-j] != (good && (!far || j > 0))) hits_right = 0;
      end
    end
    if (asked && times != (good && mine <= limit)) hits_right = 0;
  end

  // The last probes are gone from the pipeline when a batch begins.
  reg [3:0] probed;  // clocks since
  wire [3:0] probed_now = told[PROBE] ? 0 : probed;
  always @(posedge clk_i) probed <= probed_now == 15 ? 15 : probed_now + 1;
  reg probes_gone;
  always @* begin
    probes_gone = 1;
    for (int j = 0; j < C; j = j + 1) begin
      if (lived >= 2 + j && chain[61*(C-1-j) + PROBE] && probed_now != 1 + j) probes_gone = 0;
      if (lived >= 3 + j && probe_1[12*j + 11] && probed_now != 2 + j) probes_gone = 0;
      if (lived >= 4 + j && probe_2[12*j + 11] && probed_now != 3 + j) probes_gone = 0;
    end
    if (asking && !giving && probed_now < 15 && (waited == 0 ? probed_now < 3 + C : probed_now != waited - 1)) probes_gone = 0;
    if ((giving && asking || asked) && probed_now < 3 + C) probes_gone = 0;
    if (running_now && probed_now < 4 + C || !running_now && !asking && !asked && probed_now < since_wipe && probed_now < 4 + C) probes_gone = 0;
  end

  // Liveness: the clocks of this batch, or of the search's start, and the most that remain.
  localparam LONGEST = 12 * (N / 2 + 1 + 2 * T) + ANSWER + 8 * E * (5 + C + 2 * L) + 3;
  reg [15:0] age;
  always @(posedge clk_i) age <= accepted ? 0 : begins ? 1 : core_valid_i && !core_ready_o ? age : age + 1;
  wire [15:0] age_now = begins ? 0 : age;
  wire [7:0] each = 5 + C + 2 * number;
  wire [15:0] all_asked = (limit + 16'd1) * each + 3;
  reg [15:0] remain;
  always @* begin
    if (starting && !begins) remain = state == SORTING ? W - bit_no + 4 : state == STORING ? 4 : 3 - slot;
    else if (dead) remain = 3 - slot;
    else if (asking) remain = (limit - ask) * each + 3 + (giving ? 2 * (number - word_no) - (state == HANDING) : each - waited);
    else remain = 12 * total + (sweeping ? 0 : ANSWER + all_asked) - (12 * turn_now + pos);
  end
  wire ends = !whole || age_now + remain <= LONGEST;
