import { ARC4 } from "arcfour";

import recorded from "built:recorded";

/** A report of the measurement: what is under way, what is known, what failed. */
export interface Measured {
  doing?: string;
  error?: string;
  results: Result[];
  finished?: boolean;
}

interface Result {
  name: string;
  /** 10^6 bytes a second, the median of the passes. */
  mbPerS: number;
  /** Number of vectors that it passed before it was timed. */
  verified: number;
}

/** An implementation: starts with a key, and xors the next bytes in place. */
export interface Engine {
  name: string;
  start(key: Uint8Array): (data: Uint8Array) => Uint8Array;
}

const [LENGTH, SECONDS] = [1 << 20, 1];
const unhex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** The number of vectors that an engine passes. Throws at the first failure. */
export function verify({ name, start }: Engine): number {
  for (const [key, offset, keystream] of recorded.vectors) {
    const expected = unhex(keystream);
    const made = start(unhex(key))(new Uint8Array(offset + expected.length)).subarray(offset);
    if (made.some((byte, n) => byte !== expected[n])) throw new Error(`${name} is wrong at byte ${offset} of the key ${key}; it is not timed`);
  }
  return recorded.vectors.length;
}

function time({ start }: Engine): number {
  const apply = start(Uint8Array.from({ length: 16 }, (_, n) => n));
  const data = new Uint8Array(LENGTH);
  const rates: number[] = [];
  const end = performance.now() + 1000 * SECONDS;
  // Enough passes for the browser's clock, which may be rounded to a millisecond.
  for (let passes = 1; performance.now() < end; ) {
    const before = performance.now();
    for (let n = 0; n < passes; n++) apply(data);
    const took = performance.now() - before;
    if (took < 20) passes *= 2;
    else rates.push((passes * LENGTH) / took / 1000);
  }
  return rates.sort((a, b) => a - b)[rates.length >> 1];
}

const javascript: Engine = {
  name: "JavaScript",
  start: (key) => {
    const cipher = new ARC4(key);
    return (data) => cipher.apply(data);
  },
};

interface Kernel {
  memory: WebAssembly.Memory;
  key(): number;
  data(): number;
  room(): number;
  start(length: number): number;
  apply(length: number): void;
}

/** The kernel in C; its data stays in the memory of the module between passes, as JavaScript's does in its array. */
function webAssembly(): Engine {
  const module = new WebAssembly.Module(Uint8Array.from(atob(recorded.wasm), (char) => char.charCodeAt(0)));
  const kernel = new WebAssembly.Instance(module).exports as unknown as Kernel;
  const bytes = new Uint8Array(kernel.memory.buffer);
  return {
    name: "C, as WebAssembly",
    start: (key) => {
      bytes.set(key, kernel.key());
      if (kernel.start(key.length) !== 0) throw new Error("the kernel in C refuses the key");
      const inside = bytes.subarray(kernel.data(), kernel.data() + kernel.room());
      return (data) => {
        if (data.length > inside.length) throw new RangeError(`the kernel has room for ${inside.length} bytes`);
        if (data.length === inside.length) {
          kernel.apply(data.length);
          return inside;
        }
        inside.set(data);
        kernel.apply(data.length);
        return inside.slice(0, data.length);
      };
    },
  };
}

/** Verifies and times every engine there is, one after the other. */
export async function measure(report: (measured: Measured) => void): Promise<void> {
  const results: Result[] = [];
  try {
    for (const engine of [javascript, webAssembly()]) {
      report({ doing: `${engine.name}: verifying`, results });
      const verified = verify(engine);
      report({ doing: `${engine.name}: measuring`, results });
      results.push({ name: engine.name, verified, mbPerS: time(engine) });
    }
    report({ results, finished: true });
  } catch (error) {
    report({ error: (error as Error).message, results, finished: true });
  }
}
