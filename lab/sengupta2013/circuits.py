"""The paper's circuits as block diagrams, drawn by us from its text and from what we rebuilt.

Registers have double sides, multiplexers and adders are boxes, comparators ellipses; an orange line is a value fed back.
"""

from __future__ import annotations

from lab.model import Diagram

RTL = "hardware/rtl/paper/"
REG = "shape=box, peripheries=2, style=solid"
CMP = 'shape=ellipse, style=solid, margin="0.05,0.03"'
BACK = 'color="#B84A00", constraint=false'

INDICES = f"""
  clk [label="clock", shape=plaintext]; one [label="bits 7…1 of a counter", {REG}]; two [label="bits 7…1 of a counter", {REG}];
  l1 [label="bit 0 = 1", shape=plaintext]; l2 [label="bit 0 = 0", shape=plaintext];
  i1 [label="i₁ = 1, 3, 5, …"]; i2 [label="i₂ = 2, 4, 6, …"];
  clk -> one [label=" every second clock"]; clk -> two; one -> i1; l1 -> i1; two -> i2; l2 -> i2;
"""
J = f"""
  j0 [label="j₀", {REG}]; s1 [label="S₀[i₁]", shape=plaintext]; s2 [label="S₀[i₂]", shape=plaintext];
  i2 [label="i₂", shape=plaintext]; cmp [label="i₂ = j₁ ?", {CMP}]; mux [label="2 to 1"]; csa [label="carry-save adder\\nXOR, majority"]; add1 [label="adder"]; add2 [label="adder"];
  j1 [label="j₁", {REG}]; j2 [label="j₂", {REG}];
  j0 -> add1; s1 -> add1; add1 -> j1; add1 -> cmp; i2 -> cmp; cmp -> mux [label=" select"]; s1 -> mux; s2 -> mux;
  mux -> csa [label=" S₁[i₂]"]; j0 -> csa; s1 -> csa; csa -> add2 [label=" R, C"]; add2 -> j2; j2 -> j0 [{BACK}];
"""
SWAP = f"""
  i1 [label="i₁", shape=plaintext]; j1 [label="j₁", shape=plaintext]; i2 [label="i₂", shape=plaintext]; j2 [label="j₂", shape=plaintext];
  a [label="i₂ = j₁ ?", {CMP}]; b [label="j₂ = i₁ ?", {CMP}]; c [label="j₂ = j₁ ?", {CMP}];
  i2 -> a; j1 -> a; j2 -> b; i1 -> b; j2 -> c; j1 -> c;
  sel [label="case 1 … 7\\nof Table 2"]; a -> sel; b -> sel; c -> sel;
  mux [label="8 to 1, for each of the four cells"]; read [label="S₀[i₁], S₀[j₁], S₀[i₂], S₀[j₂]", shape=plaintext]; s [label="S register bank", {REG}];
  sel -> mux [label=" select"]; read -> mux; mux -> s [label=" write i₁ j₁ i₂ j₂"];
"""
Z1 = f"""
  a [label="S₀[i₁]", shape=plaintext]; b [label="S₀[j₁]", shape=plaintext]; add [label="adder"]; a -> add; b -> add;
  i2 [label="i₂", shape=plaintext]; j2 [label="j₂", shape=plaintext];
  ci [label="= i₂ ?", {CMP}]; cj [label="= j₂ ?", {CMP}]; add -> ci; add -> cj; i2 -> ci; j2 -> cj;
  sel [label="4 to 1:\\nt, i₂ or j₂"]; add -> sel [label=" t₁"]; ci -> sel; cj -> sel; mux [label="256 to 1"]; s2 [label="S₂", {REG}];
  sel -> mux [label=" address"]; s2 -> mux; mux -> z [label=""]; z [label="Z₁", {REG}];
"""
Z2 = f"""
  c1 [label="i₂ = j₁ ?", {CMP}]; c2 [label="j₂ = i₁ ?", {CMP}]; c3 [label="j₂ = j₁ ?", {CMP}];
  r [label="S₀[i₁], S₀[j₁], S₀[i₂], S₀[j₂]", shape=plaintext]; m1 [label="8 to 1"]; m2 [label="8 to 1"];
  c1 -> m1 [label=" select"]; c2 -> m1; c3 -> m1; c1 -> m2; c2 -> m2; c3 -> m2; r -> m1; r -> m2; add [label="adder"];
  m1 -> add [label=" S₁[i₂]"]; m2 -> add [label=" S₁[j₂]"]; mux [label="256 to 1"]; s2 [label="S₂", {REG}]; add -> mux [label=" address t₂"]; s2 -> mux; z [label="Z₂", {REG}]; mux -> z;
"""
DESIGN_1 = f"""
  c1 [label="Circuit 1\\ni₁, i₂"]; c2 [label="Circuit 2\\nj₁, j₂"]; c3 [label="Circuit 3\\ndouble swap"]; c4 [label="Circuit 4\\nZ₁"]; c5 [label="Circuit 5\\nZ₂"];
  l1 [label="L₁", {REG}]; l2 [label="L₂", {REG}]; s [label="S registers", {REG}]; z1 [label="Z₁", shape=plaintext]; z2 [label="Z₂", shape=plaintext];
  c1 -> c2 [label=" ϕₙ"]; c2 -> l1; l1 -> c3 [label=" ϕₙ₊₁"]; c3 -> s; c3 -> l2 [label=" ϕₙ₊₂"]; l2 -> c4; l2 -> c5; s -> c4; s -> c5; c4 -> z1 [label=" ϕₙ₊₃"]; c5 -> z2 [label=" ϕₙ₊₃"];
  c2 -> c1 [{BACK}, label="i₂"]; l1 -> c2 [{BACK}, label="j₂"]; s -> c2 [{BACK}, label="S"];
"""


