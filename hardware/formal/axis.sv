// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_axis without its core with lists of the transfers that entered and have not left. The core is free: it may give any
// words at any time, but no word before the second clock after a complete key. (pipe.sv and spec.sv prove that the words are RC4's.) A
// core that is ready for a key stays ready until the key is complete (key.sv proves this).
//
// A transfer is in `pending` until it is xored with its keystream, and then in `due`, with its final data. The wrapper chooses the
// clock by `take`. The proof shows that in this clock the next transfer and the next bytes of keystream are there.
// Bits of holds_o, from the highest:
//   The output is the next due transfer: data, keep and last.       An output that waits stays unchanged.
//   A transfer enters only after a complete key.                    A key begins only if no transfer is pending.
//   The core gets the bytes of accepted keys one clock later, and is ready for them. The wrapper is busy from the last byte on.
//   aresetn, clear and a key that is too long wipe the core.
//   The core has a complete key only if the bus has one, or if the core is being wiped or gets the first byte of another key.
//   key_error belongs to the last key.
// Then the invariant of the registers. The last bits:
//   Before the first transfer of a key enters, s_axis_tready is high only if keystream for a whole transfer is there.
//   A transfer leaves, a key enters, and the first transfer enters, within the stated numbers of clocks.
module bench #(
  parameter K = 2, L = 2, B = $clog2(2 * K), T = 9 * K + 1
) (
  input aclk, aresetn, clear, s_key_tvalid, s_key_tlast, s_axis_tvalid, s_axis_tlast, m_axis_tready,
  input [15:0] drop,
  input [7:0] s_key_tdata,
  input [8*K-1:0] s_axis_tdata,
  input [K-1:0] s_axis_tkeep,
  input core_takes_i, core_busy_o, core_answers_i,
  input [8*K-1:0] core_z_o,
  output [20:0] holds_o
);
  wire busy, key_error, s_key_tready, s_axis_tready, m_axis_tvalid, m_axis_tlast;
  wire [8*K-1:0] m_axis_tdata;
  wire [K-1:0] m_axis_tkeep;
  wire core_clk_i, core_rst_i, core_ce_i, core_clear_i, core_key_valid_i, core_key_last_i, core_z_ready_i, core_z_valid_o, core_key_ready_o;
  wire [7:0] core_key_i;
  // The registers.
  wire [2:0] state;
  wire [$clog2(L)-1:0] key_count;
  wire [15:0] drop_taken;
  wire key_open, too_long, take, valid1, valid2, room0, room3, coming_valid, window_valid;
  wire [T-1:0] coming, transfer1, leaving, input_buffer_tail, output_buffer_tail;
  wire [K*B-1:0] number1;
  wire [B-1:0] used1, place;
  wire [16*K-1:0] window;
  wire [8*K-1:0] low, high, buffered_head, buffered_tail;
  wire low_valid, high_valid, dropping, buffered_head_valid, buffered_tail_free;
  wire [16-B:0] words;
  dut core (.*);

  localparam CLOSED = 0, LOADING = 1, DISCARDING = 2, STARTED = 3, WAITING = 4, STREAMING = 5, DRAINING = 6;

  reg known = 0;
  wire rst = !aresetn;

  // The state of the key's port: no key, part of a key, part of a refused key, a complete key.
  localparam NONE = 0, PART = 1, REFUSED = 2, WHOLE = 3;
  reg [1:0] key;
  reg [7:0] bytes;  // of the key that is being written
  reg error, refused;
  reg given, given_last;  // the core gets a byte of the key, the last byte, in this clock
  reg [7:0] given_byte;
  reg [15:0] given_drop;
  wire key_taken = s_key_tvalid && s_key_tready;
  wire key_begins = key_taken && (key == NONE || key == WHOLE);
  wire [7:0] byte_number = key == PART ? bytes + 1 : 1;
  wire key_whole = key_taken && key != REFUSED && s_key_tlast;
  always @(posedge aclk) begin
    refused <= 0;
    {given, given_last, given_byte, given_drop} <= {key_taken && key != REFUSED, s_key_tlast, s_key_tdata, drop};
    if (key_taken) begin
      bytes <= byte_number;
      if (key == REFUSED) key <= s_key_tlast ? NONE : REFUSED;
      else begin
        error <= !s_key_tlast && byte_number == L;
        refused <= !s_key_tlast && byte_number == L;
        key <= s_key_tlast ? WHOLE : byte_number == L ? REFUSED : PART;
      end
    end
    if (clear) begin
      {error, given} <= 0;
      key <= (key_taken ? !s_key_tlast : key == PART || key == REFUSED) ? REFUSED : NONE;
    end
    if (rst) {known, key, error, refused, given} <= {1'b1, 2'd0, 3'd0};
  end

  // The core's view: a key of L bytes is complete without the mark of the last byte.
  reg core_whole, core_just, core_ready;
  reg [7:0] core_bytes;
  wire core_key_taken = core_key_valid_i && core_key_ready_o;
  assign core_key_ready_o = core_takes_i || core_ready;
  assign core_z_valid_o = core_answers_i && core_whole && !core_just;
  always @(posedge aclk) begin
    core_just <= 0;
    core_ready <= core_key_ready_o && !(core_key_taken && (core_key_last_i || core_bytes == L - 1));
    if (core_key_taken) begin
      core_whole <= core_key_last_i || core_bytes == L - 1;
      core_just  <= core_key_last_i || core_bytes == L - 1;
      core_bytes <= core_key_last_i || core_bytes == L - 1 ? 0 : core_bytes + 1;
    end
    if (core_rst_i || core_clear_i) {core_whole, core_just, core_bytes, core_ready} <= 1;
  end

  wire clock = aclk;
  wire put = core_z_valid_o && core_z_ready_i;
  wire [8*K-1:0] put_z = core_z_o;
  wire begin_stream = given && given_last;  // the core's key is complete
  wire [15:0] begin_drop = given_drop;
  wire [B-1:0] used;
  `include "window.svh"

  // The transfers, the first one lowest.
  reg [3*T-1:0] pending, due, pending_next, due_next;
  reg [7:0] pending_number, due_number, pending_count, due_count;
  wire [T-1:0] first = pending[T-1:0];
  wire got = s_axis_tvalid && s_axis_tready, gave = m_axis_tvalid && m_axis_tready;
  wire [T-1:0] offered = {s_axis_tlast, s_axis_tkeep, s_axis_tdata};
  reg [T-1:0] met;  // the first pending transfer, xored with its keystream
  reg [7:0] ones;
  always @* begin
    met = first;
    ones = 0;
    for (int b = 0; b < K; b = b + 1) begin
      met[8*b +: 8] = first[8*K + b] ? first[8*b +: 8] ^ list[8*ones +: 8] : 0;
      if (first[8*K + b]) ones = ones + 1;
    end
    {pending_next, pending_count, due_next, due_count} = {pending, pending_number, due, due_number};
    if (gave) {due_next, due_count} = {due_next >> T, due_count - 8'd1};
    if (take) begin
      for (int c = 0; c < 3; c = c + 1) if (due_count == c) due_next[T*c +: T] = met;
      due_count = due_count + 1;
      {pending_next, pending_count} = {pending_next >> T, pending_count - 8'd1};
    end
    if (got) begin
      for (int c = 0; c < 3; c = c + 1) if (pending_count == c) pending_next[T*c +: T] = offered;
      pending_count = pending_count + 1;
    end
  end
  assign used = take ? ones : 0;
  reg waits;
  reg [T-1:0] waited;
  wire [T-1:0] output_ = {m_axis_tlast, m_axis_tkeep, m_axis_tdata};
  always @(posedge aclk) begin
    {pending, pending_number, due, due_number} <= {pending_next, pending_count, due_next, due_count};
    waits <= m_axis_tvalid && !m_axis_tready && aresetn;
    waited <= output_;
    // clear discards the transfers without keystream, the transfer that gets its keystream in this clock, and a transfer that finds the
    // output occupied.
    if (clear) {pending_number, due_number} <= {8'd0, due_count - (take || valid2 && !room3)};
    if (rst) {pending_number, due_number} <= 0;
  end

  // The invariant of the registers.
  reg kind, numbers, lists;
  reg [7:0] before;
  always @* begin
    case (state)
      CLOSED: kind = key == NONE || key == WHOLE;
      LOADING: kind = key == PART && bytes == key_count && bytes > 0 && bytes < L && core_bytes + given == bytes && !(given && given_last)
        && (!core_whole || given && bytes == 1);
      DISCARDING: kind = key == REFUSED;
      STARTED: kind = key == WHOLE && given && given_last && drop_taken == given_drop;
      WAITING, STREAMING, DRAINING: kind = key == WHOLE && core_whole;
      default: kind = 0;
    endcase
    kind = kind && (state == LOADING || key_count == 0) && (state == LOADING || state == STARTED || too_long || core_bytes == 0)
      && (state == STREAMING || state == DRAINING || pending_number == 0)
      && (!core_just || state == WAITING && number == 0) && (!given || core_ready && (state == LOADING || state == STARTED || too_long))
      && too_long == refused && (!too_long || state == DISCARDING)
      && key_open == (state == CLOSED || state == LOADING || state == DISCARDING || state == WAITING);
    numbers = 1;
    before = 0;
    for (int b = 0; b < K; b = b + 1) begin
      if (number1[B*(K-1-b) +: B] != before) numbers = 0;
      if (transfer1[8*K + b]) before = before + 1;
    end
    numbers = !valid1 || numbers && used1 == before;
    lists = pending_number == valid1 + coming_valid + !room0 && due_number == m_axis_tvalid + !room3 + valid2
      && (room0 || coming_valid) && (room3 || m_axis_tvalid);
    if (valid1 && pending[T-1:0] != transfer1) lists = 0;
    if (coming_valid && (valid1 ? pending[T +: T] : pending[T-1:0]) != coming) lists = 0;
    if (!room0 && (valid1 ? pending[2*T +: T] : pending[T +: T]) != input_buffer_tail) lists = 0;
    if (m_axis_tvalid && due[T-1:0] != output_) lists = 0;
    if (!room3 && due[T +: T] != output_buffer_tail) lists = 0;
    if (valid2 && (!room3 ? due[2*T +: T] : m_axis_tvalid ? due[T +: T] : due[T-1:0]) != leaving) lists = 0;
  end
  wire metered = state == WAITING || state == STREAMING || state == DRAINING;

  // True after the first transfer under this key.
  reg fed;
  always @(posedge aclk) fed <= got || fed && !key_begins && !clear && !rst;
  wire promised = (!s_axis_tready || fed || number >= K) && (state != STREAMING || fed || window_valid && pending_number == 0);

  // Liveness: counters of clocks, and bounds on the clocks that remain. Assumptions: the core gives a word whenever the wrapper asks. For
  // transfers and keys, the reader takes every transfer.
  localparam LEAVES = 6, LET_IN = 30, OPENS = 3;
  wire gives = core_z_valid_o || !core_z_ready_i;
  wire flows = gives && m_axis_tready;
  // Clocks until the window is full, and until the next `take`.
  wire [1:0] held = low_valid + high_valid;
  wire [17:0] fills = dropping ? words + 2 + !buffered_head_valid : held == 2 ? 0 : 2 - held + !buffered_head_valid;
  wire [7:0] blocked = !room3 ? 1 + valid2 : valid2 && m_axis_tvalid;
  wire [7:0] takes = pending_number == 0 ? 0 : !valid1 + fills[1:0] + blocked;
  // A transfer leaves within LEAVES clocks of the previous one.
  wire [7:0] leaves = m_axis_tvalid ? 0 : valid2 ? 1 : 2 + !valid1 + fills[1:0];
  wire none = pending_number == 0 && due_number == 0;
  reg [7:0] slow;
  always @(posedge aclk) if (gave || none || clear || rst) slow <= 0; else if (flows) slow <= slow + 1;
  // An offered key waits at most LET_IN clocks. After that it waits for the core alone.
  reg [7:0] shut;
  always @(posedge aclk) if (!s_key_tvalid || key_open || clear || rst) shut <= 0; else if (flows) shut <= shut + 1;
  // Transfers may enter OPENS clocks after the core's first word, plus the dropped words.
  reg [15:0] dropped;
  reg [17:0] opening;
  always @(posedge aclk) begin
    if (begin_stream) dropped <= given_drop;
    if (state != WAITING) opening <= 0; else if (gives) opening <= opening + 1;
  end
  wire live_leaves = none || slow + leaves <= LEAVES;
  wire live_key = state == DRAINING ? shut + 7 * pending_number + takes < LET_IN
    : state == STREAMING || state == STARTED ? shut == 0 : shut <= LET_IN;
  wire live_opens = state != WAITING || opening + fills <= dropped / K + OPENS;
  wire live_meter = !(state == STREAMING || state == DRAINING) || !dropping;

  assign holds_o = {21{!known}} | {
    !gave || due_number > 0 && output_ == due[T-1:0],
    !waits || m_axis_tvalid && output_ == waited,
    !s_axis_tready || key == WHOLE,
    !key_begins || pending_number == 0,
    core_key_valid_i == given && (!given || core_key_ready_o && core_key_i == given_byte && core_key_last_i == given_last)
      && busy == (core_busy_o || given && given_last),
    core_rst_i == rst && core_clear_i == (clear || refused) && core_ce_i,
    !core_whole || key == WHOLE || core_clear_i || core_rst_i || given && core_bytes == 0,
    key_error == error,
    !take || pending_number > 0 && number >= ones,
    kind,
    numbers,
    lists,
    {4{!metered}} | {shown, same, counted, ordered},
    promised,
    live_leaves,
    live_key,
    live_opens,
    live_meter
  };
endmodule
