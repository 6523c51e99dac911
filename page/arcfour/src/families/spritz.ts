import { type Bytes, type BytesLike, keyOf, viewOf } from "../bytes.js";
import { Machine, swap } from "../machine.js";
import type { Trace } from "../trace.js";

const N = 256;
/** The mark AbsorbStop among the absorbed nibbles. */
const STOP = 16;
/** The steps of Shuffle: Whip, Crush, Whip, Crush, Whip. */
const PARTS = [2 * N, N / 2, 2 * N, N / 2, 2 * N];

const nibbles = (data: Uint8Array) => Array.from(data).flatMap((byte) => [byte & 15, byte >> 4]);

/**
 * Spritz (R. Rivest & J. Schuldt, 2014), a sponge: it absorbs nibbles, shuffles, and drips bytes. A step is one
 * nibble absorbed, one Update, one comparison of Crush, or one byte dripped.
 */
export class Spritz extends Machine {
  i = 0;
  j = 0;
  k = 0;
  z = 0;
  /** Number of nibbles absorbed since the last Shuffle. */
  a = 0;
  /** The step of i. */
  w = 1;
  private absorbed = 0;
  private part = PARTS.length;
  private within = 0;

  /** KeySetup with a key of 1 to 256 bytes. */
  constructor(key: BytesLike) {
    super(N, 1);
    this.input = nibbles(keyOf("key", key));
  }

  private input: readonly number[];

  /** Hash to 32 bytes. */
  static hash256(message: BytesLike): Bytes {
    const sponge = new Spritz(Uint8Array.of(0));
    sponge.input = [...nibbles(viewOf("the message", message)), STOP, ...nibbles(Uint8Array.of(32))];
    const word = () => {
      for (;;) {
        const byte = sponge.step();
        if (byte !== undefined) return byte;
      }
    };
    return Uint8Array.from({ length: 32 }, word);
  }

  get setup(): number {
    const shuffles = Math.ceil(this.input.length / (N / 2));
    return this.input.length + shuffles * PARTS.reduce((sum, part) => sum + part, 0);
  }

  get names(): readonly string[] {
    return ["S"];
  }

  get registers(): Readonly<Record<string, number>> {
    return { i: this.i, j: this.j, k: this.k, z: this.z, a: this.a, w: this.w };
  }

  protected advance(trace?: Trace): number | undefined {
    const more = this.absorbed < this.input.length;
    if (this.part === PARTS.length && (more ? this.a === N / 2 : this.a > 0)) this.part = this.within = 0;
    if (this.part < PARTS.length) this.shuffle(trace);
    else if (more) this.absorb(this.input[this.absorbed++], trace);
    else return this.drip(trace);
    return undefined;
  }

  private absorb(nibble: number, trace?: Trace): void {
    const b = N / 2 + nibble;
    if (trace) {
      trace.phase = "absorb the key";
      trace.line("b", "128 + nibble", [128, "+", nibble], b);
      trace.mark(0, this.a, "a");
      trace.mark(0, b, "b");
      trace.swap(0, this.a, b);
    }
    if (nibble !== STOP) swap(this.tables[0], this.a, b);
    this.a++;
  }

  private shuffle(trace?: Trace): void {
    const whip = this.part % 2 === 0;
    if (trace) trace.phase = `shuffle: ${whip ? "whip" : "crush"} ${Math.floor(this.part / 2) + 1}`;
    if (whip) this.update(trace);
    else this.crush(this.within, trace);
    if (++this.within < PARTS[this.part]) return;
    // The next w with no factor in common with N.
    if (whip) this.w = (this.w + 2) & (N - 1);
    this.within = 0;
    if (++this.part === PARTS.length) this.a = 0;
  }

  private crush(v: number, trace?: Trace): void {
    const [s] = this.tables;
    const opposite = N - 1 - v;
    const wrong = s[v] > s[opposite];
    if (trace) {
      trace.mark(0, v, "v");
      trace.mark(0, opposite, "v̄");
      trace.remark = `S[${v}] = ${s[v]} is ${wrong ? "more" : "less"} than S[${opposite}] = ${s[opposite]}: ${wrong ? "swap" : "leave"} them.`;
      if (wrong) trace.swap(0, v, opposite);
    }
    if (wrong) swap(s, v, opposite);
  }

  private update(trace?: Trace): void {
    const [s] = this.tables;
    const i = (this.i + this.w) & 255;
    const inner = (this.j + s[i]) & 255;
    const j = (this.k + s[inner]) & 255;
    const k = (i + this.k + s[j]) & 255;
    if (trace) {
      trace.line("i", "i + w", [this.i, "+", this.w], i);
      trace.line("u", "j + S[i]", [this.j, "+", s[i]], inner);
      trace.line("j", "k + S[u]", [this.k, "+", s[inner]], j);
      trace.line("k", "i + k + S[j]", [i, "+", this.k, "+", s[j]], k);
      trace.mark(0, i, "i");
      trace.mark(0, j, "j");
      trace.swap(0, i, j);
    }
    [this.i, this.j, this.k] = [i, j, k];
    swap(s, i, j);
  }

  private drip(trace?: Trace): number {
    if (trace) trace.phase = "keystream";
    this.update(trace);
    const [s] = this.tables;
    const a = (this.z + this.k) & 255;
    const b = (this.i + s[a]) & 255;
    const c = (this.j + s[b]) & 255;
    if (trace) {
      trace.line("a", "z + k", [this.z, "+", this.k], a);
      trace.line("b", "i + S[a]", [this.i, "+", s[a]], b);
      trace.line("t", "j + S[b]", [this.j, "+", s[b]], c);
      trace.line("Z", "S[t]", ["S[", c, "]"], s[c]);
      trace.mark(0, c, "t");
    }
    this.z = s[c];
    return this.z;
  }
}
