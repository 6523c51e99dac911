// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_regs with two lists: the bytes that the bus wrote and the stream has not taken, and the bytes that the stream returned and
// the bus has not read. The stream is a free rc4_axis: it accepts and returns transfers at any time. It accepts data only after a complete
// key, returns one transfer for each transfer, and is empty after a reset (axis.sv proves this). For keystream, the registers send zeros.
// Bits of holds_o, from the highest:
//   STATUS.key_wanted and STATUS.busy say whether bytes of the key are to be written: then a write of KEY is no error, otherwise it is one.
//   The stream sees the value that DROP had when the bytes of the key were written.
//   The stream gets the written bytes of the key and no others, each once, in order, with the last one marked.
//   The stream gets the written data and no others, each once, in order, with their strobes.
//   A read of DATA gives the next four returned bytes, and an error if they are not there. There is room for all bytes to come.
//   An access waits only for the bytes of the previous access. A KEY_LENGTH or DROP that does not fit is an error.
//   A wipe on the bus wipes the stream in the next clock, and a reset in the same clock.
// The lower bits are the invariant of the registers. STATUS.streaming is 0 until the stream is ready for data.
module bench #(
  parameter K = 2, L = 3, WORDS = 2, BEATS = 4 / K
) (
  input clk_i, rst_i, valid_i, write_i, takes_key_i, takes_i, gives_i, core_busy, core_key_error, core_m_axis_tlast,
  input [K-1:0] core_m_axis_tkeep,
  input [5:0] address_i,
  input [3:0] strobe_i,
  input [31:0] data_i,
  input [8*K-1:0] core_m_axis_tdata,
  output [10:0] holds_o
);
  wire ready_o, error_o, interrupt_o;
  wire [31:0] data_o;
  wire core_aclk, core_aresetn, core_clear, core_s_key_tvalid, core_s_key_tready, core_s_key_tlast;
  wire core_s_axis_tvalid, core_s_axis_tready, core_s_axis_tlast, core_m_axis_tvalid, core_m_axis_tready;
  wire [15:0] core_drop;
  wire [7:0] core_s_key_tdata;
  wire [8*K-1:0] core_s_axis_tdata;
  wire [K-1:0] core_s_axis_tkeep;
  // The registers.
  wire [1:0] state;
  wire mode_keystream, stop;
  wire [31:0] key_word, in_word, parts;
  wire [3:0] key_keep, in_keep;
  wire [8:0] key_left;
  wire [$clog2(BEATS+1)-1:0] in_beats;
  wire [$clog2(BEATS)-1:0] part_no;
  wire [$clog2(WORDS+1)-1:0] claimed, waiting_count;
  wire [32*WORDS+31:0] waiting_held;
  dut core (.*);

  localparam CLOSED = 0, LOADING = 1, SCHEDULING = 2, STREAMING = 3;
  localparam CONTROL = 3, STATUS = 4, DROP = 6, KEY_LENGTH = 7, KEY = 8, DATA = 9;

  reg known = 0;
  wire [3:0] register = address_i[5:2];
  wire taken = valid_i && ready_o && !error_o;
  wire wipe = valid_i && write_i && (register == CONTROL && strobe_i[0] && data_i[0] || register == KEY_LENGTH && strobe_i != 0);

  // The stream.
  reg whole, opened;  // the key is complete; the stream was ready for data under this key
  reg [7:0] inside;  // the number of transfers in the stream
  assign core_s_key_tready = takes_key_i;
  assign core_s_axis_tready = takes_i && whole;
  assign core_m_axis_tvalid = gives_i && inside != 0;
  wire key_goes = core_s_key_tvalid && core_s_key_tready;
  wire goes = core_s_axis_tvalid && core_s_axis_tready;
  always @(posedge clk_i) begin
    whole <= whole || key_goes && core_s_key_tlast;
    opened <= opened || core_s_axis_tready;
    inside <= inside + goes - core_m_axis_tvalid;
    if (!core_aresetn) {whole, opened, inside} <= 0;
  end

  // The bytes of the key that the stream has not taken, the first one lowest, and their number. The numbers of bytes that the stream has
  // not taken, and that the bus has not written. The drop of the key.
  reg [31:0] keys, keys_next, put;
  reg [2:0] key_number, key_count, put_number;
  reg [8:0] missing, unwritten;
  reg [15:0] drop;
  always @* begin
    put = 0;
    put_number = 0;
    for (int b = 0; b < 4; b = b + 1)
      if (strobe_i[b]) begin
        put[8*put_number +: 8] = data_i[8*b +: 8];
        put_number = put_number + 1;
      end
    {keys_next, key_count} = {keys, key_number};
    if (key_goes) {keys_next, key_count} = {keys >> 8, core_s_key_tlast ? 3'd0 : key_number - 3'd1};
    if (taken && write_i && register == KEY) {keys_next, key_count} = {put, put_number};
  end

  // The data that the stream has not taken, and the returned data, in transfers, the first one lowest.
  wire [7:0] BEATS8 = BEATS;
  reg [31:0] data;
  reg [3:0] keep;
  reg [7:0] beats, back_number;
  reg [32*WORDS-1:0] back;
  wire fills = state == STREAMING && mode_keystream && beats == 0 && claimed != WORDS;
  wire comes = core_m_axis_tvalid && !stop;
  wire reads = taken && !write_i && register == DATA;
  reg [32*WORDS-1:0] back_next;
  reg [7:0] back_count;
  always @* begin
    {back_next, back_count} = {back, back_number};
    if (reads) {back_next, back_count} = {back >> 32, back_number - BEATS8};
    for (int n = 0; n < WORDS * BEATS; n = n + 1)
      if (comes && back_count == n) back_next[8*K*n +: 8*K] = core_m_axis_tdata;
    back_count = back_count + comes;
  end
  always @(posedge clk_i) begin
    {keys, key_number} <= {keys_next, key_count};
    missing <= missing - key_goes;
    if (taken && write_i && register == KEY) begin
      unwritten <= unwritten > put_number ? unwritten - put_number : 0;
      drop <= core_drop;
    end
    if (goes) {data, keep, beats} <= {data >> 8 * K, keep >> K, beats - 8'd1};
    if (fills) {data, keep, beats} <= {32'd0, 4'hf, BEATS8};
    if (taken && write_i && register == DATA) {data, keep, beats} <= {data_i, strobe_i, BEATS8};
    {back, back_number} <= {back_next, back_count};
    if (wipe) begin
      {key_number, unwritten, beats, back_number} <= 0;
      if (taken && register == KEY_LENGTH) {missing, unwritten} <= {2{data_i[8:0]}};
    end
    if (rst_i) {known, key_number, unwritten, beats, back_number} <= {1'b1, 28'd0};
  end

  reg was_wiped;
  always @(posedge clk_i) was_wiped <= wipe || rst_i;

  // The invariant of the registers.
  reg [31:0] packed_keys;
  reg [2:0] packed_number;
  reg lists;
  always @* begin
    packed_keys = 0;
    packed_number = 0;
    for (int b = 0; b < 4; b = b + 1)
      if (key_keep[b]) begin
        packed_keys[8*packed_number +: 8] = key_word[8*b +: 8];
        packed_number = packed_number + 1;
      end
    lists = waiting_count == back_number / BEATS && part_no == back_number % BEATS && waiting_held[31:0] == 0;
    for (int n = 0; n < WORDS; n = n + 1)
      if (waiting_held[32*(WORDS-n) +: 32] != (n < back_number / BEATS ? back[32*n +: 32] : 0)) lists = 0;
    for (int n = 0; n < WORDS * BEATS; n = n + 1)
      for (int p = 0; p < BEATS; p = p + 1)
        if (p < back_number % BEATS && n == back_number - 1 - p && parts[32 - 8*K*(p+1) +: 8*K] != back[8*K*n +: 8*K]) lists = 0;
  end
  reg same_keys;
  always @* begin
    same_keys = packed_number == key_number;
    for (int b = 0; b < 4; b = b + 1) if (b < key_number && packed_keys[8*b +: 8] != keys[8*b +: 8]) same_keys = 0;
  end
  wire whole_key = state == SCHEDULING || state == LOADING && unwritten == 0;
  wire too_long = strobe_i != 0 && (strobe_i != 4'hf || (register == DROP ? data_i > 65535 : data_i == 0 || data_i > L));
  assign holds_o = {11{!known}} | {
    (!taken || write_i || register != STATUS || data_o[1:0] == {whole_key, unwritten != 0})
      && (!write_i || register != KEY || error_o == (unwritten == 0))
      && unwritten == (state == LOADING && key_left > key_number ? key_left - key_number : 0),
    key_number == 0 || core_drop == drop,
    !core_s_key_tvalid || key_number != 0 && core_s_key_tdata == keys[7:0] && core_s_key_tlast == (missing == 1),
    core_s_axis_tvalid == (beats != 0) && (beats == 0 || core_s_axis_tdata == data[8*K-1:0] && core_s_axis_tkeep == keep[K-1:0]),
    !reads || back_number >= BEATS && data_o == back[31:0],
    (ready_o || write_i && ((register == KEY || register == DROP) && key_keep != 0 || register == DATA && beats != 0))
      && (!write_i || register != DROP && register != KEY_LENGTH || error_o == too_long),
    core_aresetn == !(rst_i || was_wiped) && !core_clear && core_m_axis_tready,
    same_keys && (key_number == 0 || key_left == missing && state == LOADING) && (state != LOADING || key_left == missing && missing != 0 && missing <= L),
    in_beats == beats && (beats == 0 || in_word == data && in_keep == keep && state == STREAMING && !stop) && beats <= BEATS && in_word >> 8 * K * beats == 0,
    lists && back_number <= WORDS * BEATS,
    stop == was_wiped && claimed <= WORDS && (stop ? claimed == 0 && beats == 0 && back_number == 0 : BEATS * claimed == beats + inside + back_number)
      && inside <= WORDS * BEATS && (stop || whole == (state == SCHEDULING || state == STREAMING)) && (!stop || state == CLOSED || state == LOADING)
      && (state != STREAMING || opened) && (state == STREAMING || stop || inside == 0 && beats == 0 && back_number == 0)
  };
endmodule
