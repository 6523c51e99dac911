import type { Family } from "arcfour";

/** Facts about a family for a reader who steps through it. */
export interface Entry {
  title: string;
  paper: string;
  /** The difference from RC4. */
  idea: string;
  /** What to watch while it runs. */
  watch: string;
  /** The best known attack, with its source. */
  broken: string;
}

export const catalogue: Readonly<Record<Family, Entry>> = {
  rc4: {
    title: "RC4",
    paper: "R. Rivest, 1987; posted anonymously in 1994",
    idea: "One table of 256 cells. i walks, j jumps, and every step swaps the two cells they point to.",
    watch: "Watch how the key moves j, and how long a cell keeps its initial value when neither i nor j has reached it.",
    broken: "Biased from the first byte on; forbidden in TLS (RFC 7465).",
  },
  rc4a: {
    title: "RC4A",
    paper: "S. Paul & B. Preneel, FSE 2004",
    idea: "Two tables, two j, one i. The sum of one table's cells is looked up in the other.",
    watch: "The t of S1 lands in S2, and the other way round. The second key is made with RC4 itself.",
    broken: "Distinguished from random after 2²³ bytes (Tsunoo et al., SKEW 2005).",
  },
  "rc4a-equal-keys": {
    title: "RC4A with one key for both tables",
    paper: "a reading of the same paper, in circulation",
    idea: "One key schedule fills both tables, so they are equal at the start and stay so for ever.",
    watch: "Both grids: they never differ. The second byte of each pair is RC4.",
    broken: "Nearly every byte comes twice.",
  },
  vmpc: {
    title: "VMPC",
    paper: "B. Zoltak, FSE 2004",
    idea: "One table, and the index is looked up three times over: P[P[P[s]] + 1]. Takes an IV beside the key.",
    watch: "768 steps with the key, 768 with the IV, before the first byte.",
    broken: "Distinguished from random after 2³⁸ bytes (Tsunoo et al., SKEW 2005).",
  },
  "vmpc-ksa3": {
    title: "VMPC-KSA3",
    paper: "B. Zoltak, after FSE 2004",
    idea: "VMPC whose key schedule sends the key through once more, after the IV.",
    watch: "768 steps more; the keystream's algorithm is the same.",
    broken: "As VMPC: the attacks are on the keystream.",
  },
  rc4plus: {
    title: "RC4+",
    paper: "S. Maitra & G. Paul, Indocrypt 2008",
    idea: "RC4, with three cells looked up for each byte instead of one.",
    watch: "t, t′ and t″: three marks where RC4 has one.",
    broken: "Biased from the first byte on (Banik, Sarkar & Kacker, Indocrypt 2013).",
  },
  spritz: {
    title: "Spritz",
    paper: "R. Rivest & J. Schuldt, 2014",
    idea: "A sponge: it absorbs the key by half bytes, whips and crushes the table, then drips bytes.",
    watch: "Crush: of each pair of opposite cells the smaller goes first, and that cannot be undone.",
    broken: "Distinguished from random after 2^60.8 bytes, where 2^81 were expected (Banik & Isobe, FSE 2016).",
  },
  parc4i: {
    title: "PARC4-I, as printed",
    paper: "D. Handa & B. Kapoor, 2015",
    idea: "Four tables, meant to work in parallel, all scheduled with the same key.",
    watch: "The four grids: they turn alike, so nearly every byte comes four times.",
    broken: "Byte 4 of each round is RC4's; all four are equal in 99.2 % of rounds.",
  },
  "parc4i-text": {
    title: "PARC4-I, by its text",
    paper: "D. Handa & B. Kapoor, 2015, the paragraph above Algorithm 2",
    idea: "The same four tables; S2's sum is looked up in S1 instead of S3.",
    watch: "The same: four equal tables, nearly always four equal bytes.",
    broken: "Bytes 2 and 4 of each round are RC4's; all four are equal in 99.2 % of rounds.",
  },
  parc4r: {
    title: "PARC4-R",
    paper: "this project: a repair of PARC4-I",
    idea: "Five independently keyed RC4-drop[3072] streams, interleaved in blocks of 1024 bytes.",
    watch: "Five grids that never look alike: compare PARC4-I.",
    broken: "Not reviewed; each lane keeps RC4's long-term biases.",
  },
};
