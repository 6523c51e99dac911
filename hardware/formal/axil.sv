// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_axil_port with a model of one access at a time. Assumption: the master obeys AXI, so an offer stays unchanged until the
// port takes the offer. The registers may answer in any clock. Bits of holds_o, from the highest:
//   The port takes address and data of a write together, and takes no access before the previous answer.
//   The registers see each accepted access, unchanged, until they answer. They see no other access.
//   Each access gets one answer, on the channel of the access, with the registers' answer. The answer stays until the master takes it.
//   Write data stand at the registers only during a write. Read data stand on the bus only with their answer.
//   The port takes a write, and a read, within LONGEST clocks. Clocks in which the registers or the master delay the port do not count.
// The lower bits are the invariant of the port's registers.
module bench #(
  parameter A = 6
) (
  input aclk, aresetn, s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid, s_axil_rready, ready_i, error_i,
  input [A-1:0] s_axil_awaddr, s_axil_araddr,
  input [31:0] s_axil_wdata, data_i,
  input [3:0] s_axil_wstrb,
  output [6:0] holds_o
);
  wire s_axil_awready, s_axil_wready, s_axil_arready, s_axil_bvalid, s_axil_rvalid, valid_o, write_o;
  wire [1:0] s_axil_bresp, s_axil_rresp;
  wire [31:0] s_axil_rdata, data_o;
  wire [A-1:0] address_o;
  wire [3:0] strobe_o;
  // The port's registers.
  wire [1:0] state;
  wire was_write;
  dut core (.*);

  localparam IDLE = 0, ACCESSING = 1, ANSWERING = 2;

  reg known = 0;

  // The master's offer that the port has not taken.
  reg aw_waits, w_waits, ar_waits;
  reg [A-1:0] awaddr, araddr;
  reg [31:0] wdata;
  reg [3:0] wstrb;
  reg lawful;
  wire is_lawful = lawful && (!aw_waits || s_axil_awvalid && s_axil_awaddr == awaddr)
    && (!w_waits || s_axil_wvalid && s_axil_wdata == wdata && s_axil_wstrb == wstrb)
    && (!ar_waits || s_axil_arvalid && s_axil_araddr == araddr);
  always @(posedge aclk) begin
    aw_waits <= s_axil_awvalid && !s_axil_awready;
    w_waits <= s_axil_wvalid && !s_axil_wready;
    ar_waits <= s_axil_arvalid && !s_axil_arready;
    {awaddr, araddr, wdata, wstrb} <= {s_axil_awaddr, s_axil_araddr, s_axil_wdata, s_axil_wstrb};
    lawful <= is_lawful;
    if (!aresetn) {known, lawful, aw_waits, w_waits, ar_waits} <= {2'b11, 3'b000};
  end

  // One access: accepted, answered by the registers, answered on the bus.
  wire takes_write = s_axil_awvalid && s_axil_awready, takes_data = s_axil_wvalid && s_axil_wready;
  wire takes_read = s_axil_arvalid && s_axil_arready;
  wire takes = takes_write || takes_read;
  reg open, owed, kept_write, failed;
  reg [A-1:0] kept_address;
  reg [3:0] kept_strobe;
  reg [31:0] kept_data, answer;
  wire is_write = takes ? takes_write : kept_write;
  wire [A-1:0] address = takes_write ? s_axil_awaddr : takes_read ? s_axil_araddr : kept_address;
  wire [3:0] strobe = takes_write ? s_axil_wstrb : takes_read ? 0 : kept_strobe;
  wire [31:0] to_write = takes_write ? s_axil_wdata : takes_read ? 0 : kept_data;
  wire done = (open || takes) && ready_i;
  wire given = s_axil_bvalid && s_axil_bready || s_axil_rvalid && s_axil_rready;
  always @(posedge aclk) begin
    {kept_write, kept_address, kept_strobe, kept_data} <= {is_write, address, strobe, to_write};
    open <= (open || takes) && !ready_i;
    owed <= done || owed && !given;
    if (done) {failed, answer} <= {error_i, data_i};
    if (!aresetn) {open, owed} <= 0;
  end

  // The clocks that a write and a read have waited, and the most that remain.
  localparam LONGEST = 6;
  wire flows = !(valid_o && !ready_i) && !(s_axil_bvalid && !s_axil_bready) && !(s_axil_rvalid && !s_axil_rready);
  wire write_there = s_axil_awvalid && s_axil_wvalid;
  reg [7:0] write_waits, read_waits;
  always @(posedge aclk) begin
    if (!write_there || takes_write || !aresetn) write_waits <= 0; else if (flows) write_waits <= write_waits + 1;
    if (!s_axil_arvalid || takes_read || !aresetn) read_waits <= 0; else if (flows) read_waits <= read_waits + 1;
  end
  wire [7:0] to_idle = state == ACCESSING ? 2 : state == ANSWERING ? 1 : 0;
  wire [7:0] to_write_taken = takes_write ? 0 : !was_write ? 1 + to_idle : state == IDLE ? (s_axil_arvalid ? 4 : 1) : 4 + to_idle;
  wire [7:0] to_read_taken = takes_read ? 0 : was_write ? 1 + to_idle : state == IDLE ? (write_there ? 4 : 1) : 4 + to_idle;

  wire first = s_axil_awready || s_axil_arready;
  assign holds_o = {7{!known || !is_lawful}} | {
    takes_write == takes_data && !(takes_write && takes_read) && !(takes && (open || owed)),
    valid_o == (open || takes)
      && (!valid_o || write_o == is_write && address_o == address && strobe_o == strobe && data_o == to_write),
    s_axil_bvalid == (owed && kept_write) && s_axil_rvalid == (owed && !kept_write)
      && (!s_axil_bvalid || s_axil_bresp == {failed, 1'b0}) && (!s_axil_rvalid || s_axil_rresp == {failed, 1'b0} && s_axil_rdata == answer),
    (valid_o && write_o || data_o == 0) && (s_axil_rvalid || s_axil_rdata == 0),
    !write_there || write_waits + to_write_taken <= LONGEST,
    !s_axil_arvalid || read_waits + to_read_taken <= LONGEST,
    // An access that is accepted in this clock was offered in the previous clock, and is kept here.
    s_axil_awready == s_axil_wready && !(s_axil_awready && s_axil_arready) && state != 3
      && (state == ACCESSING) == (open || first) && (state == ANSWERING) == owed && !(open && first) && (first || state == IDLE || was_write == kept_write)
      && (!s_axil_awready || aw_waits && w_waits && was_write && address_o == awaddr && strobe_o == wstrb && data_o == wdata)
      && (!s_axil_arready || ar_waits && !was_write && address_o == araddr && strobe_o == 0 && data_o == 0)
      && (!open || write_o == kept_write && address_o == kept_address && strobe_o == kept_strobe && data_o == kept_data)
  };
endmodule
