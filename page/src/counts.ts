import { machine, type Size, schedule } from "arcfour";

export const POSITIONS = 256;

/** A source of random keys: each call gives the next one, in an array that is used again. */
export type Keys = () => Uint8Array;

/** Random keys of `length` bytes from the browser's generator. */
export function randomKeys(length: number): Keys {
  const pool = new Uint8Array(length * 4096);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      crypto.getRandomValues(pool);
      at = 0;
    }
    at += length;
    return pool.subarray(at - length, at);
  };
}

interface Step {
  counts: Uint32Array;
  done: number;
}

/** A count in small steps. `counts` has the counts so far. */
export interface Count extends Iterable<Step> {
  counts: Uint32Array;
  total: number;
}

function count(total: number, counts: Uint32Array, every: number, one: (n: number) => void): Count {
  return {
    counts, total,
    *[Symbol.iterator]() {
      for (let done = 0; done < total; ) {
        const end = Math.min(total, done + every);
        for (; done < end; done++) one(done);
        yield { counts, done };
      }
    },
  };
}

/** Counts of each value at each of the first 256 positions: cell 256 (r − 1) + value. */
export function countFirstBytes(keystreams: number, keys: Keys): Count {
  const counts = new Uint32Array(POSITIONS * 256);
  const s = new Uint8Array(256);
  return count(keystreams, counts, 1000, () => {
    schedule(s, keys());
    let j = 0;
    for (let r = 1; r <= POSITIONS; r++) {
      const i = r & 255;
      const x = s[i];
      j = (j + x) & 255;
      const y = s[j];
      s[i] = y;
      s[j] = x;
      counts[((r - 1) << 8) | s[(x + y) & 255]]++;
    }
  });
}

/** Roos' guess at S[y] after the key schedule: y (y + 1) / 2 + K[0] + … + K[y]. */
export function roosGuess(key: ArrayLike<number>, cells: number, size = 256): number[] {
  let sum = 0;
  return Array.from({ length: cells }, (_, y) => {
    sum += key[y % key.length];
    return ((y * (y + 1)) / 2 + sum) % size;
  });
}

/** Counts of Roos' right guesses for each of the 256 cells. */
export function countRoos(total: number, keys: Keys): Count {
  const counts = new Uint32Array(256);
  const s = new Uint8Array(256);
  return count(total, counts, 500, () => {
    const key = keys();
    schedule(s, key);
    let guess = 0;
    for (let y = 0; y < 256; y++) {
      guess = (guess + y + key[y % key.length]) & 255;
      if (s[y] === guess) counts[y]++;
    }
  });
}

/** How often Z + S[j] − i is each value, over words of one long keystream after another. Zero is Jenkins' Glimpse. */
export function countGlimpse(size: number, words: number, keys: Keys): Count {
  const counts = new Uint32Array(size);
  let rc4 = machine("rc4", keys(), { size: size as Size });
  let left = 0;
  return count(words, counts, 5000, () => {
    if (left-- === 0) {
      rc4 = machine("rc4", keys(), { size: size as Size });
      for (let n = 0; n < 5 * size; n++) rc4.step();
      left = 10_000;
    }
    const z = rc4.step() as number;
    const { i, j } = rc4.registers;
    counts[(z + rc4.tables[0][j] - i) & (size - 1)]++;
  });
}
