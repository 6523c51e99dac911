import { type BytesLike, keyOf } from "../bytes.js";
import { Machine, identity } from "../machine.js";
import { Rc4, scheduleRound, shuffleRound } from "./rc4.js";
import type { Trace } from "../trace.js";

/**
 * RC4A (S. Paul & B. Preneel, FSE 2004): two tables, each looked up with the other's sum.
 *
 * The paper leaves the second table's key open. Here S2 is scheduled with K2, the first l words of RC4(K);
 * the scratch table that makes K2 is shown in S2's place. With `equalKeys`, the other reading in circulation,
 * K schedules both tables, which then stay equal for ever.
 */
export class Rc4A extends Machine {
  i = 0;
  j1 = 0;
  j2 = 0;
  private scratch?: Rc4;
  private k2: number[] = [];
  private readonly key: Uint8Array;

  constructor(key: BytesLike, size = 256, private readonly equalKeys = false) {
    super(size, 2);
    this.key = keyOf("key", key);
  }

  get setup(): number {
    return this.equalKeys ? this.size : 2 * this.size + this.key.length;
  }

  get names(): readonly string[] {
    return ["S1", "S2"];
  }

  get registers(): Readonly<Record<string, number>> {
    return { i: this.i, j1: this.j1, j2: this.j2 };
  }

  override clone(): this {
    const copy = super.clone();
    copy.scratch = this.scratch?.clone();
    return copy;
  }

  protected advance(trace?: Trace): number | undefined {
    if (this.steps < this.setup) {
      if (this.equalKeys) this.scheduleBoth(trace);
      else this.schedule(trace);
      return undefined;
    }
    const at = this.steps - this.setup;
    if (at === 0) this.i = this.j1 = this.j2 = 0;
    return this.word(at % 2, trace);
  }

  private scheduleBoth(trace?: Trace): void {
    this.round(trace, "key schedule of both tables");
    const next = this.j1;
    this.j1 = scheduleRound(this.tables[0], this.i, next, this.key, trace, 0, ["S1", "j1", "K"]);
    this.j2 = scheduleRound(this.tables[1], this.i, this.j2, this.key, trace, 1, ["S2", "j2", "K"]);
  }

  private round(trace: Trace | undefined, phase: string, first = 0): void {
    this.i = this.steps - first;
    if (trace) {
      trace.phase = phase;
      trace.line("i", "round", [this.i], this.i);
    }
  }

  private schedule(trace?: Trace): void {
    const { size, key, tables } = this;
    if (this.steps < size) {
      this.round(trace, "key schedule of S1");
      this.j1 = scheduleRound(tables[0], this.i, this.j1, key, trace, 0, ["S1", "j1", "K"]);
      if (this.steps === size - 1) tables[1].set(tables[0]);
      return;
    }
    const second = size + key.length;
    if (this.steps < second) {
      const at = this.steps - size;
      // RC4 on a copy of S1, after the schedule rounds just done.
      this.scratch ??= this.scheduled();
      const inner = trace && new (trace.constructor as new () => Trace)();
      const word = this.scratch.step(inner) as number;
      tables[1].set(this.scratch.tables[0]);
      this.k2 = [...this.k2, word];
      this.i = this.scratch.i;
      this.j2 = this.scratch.j;
      if (trace && inner) {
        trace.phase = "key of S2";
        trace.remark = `A copy of S1 makes K2[${at}] = ${word}, a word of RC4 keystream under K.`;
        trace.lines.push(...inner.lines);
        for (const mark of inner.marks) trace.mark(1, mark.cell, mark.name);
        for (const each of inner.swaps) trace.swap(1, each.a, each.b);
      }
      return;
    }
    if (this.steps === second) {
      tables[1].set(identity(size));
      this.j2 = 0;
      this.scratch = undefined;
    }
    this.round(trace, "key schedule of S2", second);
    this.j2 = scheduleRound(tables[1], this.i, this.j2, this.k2, trace, 1, ["S2", "j2", "K2"]);
  }

  private scheduled(): Rc4 {
    const rc4 = new Rc4(this.key, this.size);
    for (let n = 0; n < rc4.setup; n++) rc4.step();
    return rc4;
  }

  private word(turn: number, trace?: Trace): number {
    if (trace) trace.phase = "keystream";
    if (turn === 0) {
      const i = (this.i + 1) & (this.size - 1);
      trace?.line("i", "i + 1", [this.i, "+", 1], i);
      this.i = i;
    }
    const [mine, other] = turn === 0 ? ["S1", "S2"] : ["S2", "S1"];
    const jn = turn === 0 ? "j1" : "j2";
    const [j, t] = shuffleRound(this.tables[turn], this.i, this[jn], trace, turn, [mine, jn, "t"]);
    this[jn] = j;
    const z = this.tables[1 - turn][t];
    if (trace) {
      trace.mark(1 - turn, t, "t");
      trace.line("Z", `${other}[t]`, [`${other}[`, t, "]"], z);
    }
    return z;
  }
}
