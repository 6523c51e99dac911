// SPDX-License-Identifier: MIT OR Apache-2.0
// The text, the key and the counter in the model of search_control.sv, and what the registers of rc4_search hold of them.

  // The text: the last one's words, as far as they fit.
  reg [W*T-1:0] text, care;
  reg [7:0] words;
  reg open;
  wire [7:0] word_number = open ? words : 0;
  wire has_text = !open && words != 0;
  always @(posedge clk_i) begin
    if (text_valid_i && text_ready_o) begin
      if (word_number < T) words <= word_number + 1;
      for (int n = 0; n < T; n = n + 1) if (word_number == n) {text[W*n +: W], care[W*n +: W]} <= {text_i, care_i};
      open <= !text_last_i;
    end
    if (wipe) {words, open} <= 0;
  end

  // The key: its words, and its masks. Then the masked bits of `base` that are counted go up from batch to batch.
  reg [W*L-1:0] base, masks;
  reg [7:0] number;
  reg whole, refused, error;  // the key is complete, and searched; it is too long; the last key was
  wire key_goes = key_valid_i && key_ready_o;
  wire accepted = key_goes && !refused && key_last_i;
  reg [63:0] tried;

  // The kind of each bit: 0 given, 1 counted, 2 and more the bits of the place in a batch, which are the lowest masked bits.
  reg [4*W*L-1:0] kinds;
  reg [W*L-1:0] counted;
  reg [7:0] placed;
  reg [8*W*L+7:0] before;  // such bits below each bit
  always @* begin
    placed = 0;
    for (int b = 0; b < W * L; b = b + 1) begin
      before[8*b +: 8] = placed;
      kinds[4*b +: 4] = !masks[b] ? 0 : placed < LANE ? 2 + placed : 1;
      counted[b] = b < W * number && masks[b] && placed >= LANE;
      if (b < W * number && masks[b] && placed < LANE) placed = placed + 1;
    end
    before[8*W*L +: 8] = placed;
  end
  wire [LANE-1:0] limit = (1 << placed) - 1;  // the last place of a batch

  // The counter. Bits that do not count pass the carry on.
  wire [W*L-1:0] ones = base | ~counted;
  wire [W*L:0] sum = {1'b0, ones} + 1;
  wire [W*L-1:0] next = sum & counted | base & ~counted;
  wire final_one = &ones;
  reg over;  // the batch ends in this clock
  always @(posedge clk_i) begin
    if (key_goes && refused) begin
      if (key_last_i) {refused, number} <= 0;
    end else if (key_goes) begin
      for (int n = 0; n < L; n = n + 1) if (number == n) {base[W*n +: W], masks[W*n +: W]} <= {key_i, mask_i};
      number <= number + 1;
      whole <= key_last_i;
      refused <= !key_last_i && number == L - 1;
      error <= !key_last_i && number == L - 1;
      if (key_last_i) tried <= 0;
    end
    if (over) begin
      tried <= tried + 1;
      base <= next;
      if (final_one) {whole, number} <= 0;
    end
    if (wipe) {whole, refused, number, error, tried} <= 0;
  end

  // A word of the key at one place of the batch.
  function automatic [W-1:0] word_of(input [4*W-1:0] kinds, input [W-1:0] base, input [LANE-1:0] place);
    for (int b = 0; b < W; b = b + 1) begin
      word_of[b] = base[b];
      for (int q = 0; q < LANE; q = q + 1) if (kinds[4*b +: 4] == 2 + q) word_of[b] = place[q];
    end
  endfunction

  // The RAMs. A word that is about to be written counts as written in `bases`.
  wire [4*4*W-1:0] ram_kinds = {kinds_cell_3, kinds_cell_2, kinds_cell_1, kinds_cell_0};
  wire [8*W-1:0] ram_bases = {bases_7, bases_6, bases_5, bases_4, bases_3, bases_2, bases_1, bases_0};
  wire [8*W-1:0] ram_texts = {texts_3, texts_2, texts_1, texts_0};
  reg [8*W-1:0] bases;
  localparam BANK = 1 << M;
  always @* begin
    bases = ram_bases;
    for (int n = 0; n < 2 * BANK; n = n + 1) if (base_on && base_at == n) bases[W*n +: W] = base_in;
  end

  // The words whose step of the counter is done, and the carry out of them. Word m takes its step in a clock of the schedule's first
  // pass: the first key's, and after that the clock of no key.
  wire counting = (running_now || asking || asked) && !sweeping;
  wire [7:0] begun = asking || asked || turn_now > N / 2 ? number : 2 * turn_now + (group_now != 0 || slot_now != 0) + (group_now != 0);
  wire [7:0] passed = begun < number ? begun : number;
  wire [7:0] done = passed - step_1;
  wire steps = running_now && !sweeping && turn_now < N / 2
    && (group_now == 0 && slot_now == 1 && 2 * turn_now < number || group_now == 1 && slot_now == 0 && 2 * turn_now + 1 < number);
  reg carries;
  always @* begin
    carries = 1;
    for (int b = 0; b < W * L; b = b + 1) if (b < W * done && !ones[b]) carries = 0;
  end

  reg text_held, key_held, base_held, sorted;
  always @* begin
    text_held = text_count == words && text_open == open && words <= T && (!open || words != 0);
    for (int n = 0; n < T; n = n + 1) if (n < words && ram_texts[2*W*n +: 2*W] != {care[W*n +: W], text[W*n +: W]}) text_held = 0;

    // The word that arrives.
    sorted = 1;
    for (int n = 0; n < L; n = n + 1)
      if (sorts && m0 == n) begin
        if (loaded != base[W*n +: W] || bit_no >= W || state == STORING && bit_no != W - 1) sorted = 0;
        for (int b = 0; b < W; b = b + 1) begin
          if (state == SORTING && bit_no == b)
            if (mask != masks[W*n +: W] >> b || seen != before[8*(W*n + b) +: 8]) sorted = 0;
          if (state == SORTING && bit_no > b && kinds_in[4*(W - bit_no + b) +: 4] != kinds[4*(W*n + b) +: 4]) sorted = 0;
        end
        if (state == STORING && (kinds_in != kinds[4*W*n +: 4*W] || seen != placed)) sorted = 0;
      end
    if ((state == IDLE || whole && state != SORTING) && seen != placed) sorted = 0;

    key_held = 1;
    base_held = 1;
    for (int n = 0; n < L; n = n + 1) begin
      if ((state == IDLE || sorts || whole) && n < number && !(sorts && m0 == n)) begin
        if (ram_kinds[4*W*n +: 4*W] != kinds[4*W*n +: 4*W]) key_held = 0;
        if (bases[W*(bank ? BANK + n : n) +: W] != base[W*n +: W]) base_held = 0;
      end
      if (counting && n < done && bases[W*(bank ? n : BANK + n) +: W] != next[W*n +: W]) base_held = 0;
      if (step_1 && whole && at_1 == n && (kinds_1 != kinds[4*W*n +: 4*W] || base_1 != base[W*n +: W])) base_held = 0;
    end
    // A step is of the word after those done. A write of a step goes to the other bank.
    if (running_now) begin
      if (step_1 != steps || step_1 && at_1 != done) base_held = 0;
      if (!sweeping && (turn_now != 0 || group_now != 0 || slot_now != 0) && carry != carries) base_held = 0;
      if (base_on && base_at >> M != !bank) base_held = 0;
    end else if (step_1 && (state != IDLE || words != 0) || base_on && sorts) base_held = 0;
    if ((asking || asked) && (step_1 || base_on || carry != final_one)) base_held = 0;
  end
