import { checkLongCount } from "./arguments.js";
import { kindOf } from "./bytes.js";
import { Trace } from "./trace.js";

/** The table before any step: cell v holds v. */
export function identity(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, v) => v);
}

/** Exchanges two cells. */
export function swap(s: Uint8Array, a: number, b: number): void {
  const kept = s[a];
  s[a] = s[b];
  s[b] = kept;
}

/**
 * A cipher that runs step by step: first the key schedule, then a word of keystream a step. This is
 * the definition, slow and plain, in the notation of its paper.
 */
export abstract class Machine {
  /** Number of cells of each table. Words are smaller. */
  readonly size: number;
  /** The permutations. */
  readonly tables: Uint8Array[];
  /** Number of steps done. */
  steps = 0;

  protected constructor(size: number, tables: number) {
    this.size = size;
    this.tables = Array.from({ length: tables }, () => identity(size));
  }

  /** Number of steps of the key schedule, before the first word of keystream. */
  abstract get setup(): number;

  /** The names of the tables, in their order. */
  abstract get names(): readonly string[];

  /** The registers by name. */
  abstract get registers(): Readonly<Record<string, number>>;

  protected abstract advance(trace?: Trace): number | undefined;

  /** Does one step. Returns a word of keystream, or nothing during the key schedule. */
  step(trace?: Trace): number | undefined {
    if (trace !== undefined && !(trace instanceof Trace)) throw new TypeError(`the trace is ${kindOf(trace)}; it must be a Trace`);
    const word = this.advance(trace);
    this.steps++;
    return word;
  }

  /** Discards words of keystream. Throws before the end of the key schedule, where there are none. */
  skip(words: number | bigint): void {
    checkLongCount("words", words);
    if (this.steps < this.setup) throw new Error(`the key schedule has ${this.setup} steps, and ${this.steps} are done; finish it first`);
    this.discard(words);
  }

  protected discard(words: number | bigint): void {
    for (let left = Number(words); left > 0; left--) this.step();
  }

  /** An independent machine in the same state. */
  clone(): this {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    for (const [name, value] of Object.entries(this))
      if (Array.isArray(value)) copy[name] = value.map((each) => (each instanceof Uint8Array ? each.slice() : each));
    return copy;
  }
}
