import { type BytesLike, keyOf } from "../bytes.js";
import { Machine, swap } from "../machine.js";
import type { Trace } from "../trace.js";

/**
 * One round of RC4's key schedule on a table: j = j + S[i] + K[i mod l]; swap. Returns the new j.
 * Galvane & Uzel 2012, section 2.3.
 */
export function scheduleRound(
  s: Uint8Array, i: number, j: number, key: ArrayLike<number>, trace?: Trace, table = 0, names = ["S", "j", "K"],
): number {
  const [S, jn, K] = names;
  const at = i % key.length;
  const next = (j + s[i] + key[at]) & (s.length - 1);
  if (trace) {
    trace.line(jn, `${jn} + ${S}[i] + ${K}[${at}]`, [j, "+", s[i], "+", key[at]], next);
    trace.mark(table, i, "i");
    trace.mark(table, next, jn);
    trace.swap(table, i, next);
  }
  swap(s, i, next);
  return next;
}

/** A round of RC4's keystream on a table up to the sum t = S[i] + S[j]: j = j + S[i]; swap. Returns j and t. */
export function shuffleRound(
  s: Uint8Array, i: number, j: number, trace?: Trace, table = 0, names = ["S", "j", "t"],
): [j: number, t: number] {
  const [S, jn, tn] = names;
  const mask = s.length - 1;
  const next = (j + s[i]) & mask;
  if (trace) {
    trace.line(jn, `${jn} + ${S}[i]`, [j, "+", s[i]], next);
    trace.mark(table, i, "i");
    trace.mark(table, next, jn);
    trace.swap(table, i, next);
  }
  swap(s, i, next);
  const t = (s[i] + s[next]) & mask;
  trace?.line(tn, `${S}[i] + ${S}[${jn}]`, [s[i], "+", s[next]], t);
  return [next, t];
}

/**
 * RC4 (R. Rivest, 1987) as Galvane & Uzel describe it in "Cryptography: RC4 Algorithm" (2012), sections
 * 2.3 and 2.4, with a table of any power of two of cells from 2 to 256: 256 is RC4, fewer are for study.
 */
export class Rc4 extends Machine {
  i = 0;
  j = 0;

  private readonly key: Uint8Array;

  constructor(key: BytesLike, size = 256) {
    super(size, 1);
    this.key = keyOf("key", key);
  }

  get setup(): number {
    return this.size;
  }

  get names(): readonly string[] {
    return ["S"];
  }

  get registers(): Readonly<Record<string, number>> {
    return { i: this.i, j: this.j };
  }

  protected advance(trace?: Trace): number | undefined {
    const [s] = this.tables;
    if (this.steps < this.size) {
      if (trace) {
        trace.phase = "key schedule";
        trace.line("i", "round", [this.steps], this.steps);
      }
      this.i = this.steps;
      this.j = scheduleRound(s, this.i, this.j, this.key, trace);
      return undefined;
    }
    if (this.steps === this.size) this.i = this.j = 0;
    return this.word(s, trace);
  }

  /** One step of the pseudo-random generation algorithm. */
  protected word(s: Uint8Array, trace?: Trace): number {
    const i = (this.i + 1) & (this.size - 1);
    if (trace) {
      trace.phase = "keystream";
      trace.line("i", "i + 1", [this.i, "+", 1], i);
    }
    this.i = i;
    const [j, t] = shuffleRound(s, i, this.j, trace);
    this.j = j;
    if (trace) {
      trace.mark(0, t, "t");
      trace.line("Z", "S[t]", [`S[`, t, `]`], s[t]);
    }
    return s[t];
  }
}
