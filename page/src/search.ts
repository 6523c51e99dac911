import { type Search, begins, keyAt, sizeOf } from "./keys.js";

/** A device that searches keys. */
export interface Device {
  name: string;
  /** Maximum number of keys at a time. */
  most: number;
  /** The numbers of the keys that may be right, of `count` keys from number `first` on. */
  candidates(first: number, count: number): Promise<number[]>;
}

/** The progress of a search. */
export interface Searched {
  device: string;
  /** The failure of the GPU. */
  failure?: string;
  /** Numbers of keys tried, and found. */
  done: number;
  found: number;
  /** The first of the found keys. */
  keys: Uint8Array[];
  seconds: number;
  finished?: boolean;
}

/** Number of found keys that are kept. */
export const KEPT = 100;
/** The first block has this number of keys. Blocks are doubled until they take this number of milliseconds. */
const [FIRST, BLOCK] = [1024, 200];

/** A search of fewer seconds tells no rate: browsers round their clocks to a millisecond or more. */
const SHORTEST = 0.02;

/** Returns the number of keys a second, if the search was long enough. */
export function rateOf({ done, seconds }: Searched): number | undefined {
  return seconds < SHORTEST ? undefined : done / seconds;
}

function processor({ mask, known }: Search): Device {
  return {
    name: "the processor",
    most: 1 << 20,
    candidates: async (first, count) => {
      const found = [];
      for (let number = first; number < first + count; number++) if (begins(keyAt(mask, number), known)) found.push(number);
      return found;
    },
  };
}

/** Searches on a GPU, if one is asked for. The processor takes the keys that are left if the GPU fails. */
export async function* search(task: Search, gpu?: (task: Search) => Promise<Device>): AsyncGenerator<Searched> {
  const total = sizeOf(task.mask);
  const began = performance.now();
  let device = processor(task);
  const state: Searched = { device: device.name, done: 0, found: 0, keys: [], seconds: 0 };
  const fail = (error: unknown) => {
    state.failure = `${(error as Error).message}, so the processor searches.`;
    device = processor(task);
  };
  if (gpu) await gpu(task).then((opened) => (device = opened), fail);
  let size = FIRST;
  while (state.done < total) {
    state.device = device.name;
    const count = Math.min(size, device.most, total - state.done);
    const before = performance.now();
    const numbers = await device.candidates(state.done, count).catch(fail);
    if (!numbers) {
      size = FIRST;
      continue;
    }
    for (const number of numbers) {
      const key = keyAt(task.mask, number);
      if (!begins(key, task.known)) continue;
      state.found++;
      if (state.keys.length < KEPT) state.keys.push(key);
    }
    const now = performance.now();
    if (now - before < BLOCK) size = Math.min(2 * size, device.most);
    state.done += count;
    state.seconds = (now - began) / 1000;
    yield state;
  }
}