def shared(k_ports: int, ksa_reads: str, ksa_writes: str) -> str:
    """Figures 8 and 11: which accesses meet at which ports."""
    return f"""
  ksa [label="KSA"]; prga [label="PRGA"]; k [label="K-box", {REG}]; s [label="S-box", {REG}]; mux [label="shared ports:\\nKSA or PRGA"];
  k -> ksa [label=" {k_ports} read"]; ksa -> mux [label=" {ksa_reads} read, {ksa_writes} write"]; prga -> mux [label=" 6 read, 4 write"]; mux -> s [label=" 6 read, 4 write", dir=both];
"""


PORT = f"""
  ka [label="KSA read address", shape=plaintext]; pa [label="PRGA read address", shape=plaintext]; kw [label="KSA write address, data", shape=plaintext]; pw [label="PRGA write address, data", shape=plaintext];
  busy [label="KSA at work?", {CMP}]; mr [label="2 to 1"]; mw [label="2 to 1"]; dec [label="write decoder"]; s [label="S-box: 256 registers", {REG}]; rd [label="256 to 1"]; out [label="data to KSA and PRGA", shape=plaintext];
  ka -> mr; pa -> mr; kw -> mw; pw -> mw; busy -> mr [label=" select"]; busy -> mw [label=" select"]; mr -> rd [label=" address"]; mw -> dec -> s; s -> rd -> out;
"""
PRGA = f"""
  i [label="i", {REG}]; inc [label="i + 1, i + 2"]; rd [label="read S[i₁], S[i₂]"]; jj [label="Circuit 2\\nj₁, j₂"]; j [label="j", {REG}]; rj [label="read S[j₁], S[j₂]"];
  sw [label="double swap\\n(Table 2)"]; add [label="addresses:\\nS[i] + S[j], twice"]; pipe [label="z₁ and z₂ address", {REG}]; s [label="S-box", {REG}]; rz [label="read S"]; z [label="Z₁, Z₂", shape=plaintext];
  subgraph cluster_1 {{ label="stage 1"; style="rounded,dashed"; inc; rd; jj; rj; sw; add; }}
  subgraph cluster_2 {{ label="stage 2"; style="rounded,dashed"; rz; }}
  i -> inc -> rd -> jj -> rj -> sw; rj -> add -> pipe -> rz -> z; sw -> s; s -> rz; j -> jj; jj -> j [{BACK}]; inc -> i [{BACK}]; s -> rd [{BACK}, label="S"];
"""
KSA = f"""
  i [label="i", {REG}]; inc [label="i + 1, i + 2"]; rd [label="read S[i₁], S[i₂]"]; k [label="K-box", {REG}]; rk [label="read K[i₁], K[i₂]"];
  jj [label="Circuit 2 with K:\\nj₁, j₂"]; j [label="j", {REG}]; rj [label="read S[j₁], S[j₂]"]; sw [label="double swap\\n(Table 2)"]; s [label="S-box", {REG}];
  subgraph cluster_1 {{ label="one stage: two rounds in a clock"; style="rounded,dashed"; inc; rd; rk; jj; rj; sw; }}
  i -> inc -> rd -> jj -> rj -> sw -> s; k -> rk; inc -> rk; rk -> jj; j -> jj; jj -> j [{BACK}]; inc -> i [{BACK}]; s -> rd [{BACK}, label="S"];
"""


