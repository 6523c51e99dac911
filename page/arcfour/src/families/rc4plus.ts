import type { BytesLike } from "../bytes.js";
import { Rc4, shuffleRound } from "./rc4.js";
import type { Trace } from "../trace.js";

/**
 * RC4+ (S. Maitra & G. Paul, Indocrypt 2008): the generator PRGA+, after the plain key schedule of RC4.
 * A different cipher circulates under the name, which reads S[j] for t″ before the swap.
 */
export class Rc4Plus extends Rc4 {
  constructor(key: BytesLike) {
    super(key, 256);
  }

  protected override word(s: Uint8Array, trace?: Trace): number {
    const i = (this.i + 1) & 255;
    if (trace) {
      trace.phase = "keystream";
      trace.line("i", "i + 1", [this.i, "+", 1], i);
    }
    this.i = i;
    const [j, t] = shuffleRound(s, i, this.j, trace);
    this.j = j;
    const left = (i >> 3) ^ ((j << 5) & 255);
    const right = ((i << 5) & 255) ^ (j >> 3);
    const t1 = ((s[left] + s[right]) & 255) ^ 0xaa;
    const t2 = (j + s[j]) & 255;
    const z = ((s[t] + s[t1]) & 255) ^ s[t2];
    if (trace) {
      trace.line("a", "i ≫ 3 ⊕ j ≪ 5", [i >> 3, "⊕", (j << 5) & 255], left);
      trace.line("b", "i ≪ 5 ⊕ j ≫ 3", [(i << 5) & 255, "⊕", j >> 3], right);
      trace.line("t′", "(S[a] + S[b]) ⊕ 0xAA", ["(", s[left], "+", s[right], ") ⊕", 0xaa], t1);
      trace.line("t″", "j + S[j]", [j, "+", s[j]], t2);
      trace.line("Z", "(S[t] + S[t′]) ⊕ S[t″]", ["(", s[t], "+", s[t1], ") ⊕", s[t2]], z);
      for (const [cell, name] of [[t, "t"], [t1, "t′"], [t2, "t″"]] as const) trace.mark(0, cell, name);
    }
    return z;
  }
}
