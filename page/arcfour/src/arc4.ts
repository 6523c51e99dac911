import { MAX_KEY, MIN_KEY, checkLength } from "./machine.js";
import { StreamCipher, checkCount } from "./stream.js";

export interface Options {
  /** How many bytes of keystream to discard first: the n of RC4-drop[n]. */
  drop?: number;
}

/** RC4: as PyCryptodome's `ARC4.new(key, drop=)`. Broken for new designs (RFC 7465). */
export class ARC4 extends StreamCipher {
  /** The fewest and the most bytes of a key. */
  static readonly keySize = { min: MIN_KEY, max: MAX_KEY } as const;
  private readonly s = new Uint8Array(256);
  private i = 0;
  private j = 0;

  /**
   * RC4 with a key of 1 to 256 bytes, at the start of its keystream or after what is dropped of it.
   * Throws a RangeError for any other key or a drop that is no number of bytes.
   */
  constructor(key: Uint8Array, { drop = 0 }: Options = {}) {
    super();
    checkLength("key", key);
    checkCount("drop", drop);
    schedule(this.s, key);
    this.skip(drop);
  }

  override fill(out: Uint8Array): Uint8Array {
    return this.apply(out.fill(0));
  }

  override apply(data: Uint8Array): Uint8Array {
    const { s } = this;
    let { i, j } = this;
    for (let n = 0; n < data.length; n++) {
      i = (i + 1) & 255;
      const x = s[i];
      j = (j + x) & 255;
      const y = s[j];
      s[i] = y;
      s[j] = x;
      data[n] ^= s[(x + y) & 255];
    }
    this.i = i;
    this.j = j;
    return data;
  }
}

/** RC4's key schedule, over whatever the table of 256 cells held. The key is not checked. */
export function schedule(s: Uint8Array, key: Uint8Array): void {
  for (let v = 0; v < 256; v++) s[v] = v;
  let j = 0;
  for (let i = 0, at = 0; i < 256; i++) {
    const x = s[i];
    j = (j + x + key[at]) & 255;
    s[i] = s[j];
    s[j] = x;
    if (++at === key.length) at = 0;
  }
}