def drawing(figure: int, title: str, alt: str, dot: str, *files: str) -> Diagram:
    """A diagram of one of the paper's figures."""
    return Diagram(f"figure-{figure}", title, alt, dot, (f"figure-{figure}",), tuple(RTL + name for name in files))


DIAGRAMS = (
    drawing(1, "Circuit 1: two counters", "Two counters of seven bits step every second clock; the lowest bit is tied to 1 for i₁ and to 0 for i₂.", INDICES, "paper_prga_design1.vhd"),
    drawing(2, "Circuit 2: j₁ by an adder, j₂ by a carry-save adder and an adder",
            "j₁ is j₀ + S₀[i₁]. If i₂ equals j₁, S₀[i₁] takes the place of S₀[i₂]; a carry-save adder and an adder make j₂, which is the next j₀.", J, "paper_pkg.vhd", "paper_prga_design1.vhd"),
    drawing(3, "Circuit 3: three comparisons choose the transfers of a double swap",
            "Three comparators choose one of the cases of Table 2; a multiplexer for each of the four cells passes on what the case says.", SWAP, "paper_pkg.vhd"),
    drawing(4, "Circuit 4: Z₁ looked up in the table after both swaps",
            "S₀[i₁] + S₀[j₁] is compared with i₂ and j₂; the address of Z₁ in S₂ is the sum, or the cell that the second swap moved it to.", Z1, "paper_prga_design1.vhd"),
    drawing(5, "Circuit 5: S₁[i₂] and S₁[j₂] gathered from S₀", "The three comparators of Circuit 3 choose S₁[i₂] and S₁[j₂] among four cells of S₀; their sum is the address of Z₂ in S₂.", Z2,
            "paper_prga_design1.vhd"),
    drawing(6, "The circuits in their order, and what is fed back",
            "Circuits 1 to 5 in a row with registers between; i₂, j₂ and S are fed back, and both output bytes leave three clocks later.", DESIGN_1, "paper_prga_design1.vhd", "rc4_design1.vhd"),
    drawing(8, "Six reads and four writes serve both", "KSA and PRGA share the ports of the S-box: six reads and four writes; the K-box has one read port.", shared(1, "2", "2"), "paper_sbox.vhd", "paper_core.vhd"),
    drawing(11, "The same with two rounds of the key schedule in a clock", "KSA with four reads and four writes, and PRGA with six and four, share six reads and four writes of the S-box; the K-box has two read ports.",
            shared(2, "4", "4"), "paper_sbox.vhd", "rc4_design2.vhd"),
    drawing(12, "One read and one write port, shared", "Multiplexers choose the address of the KSA while it is at work and that of the PRGA after it, for reading and for writing.", PORT, "paper_sbox.vhd"),
    drawing(13, "Two stages: swap, then read both bytes",
            "Stage 1 steps i, computes j₁ and j₂, swaps twice and adds the addresses; stage 2 reads both bytes from the table after the swaps.", PRGA, "paper_prga_design2.vhd"),
    drawing(14, "One stage: two rounds of the key schedule in a clock", "The same without outputs: K[i₁] and K[i₂] are added to j₁ and j₂, and two swaps are made, in one clock.", KSA, "paper_ksa2.vhd"),
)
