// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_skid with the list of the transfers that entered and have not left. No transfer is lost, doubled or out of order. A waiting
// transfer stays unchanged. Without a transfer data_o does not change. These are the first three bits of holds_o; the last two are the
// invariant of the registers.
module bench #(
  parameter BITS = 4
) (
  input clk_i, rst_i, valid_i, ready_i,
  input [BITS-1:0] data_i,
  output [4:0] holds_o
);
  wire ready_o, valid_o;
  wire [BITS-1:0] data_o;
  wire head_valid, tail_free;
  wire [BITS-1:0] tail;
  dut core (.*);

  reg known = 0;
  reg [1:0] number;
  reg [2*BITS-1:0] list;  // the first transfer lowest
  reg waits;              // a transfer was offered and not taken
  reg wiped;              // a reset came before this clock
  reg [BITS-1:0] shown;
  wire put = valid_i && ready_o, get = valid_o && ready_i;
  always @(posedge clk_i) begin
    waits <= !rst_i && valid_o && !ready_i;
    wiped <= rst_i;
    shown <= data_o;
    number <= number + put - get;
    if (get) list <= list >> BITS;
    if (put) begin
      if (number - get == 0) list[BITS-1:0] <= data_i;
      else list[2*BITS-1:BITS] <= data_i;
    end
    if (rst_i) {known, number} <= {1'b1, 2'd0};
  end
  assign holds_o = {
    !known || !get || (number > 0 && data_o == list[BITS-1:0]),
    !known || !waits || (valid_o && data_o == shown),
    !known || valid_o || wiped || data_o == shown,
    !known || (head_valid == (number > 0) && tail_free == (number < 2) && number < 3),
    !known || number == 0 || (data_o == list[BITS-1:0] && (number < 2 || tail == list[2*BITS-1:BITS]))
  };
endmodule
