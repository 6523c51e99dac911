// What the benches of rc4_meter and rc4_axis share: the bytes of keystream that came, without those to be dropped, and are not used,
// beside the registers that hold them. A bench says when K bytes come (`put`, `put_z`), how many are used in this clock (`used`),
// and when a new stream begins (`begin_stream`), of which `begin_drop` bytes are dropped.
  reg [15:0] drop_left; // bytes still to drop of those that come
  reg [7:0] number;     // bytes in the list
  reg [32*K-1:0] list;  // first lowest
  reg [32*K-1:0] next;
  reg [7:0] count;
  reg [15:0] left;
  always @* begin
    next = list >> (8 * used);
    count = number - used;
    left = drop_left;
    if (put)
      for (int b = 0; b < K; b = b + 1)
        if (left != 0) left = left - 1;
        else begin
          for (int c = 0; c < 4 * K; c = c + 1)
            if (count == c) next[8*c +: 8] = put_z[8*b +: 8];
          count = count + 1;
        end
  end
  always @(posedge clock) begin
    {list, number, drop_left} <= {next, count, left};
    if (begin_stream) {number, drop_left} <= {8'd0, begin_drop};
  end

  // The words that are there, first lowest; of their bytes `gone` are dropped or used, or will be of those that come.
  wire [7:0] K8 = K;
  reg [32*K-1:0] all;
  reg [7:0] there;
  wire [17:0] gone = words * K + place;
  reg same, shown;
  always @* begin
    all = buffered_tail;
    there = buffered_tail_free ? 0 : K;
    if (buffered_head_valid) {all, there} = {all[24*K-1:0], buffered_head, there + K8};
    if (high_valid) {all, there} = {all[24*K-1:0], high, there + K8};
    if (low_valid) {all, there} = {all[24*K-1:0], low, there + K8};
    same = number == (there > gone ? there - gone : 0) && drop_left == (gone > there ? gone - there : 0);
    if (gone < 4 * K) all = all >> (8 * gone);
    for (int b = 0; b < 4 * K; b = b + 1)
      if (b < number && list[8*b +: 8] != all[8*b +: 8]) same = 0;
    shown = 1;
    for (int b = 0; b < K; b = b + 1)
      if (window_valid && window[8*(place + b) +: 8] != list[8*b +: 8]) shown = 0;
    shown = shown && (!window_valid || number >= K);
  end
  wire counted = place < K && dropping == (words != 0) && !(dropping && (low_valid || high_valid));
  wire ordered = buffered_tail_free || buffered_head_valid;
