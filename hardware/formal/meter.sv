// SPDX-License-Identifier: MIT OR Apache-2.0
// rc4_meter beside the list of the bytes it took, without those to be dropped, and has not given: what the window shows
// from its place on are the next of them, in their order.
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
  wire [B-1:0] used = take_i && valid_o ? use_i : 0;
  wire put = z_valid_i && z_ready_o;

  reg known = 0;
  reg [15:0] drop;      // bytes still to drop of those that come
  reg [7:0] number;     // bytes in the list
  reg [32*K-1:0] list;  // first lowest
  reg [32*K-1:0] next;
  reg [7:0] count;
  reg [15:0] left;
  always @* begin
    next = list >> (8 * used);
    count = number - used;
    left = drop;
    if (put)
      for (int b = 0; b < K; b = b + 1)
        if (left != 0) left = left - 1;
        else begin
          for (int c = 0; c < 4 * K; c = c + 1)
            if (count == c) next[8*c +: 8] = z_i[8*b +: 8];
          count = count + 1;
        end
  end
  always @(posedge clk_i) begin
    {list, number, drop} <= {next, count, left};
    if (rst_i) {known, number, drop} <= {1'b1, 8'd0, drop_i};
  end

  // The words that are there, first lowest; of their bytes `gone` are dropped or used, or will be of those that come.
  reg [32*K-1:0] all;
  reg [7:0] there;
  wire [17:0] gone = words * K + place_o;
  reg same, shown;
  always @* begin
    all = buffered_tail;
    there = buffered_tail_free ? 0 : K;
    if (buffered_head_valid) {all, there} = {all[24*K-1:0], buffered_head, there + K8};
    if (high_valid) {all, there} = {all[24*K-1:0], high, there + K8};
    if (low_valid) {all, there} = {all[24*K-1:0], low, there + K8};
    same = number == (there > gone ? there - gone : 0) && drop == (gone > there ? gone - there : 0);
    if (gone < 4 * K) all = all >> (8 * gone);
    for (int b = 0; b < 4 * K; b = b + 1)
      if (b < number && list[8*b +: 8] != all[8*b +: 8]) same = 0;
    shown = 1;
    for (int b = 0; b < K; b = b + 1)
      if (valid_o && window_o[8*(place_o + b) +: 8] != list[8*b +: 8]) shown = 0;
  end
  wire [7:0] K8 = K;
  assign holds_o = {4{!known}} | {
    shown && (!valid_o || number >= K),  // what follows for whoever uses it
    same,
    place_o < K && dropping == (words != 0) && !(dropping && (low_valid || high_valid)),
    buffered_tail_free || buffered_head_valid
  };
endmodule
