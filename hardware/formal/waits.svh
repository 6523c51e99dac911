// How long a core can make its reader wait: `clocks` are those since the last word, or since a key began, in which the core has a
// whole key, its enable and a reader, and no word leaves. A bench says how many more there can be (`to_come`), and how many there
// are at most (`LONGEST`).
  reg [7:0] clocks;
  always @(posedge clk_i)
    if (wipe || take || read || !run) clocks <= 0;
    else if (ce_i && z_ready_i) clocks <= clocks + 1;
  wire goes_on = run ? clocks + to_come <= LONGEST : key_ready_o == ce_i && clocks == 0;
