// SPDX-License-Identifier: MIT OR Apache-2.0
// Compares rc4_meter with the list of the bytes that entered and have not left, without the dropped bytes. The window shows the next
// bytes of this list, in order.
module bench #(
  parameter K = 2, B = $clog2(2 * K)
) (
  input clk_i, rst_i, z_valid_i, take_i,
  input [15:0] drop_i,
  input [8*K-1:0] z_i,
  input [B-1:0] use_any_i,
  output [3:0] holds_o
);
  wire [B-1:0] use_i;  // at most K
  wire z_ready_o, valid_o;
  wire [16*K-1:0] window_o;
  wire [B-1:0] place_o;
  wire [8*K-1:0] low, high, buffered_head, buffered_tail;
  wire low_valid, high_valid, dropping, buffered_head_valid, buffered_tail_free;
  wire [16-B:0] words;
  dut core (.*);
  assign use_i = use_any_i > K ? K : use_any_i;

  wire clock = clk_i;
  wire window_valid = valid_o;
  wire [16*K-1:0] window = window_o;
  wire [B-1:0] place = place_o;
  wire [B-1:0] used = take_i && valid_o ? use_i : 0;
  wire put = z_valid_i && z_ready_o;
  wire [8*K-1:0] put_z = z_i;
  wire begin_stream = rst_i;
  wire [15:0] begin_drop = drop_i;
  `include "window.svh"

  reg known = 0;
  always @(posedge clk_i) if (rst_i) known <= 1;
  assign holds_o = {4{!known}} | {shown, same, counted, ordered};  // the first bit is for modules that use this one
endmodule
