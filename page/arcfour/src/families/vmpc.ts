import { type BytesLike, keyOf } from "../bytes.js";
import { Machine, swap } from "../machine.js";
import type { Trace } from "../trace.js";

const ROUNDS = 768;

/**
 * VMPC (B. Zoltak, FSE 2004): one table P, an index n that walks and a variable s that jumps. The key
 * schedule takes 768 steps with the key and 768 with the IV; `ksa3`, his later one, 768 more with the key.
 */
export class Vmpc extends Machine {
  s = 0;
  n = 0;
  private readonly inputs: readonly (readonly [string, Uint8Array])[];

  constructor(key: BytesLike, iv: BytesLike, ksa3 = false) {
    super(256, 1);
    const [keyed, mixed] = [["key", keyOf("key", key)], ["IV", keyOf("IV", iv)]] as const;
    this.inputs = ksa3 ? [keyed, mixed, keyed] : [keyed, mixed];
  }

  get setup(): number {
    return ROUNDS * this.inputs.length;
  }

  get names(): readonly string[] {
    return ["P"];
  }

  get registers(): Readonly<Record<string, number>> {
    return { n: this.n, s: this.s };
  }

  protected advance(trace?: Trace): number | undefined {
    const [p] = this.tables;
    if (this.steps < this.setup) {
      const [what, data] = this.inputs[Math.floor(this.steps / ROUNDS)];
      const m = this.steps % ROUNDS;
      const n = m & 255;
      const at = m % data.length;
      const sum = (this.s + p[n] + data[at]) & 255;
      const s = p[sum];
      if (trace) {
        trace.phase = `key schedule with the ${what}`;
        trace.line("n", "m mod 256", [m, "mod", 256], n);
        trace.line("u", `s + P[n] + ${what}[${at}]`, [this.s, "+", p[n], "+", data[at]], sum);
        trace.line("s", "P[u]", ["P[", sum, "]"], s);
      }
      this.s = s;
      this.n = n;
      this.exchange(trace);
      return undefined;
    }
    if (this.steps === this.setup) this.n = 0;
    else this.n = (this.n + 1) & 255;
    const sum = (this.s + p[this.n]) & 255;
    const s = p[sum];
    const z = p[(p[p[s]] + 1) & 255];
    if (trace) {
      trace.phase = "keystream";
      trace.line("n", "n", [this.n], this.n);
      trace.line("u", "s + P[n]", [this.s, "+", p[this.n]], sum);
      trace.line("s", "P[u]", ["P[", sum, "]"], s);
      trace.line("t", "P[P[s]] + 1", [p[p[s]], "+", 1], (p[p[s]] + 1) & 255);
      trace.line("Z", "P[t]", ["P[", (p[p[s]] + 1) & 255, "]"], z);
      trace.mark(0, (p[p[s]] + 1) & 255, "t");
    }
    this.s = s;
    this.exchange(trace);
    return z;
  }

  private exchange(trace?: Trace): void {
    if (trace) {
      trace.mark(0, this.n, "n");
      trace.mark(0, this.s, "s");
      trace.swap(0, this.n, this.s);
    }
    swap(this.tables[0], this.n, this.s);
  }
}
