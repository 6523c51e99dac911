import { type BytesLike, keyOf } from "../bytes.js";
import { Machine } from "../machine.js";
import { scheduleRound, shuffleRound } from "./rc4.js";
import type { Trace } from "../trace.js";

/** The table looked up after the shuffle of each: Algorithm 2 as printed, and the paragraph above it. */
const LOOKUP = { printed: [1, 2, 3, 2], text: [1, 0, 3, 2] } as const;

/**
 * PARC4-I (D. Handa & B. Kapoor, 2015), both readings of its section 6: four tables, each with a j of its own
 * and one i between them. As described it is RC4 with nearly every byte written four times: all four tables get
 * the same key, so they are equal at the start, and each is shuffled by its own j alone, so they stay equal.
 */
export class Parc4I extends Machine {
  i = 0;
  j: number[] = [0, 0, 0, 0];
  private readonly key: Uint8Array;
  private readonly lookup: readonly number[];

  constructor(key: BytesLike, size = 256, reading: keyof typeof LOOKUP = "printed") {
    super(size, 4);
    this.key = keyOf("key", key);
    this.lookup = [...LOOKUP[reading]];
  }

  get setup(): number {
    return this.size;
  }

  get names(): readonly string[] {
    return ["S1", "S2", "S3", "S4"];
  }

  get registers(): Readonly<Record<string, number>> {
    const [j1, j2, j3, j4] = this.j;
    return { i: this.i, j1, j2, j3, j4 };
  }

  protected advance(trace?: Trace): number | undefined {
    if (this.steps < this.size) {
      this.i = this.steps;
      if (trace) {
        trace.phase = "key schedule of all four tables";
        trace.line("i", "round", [this.i], this.i);
      }
      this.tables.forEach((s, lane) => {
        const names = [`S${lane + 1}`, `j${lane + 1}`, "K"];
        this.j[lane] = scheduleRound(s, this.i, this.j[lane], this.key, trace, lane, names);
      });
      return undefined;
    }
    const at = this.steps - this.size;
    const lane = at % 4;
    if (trace) trace.phase = "keystream";
    if (at === 0) {
      this.i = 0;
      this.j.fill(0);
    }
    if (lane === 0) {
      const i = (this.i + 1) & (this.size - 1);
      trace?.line("i", "i + 1", [this.i, "+", 1], i);
      this.i = i;
    }
    const names = [`S${lane + 1}`, `j${lane + 1}`, "t"];
    const [j, t] = shuffleRound(this.tables[lane], this.i, this.j[lane], trace, lane, names);
    this.j[lane] = j;
    const from = this.lookup[lane];
    const z = this.tables[from][t];
    if (trace) {
      trace.mark(from, t, "t");
      trace.line("Z", `S${from + 1}[t]`, [`S${from + 1}[`, t, "]"], z);
    }
    return z;
  }
}
