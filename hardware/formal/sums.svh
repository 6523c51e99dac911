// SPDX-License-Identifier: MIT OR Apache-2.0
// The sums of rc4_spec and rc4_still; spec.sv and still.sv declare their registers. holds_o is an invariant: if all bits are 1 in one
// clock, all bits are 1 in the next, for all inputs. The highest bit: the core's output is the keystream. The next bit: the core makes
// progress.
//
// The words of stage 0 are right except in the two clocks after a hit in their group. In the first clock (any0), x and j are wrong from
// the first round that was hit. In the second clock (again), j alone is wrong. With C, the core is rc4_spec with CORRECT, and a hit
// takes the first clock alone.
  wire redo = again && !C;  // with C, again is any0
  wire begun = kind3[0];  // 0 until the clock in which the rotor is reset
  assign group_written = step && !wipe && !held && begun && rotor_live[0];

  reg [K-1:0] x_open, e_open;
  reg hit;
  always @* begin
    hit = 0;
    for (int r = 0; r < K; r = r + 1) begin
      if (hit0[K*(K-1-r) +: K] != 0) hit = 1;
      x_open[r] = any0 && hit;
      e_open[r] = any0 && hit || redo && r > 0;
    end
  end
  assign x0_open = x_open, e0_open = e_open;

  // The groups after the group in stage 0, up to the first group that uses the key.
  wire [3:0] k [1:3];
  assign k[1] = kind1, k[2] = kind2, k[3] = kind3;
  reg kinds, stream, first, last;
  reg [3:1] firsts, streams;
  reg [W-1:0] i;
  reg [W-1:0] here;
  always @* begin
    kinds = kind0[0] == rotor_live[3] && (!kind0[0] || kind0[3:1] == {stream1, first1, !stream1 && i1 == N - K});
    {i, stream, first} = {i0, stream0, first0};
    last = 0;
    here = 0;
    for (int g = 1; g <= 3; g = g + 1) begin
      here = rotor_i + g * K;
      last = !stream && i == N - K;
      firsts[g] = first;
      streams[g] = stream;
      if (k[g][0]) begin
        if (i != here || k[g] != {stream, first, last, 1'b1}) kinds = 0;
        i = i + K;
        stream = stream || last;
        first = last;
      end else if (i != 0 || stream || first || k[g] != 0 || j0 != 0) kinds = 0;
    end
    here = rotor_i + 4 * K;
    if (begun && i != here) kinds = 0;
    if (!begun) {i, stream} = 0;
  end
  assign i_next = i, stream_next = stream;

  // The words of the key of each group. For the groups after the first they are sums.
  function [W-1:0] word(input [W-1:0] at, input of_stream);
    word = of_stream ? 0 : kk[W*(at % L) +: W];
  endfunction
  // The latest of the first rounds in stage 0 whose j is this place.
  function [K-1:0] met(input [W-1:0] place, input [31:0] rounds);
    begin
      met = 0;
      for (int r = 0; r < K; r = r + 1)
        if (r < rounds && kind0[0] && `AT(e0, r) == place) met = 1 << (K - 1 - r);
    end
  endfunction

  reg keys, values, hits, added, bases;
  reg [W-1:0] sum3, sum2, sum1, sum0, at, place, v, xs, xs0, xp, e_before;
  always @* begin
    {keys, values, hits, added, bases} = 5'b11111;
    {sum2, sum1, sum0, sum3} = 0;
    {at, place, v, xs, xs0, xp} = 0;
    e_before = j1 - rotor_i + 3 * K;
    for (int r = 0; r < K; r = r + 1) begin
      at = rotor_i + 3 * K + r;
      sum3 = word(at, streams[3]) - (r == 0 ? K : 0);
      at = rotor_i + 2 * K + r;
      sum2 = sum2 + word(at, streams[2]) - (r == 0 ? K : 0);
      at = rotor_i + K + r;
      sum1 = sum1 + word(at, streams[1]) - (r == 0 ? K : 0);
      at = rotor_i + r;
      sum0 = sum0 + word(at, rotor_z_i) - (r == 0 ? K : 0);
      if (kind3[0] && `AT(key3, r) != sum3 || kind2[0] && `AT(key2, r) != sum2 || kind1[0] && `AT(key1, r) != sum1
        || !C && kind0[0] && `AT(key0, r) != sum0) keys = 0;

      // x2 does not include the group in stage 0. x1 does not include it before a hit is mended.
      at = rotor_i + 2 * K + r;
      if (kind2[0] && `AT(x2, r) != s1[W*at +: W]) values = 0;
      at = rotor_i + K + r;
      if (kind1[0] && (any0 || redo) && `AT(x1, r) != s1[W*at +: W]) values = 0;
      if (kind1[0] && !any0 && !redo) begin
        v = `AT(x1, r);
        for (int m = 0; m < K; m = m + 1)
          if (hit1[K*(K-1-r) + K-1-m]) v = `AT(x0, m);
        if (v != s0[W*at +: W]) values = 0;
        if (!C && go && `AT(x1, r) != s0[W*at +: W]) values = 0;
        xp = xp + (r == 0 && firsts[1] ? 0 : v);
      end
      if (!any0 && !redo) begin
        place = 4 * K + r;
        if (hit2[K*(K-1-r) +: K] != met(place, K)) hits = 0;
        place = 3 * K + r;
        if (hit1[K*(K-1-r) +: K] != met(place, K)) hits = 0;
      end
      // With K at most 2, only the second round can be hit by its group.
      place = 2 * K + r;
      if (any0 && hit0[K*(K-1-r) +: K] != met(place, r)) hits = 0;

      xs = xs + (r == 0 && firsts[1] ? 0 : `AT(x1, r));
      xs0 = xs0 + (r == 0 && kind0[2] ? 0 : `AT(x0, r));
      v = sums[2*W*(K-1-r) +: W] + sums[2*W*(K-1-r) + W +: W];
      if (!C && kind1[0] && !any0 && !redo && v != xs + sum1) added = 0;
      // With C, the sums do not include the group in stage 0: x_new and x_old do.
      if (C && kind1[0] && any0 && v != xs + sum1) added = 0;
      if (C && kind1[0] && !any0 && go && v + ((x_new - x_old) & {W{late[K-1-r]}}) != xp + sum1) added = 0;
      if (C && any0 && `AT(e0, r) != e_before + xs0 + sum0) added = 0;
      if (redo && v != xs0 + sum0) added = 0;
    end
    v = j0 - rotor_i + 2 * K;
    if (kind1[0] && !any0 && !redo && base_e != v) bases = 0;
    if (redo && base_e != e_before || !C && any0 && base_before != e_before) bases = 0;
    if (redo && right != {K{1'b1}}) bases = 0;
    if (C && !any0 && hit0 != 0) hits = 0;
    if ((any0 || redo) && (go || !kind0[0]) || any0 && (redo || hit0 == 0)) bases = 0;
  end

  wire open = known && !held;  // there are groups in the stages, or a group enters in the next clock
  wire idle = start && run && !keystream_head_valid && !keystream_tail_valid && !keystream_begun && go && !any0 && !redo
    && {kind3, kind2, kind1, kind0} == 0;

  // The stages up to the output, and the groups of the key up to the first group of the stream. With K = 1 this group gives no word. Each
  // group may be hit once. With K = 2 its group may hit it before, which takes two more clocks. For larger K this bound is not proven.
  localparam HIT = 2 * K;
  localparam LONGEST = 1 + HIT * (9 + N / K + 1 + 1);
  reg [7:0] stages;
  wire [8:0] wanted = {kind3[3] && kind3[0], kind2[3] && kind2[0], kind1[3] && kind1[0], rotor_z_i && kind0[0], rotor_z_wanted};
  reg passed;
  always @* begin
    stages = 9 + (stream_next ? 0 : (N - i_next) / K);
    passed = keystream_begun;
    for (int s = 0; s < 9; s = s + 1)
      if (wanted[s]) begin
        if (passed && stages >= 9) stages = s;
        passed = 1;
      end
    if (!passed) stages = stages + 1;
  end
  wire [7:0] to_come = held ? LONGEST : !begun ? LONGEST - 1 : keystream_head_valid ? 0 : HIT * (stages + 1) + (any0 ? 3 : redo ? 2 : !go);
  `include "waits.svh"

  assign holds_o = {
    !known || in_order,
    !known || goes_on,
    {2{!known}} | {held ? start : run, box},
    {2{!open}} | {key_right, begun || idle},
    {14{!open || !begun}} | {kinds, keys, values, hits, added, bases, out, rotor_holds}
  };
