import type { Options } from "./arc4.js";
import { Parc4I } from "./families/parc4i.js";
import { Parc4R } from "./families/parc4r.js";
import { Rc4 } from "./families/rc4.js";
import { Rc4A } from "./families/rc4a.js";
import { Rc4Plus } from "./families/rc4plus.js";
import { Spritz } from "./families/spritz.js";
import { Vmpc } from "./families/vmpc.js";
import type { Machine } from "./machine.js";
import { StreamCipher, checkCount } from "./stream.js";

type Bytes = ArrayLike<number>;

interface Entry {
  /** Takes an initialization vector. */
  iv: boolean;
  /** Is defined for tables of any size here, not of 256 cells alone. */
  sizes: boolean;
  start(key: Bytes, iv: Bytes, size: number): Machine;
}

const entry = (start: Entry["start"], { iv = false, sizes = false } = {}): Entry => ({ iv, sizes, start });

/** Every family, under the names that the command `arcfour --family` takes. */
export const families = {
  rc4: entry((key, _, size) => new Rc4(key, size), { sizes: true }),
  rc4a: entry((key, _, size) => new Rc4A(key, size), { sizes: true }),
  "rc4a-equal-keys": entry((key, _, size) => new Rc4A(key, size, true), { sizes: true }),
  vmpc: entry((key, iv) => new Vmpc(key, iv), { iv: true }),
  "vmpc-ksa3": entry((key, iv) => new Vmpc(key, iv, true), { iv: true }),
  rc4plus: entry((key) => new Rc4Plus(key)),
  spritz: entry((key) => new Spritz(key)),
  parc4i: entry((key, _, size) => new Parc4I(key, size), { sizes: true }),
  "parc4i-text": entry((key, _, size) => new Parc4I(key, size, "text"), { sizes: true }),
  parc4r: entry((key) => new Parc4R(key)),
} as const satisfies Record<string, Entry>;

/** The name of a family. */
export type Family = keyof typeof families;

/** The sizes of the table that a machine can be started with, in cells. */
export const SIZES = [8, 16, 64, 256] as const;
export type Size = (typeof SIZES)[number];

/**
 * A machine of a family before its first step.
 *
 * `key` and, for VMPC, `iv` have 1 to 256 bytes; `size` is the cells of a table, 256 in the cipher itself. Throws a
 * RangeError where a length is outside these limits, or the family is not defined for the size.
 */
export function machine(family: Family, key: Bytes, { iv, size = 256 }: { iv?: Bytes; size?: Size } = {}): Machine {
  const { iv: takesIv, sizes, start } = families[family];
  if (size !== 256 && !sizes) throw new RangeError(`${family} has tables of 256 cells, not ${size}`);
  if (takesIv && iv === undefined) throw new RangeError(`${family} takes an IV of 1 to 256 bytes`);
  if (!takesIv && iv !== undefined) throw new RangeError(`${family} takes no IV`);
  return start(key, iv ?? [], size);
}

/** Any family as a stream cipher, a byte at a time by its definition. For RC4 itself `ARC4` is much faster. */
export class FamilyCipher extends StreamCipher {
  private readonly machine: Machine;

  /** Throws a RangeError as `machine` does, or if the drop is no number of bytes. */
  constructor(family: Family, key: Uint8Array, { iv, drop = 0 }: Options & { iv?: Uint8Array } = {}) {
    super();
    checkCount("drop", drop);
    this.machine = machine(family, key, { iv });
    for (let left = this.machine.setup; left > 0; left--) this.machine.step();
    this.skip(drop);
  }

  override fill(out: Uint8Array): Uint8Array {
    for (let n = 0; n < out.length; n++) out[n] = this.machine.step() as number;
    return out;
  }

  override skip(length: number | bigint): void {
    checkCount("skip", length);
    this.machine.skip(length);
  }
}
