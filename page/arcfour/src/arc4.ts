import { checkCount, checkOptions } from "./arguments.js";
import { type BytesLike, MAX_KEY, MIN_KEY, keyOf, viewOf } from "./bytes.js";
import { StreamCipher } from "./stream.js";

export interface Options {
  /** How many bytes of keystream to discard first: the n of RC4-drop[n]. */
  drop?: number;
}

/** RC4: as PyCryptodome's `ARC4.new(key, drop=)`. Broken for new designs (RFC 7465). */
export class ARC4 extends StreamCipher {
  /** The minimum and maximum length of a key, in bytes. */
  static readonly keySize = { min: MIN_KEY, max: MAX_KEY } as const;
  private readonly s = new Uint8Array(256);
  private i = 0;
  private j = 0;

  /**
   * RC4 with a key of 1 to 256 bytes, at the start of its keystream or after the dropped bytes.
   * Throws a TypeError for an argument of the wrong type, text as a key among them, and a RangeError for a key of any
   * other length or a drop that is not a whole number of bytes.
   */
  constructor(key: BytesLike, options: Options = {}) {
    super();
    checkOptions("ARC4", options, ["drop"]);
    const { drop = 0 } = options;
    checkCount("drop", drop);
    schedule(this.s, key);
    this.skip(drop);
  }

  protected override xor(data: Uint8Array): void {
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
  }
}

/** RC4's key schedule with a key of 1 to 256 bytes. Overwrites the table, which has 256 bytes. */
export function schedule(table: BytesLike, key: BytesLike): void {
  const s = viewOf("the table", table);
  if (s.length !== 256) throw new RangeError(`the table has ${s.length} bytes; it must have 256`);
  const k = keyOf("key", key);
  for (let v = 0; v < 256; v++) s[v] = v;
  let j = 0;
  for (let i = 0, at = 0; i < 256; i++) {
    const x = s[i];
    j = (j + x + k[at]) & 255;
    s[i] = s[j];
    s[j] = x;
    if (++at === k.length) at = 0;
  }
}
