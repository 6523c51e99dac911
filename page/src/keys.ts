import { schedule } from "arcfour";

/** Maximum number of unknown bits of a key. Numbers of keys must stay exact. */
const MOST_BITS = 48;

/** The values of each byte of the key, ascending. */
export type Mask = readonly (readonly number[])[];

/** A search for the keys whose keystream begins with these bytes. */
export interface Search {
  mask: Mask;
  known: Uint8Array;
}

/** Reads a mask as `arcfour find` takes it: two hex digits for each byte, and ? for an unknown digit. */
export function maskOf(text: string): { mask: Mask; error?: undefined } | { mask?: undefined; error: string } {
  const wrong = text.match(/[^0-9a-fA-F?\s]/u);
  if (wrong) return { error: `The mask has “${wrong[0]}” at place ${(wrong.index as number) + 1}, which is neither a hex digit nor a question mark.` };
  const digits = text.replace(/\s+/g, "");
  if (digits.length % 2) return { error: `The mask has ${digits.length} digits, an odd number; a byte has two.` };
  if (digits.length < 2 || digits.length > 512) return { error: `The mask has ${digits.length / 2} bytes; it must have 1 to 256.` };
  const bits = 4 * (digits.match(/\?/g) ?? []).length;
  if (bits > MOST_BITS) return { error: `The mask has 2^${bits} keys; it must have at most 2^${MOST_BITS}.` };
  const fits = (digit: string, value: number) => digit === "?" || parseInt(digit, 16) === value;
  return {
    mask: (digits.match(/../g) as string[]).map(([high, low]) =>
      Array.from({ length: 256 }, (_, value) => value).filter((value) => fits(high, value >> 4) && fits(low, value & 15))),
  };
}

export const sizeOf = (mask: Mask): number => mask.reduce((keys, { length }) => keys * length, 1);

/** Key number `number`; the last byte is the fastest. */
export function keyAt(mask: Mask, number: number): Uint8Array {
  const key = new Uint8Array(mask.length);
  for (let place = mask.length - 1; place >= 0; place--) {
    const { length } = mask[place];
    key[place] = mask[place][number % length];
    number = Math.floor(number / length);
  }
  return key;
}

const table = new Uint8Array(256);

/** Whether the keystream of a key begins with these bytes. */
export function begins(key: Uint8Array, known: Uint8Array): boolean {
  schedule(table, key);
  let j = 0;
  for (let n = 0; n < known.length; n++) {
    const i = (n + 1) & 255;
    const a = table[i];
    j = (j + a) & 255;
    const b = table[j];
    table[i] = b;
    table[j] = a;
    if (table[(a + b) & 255] !== known[n]) return false;
  }
  return true;
}
