// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_wb without its registers with a model of one access at a time. Assumption of all bits of holds_o but the lowest: the master
// obeys the classic cycle of Wishbone B4, so an access stays unchanged until its answer. The registers may answer in any clock; with an
// error they give zero. Bits of holds_o, from the highest:
//   The registers see the master's accesses, unchanged, and no others. They see none in the clock of its answer, so each is done once.
//   Each access gets one answer, ack or err, in the clock after it is done. There is no other answer.
//   Read data stand on the bus with their ack. At any other time the bus shows zero.
//   stall_o is low in the clock of an answer and without a cycle, and only then.
//   An access waits for the registers alone: they see it at once, or in the clock after an answer.
//   There is no answer without an access, whatever the master does.
module bench (
  input clk_i, rst_i, cyc_i, stb_i, we_i, core_ready_o, core_error_o, core_interrupt_o,
  input [5:0] adr_i,
  input [3:0] sel_i,
  input [31:0] dat_i, core_data_o,
  output [5:0] holds_o
);
  wire ack_o, err_o, stall_o, interrupt_o, core_clk_i, core_rst_i, core_valid_i, core_write_i;
  wire [31:0] dat_o;
  wire [5:0] core_address_i;
  wire [3:0] core_strobe_i;
  wire [31:0] core_data_i;
  dut core (.*);

  reg known = 0;
  wire access = cyc_i && stb_i;

  // The master's access that has no answer yet.
  reg waits, we, lawful;
  reg [5:0] adr;
  reg [3:0] sel;
  reg [31:0] dat;
  wire is_lawful = lawful && (!waits || access && we_i == we && adr_i == adr && sel_i == sel && dat_i == dat)
    && (!core_valid_i || !core_ready_o || !(core_error_o || we_i) || core_data_o == 0);
  // The answer that must come in this clock.
  reg owed, failed, was_write;
  reg [31:0] read;
  wire done = access && !owed && core_ready_o;
  always @(posedge clk_i) begin
    waits <= access && !(ack_o || err_o);
    {we, adr, sel, dat} <= {we_i, adr_i, sel_i, dat_i};
    {owed, failed, was_write, read} <= {done, core_error_o, we_i, core_data_o};
    lawful <= is_lawful;
    if (rst_i) {known, lawful, waits, owed} <= 4'b1100;
  end
  assign holds_o = {{5{!known || !is_lawful}} | {
    core_valid_i == (access && !owed) && core_rst_i == rst_i
      && (!core_valid_i || core_write_i == we_i && core_address_i == adr_i && core_strobe_i == sel_i && core_data_i == dat_i),
    ack_o == (owed && !failed) && err_o == (owed && failed) && (!owed || access),
    dat_o == (ack_o && !was_write ? read : 0),
    stall_o == (cyc_i && !ack_o && !err_o),
    !access || core_valid_i || ack_o || err_o
  }, !known || access || !ack_o && !err_o};
endmodule
