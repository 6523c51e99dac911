import type { Options } from "./arc4.js";
import { checkCount, checkLongCount, checkOptions } from "./arguments.js";
import { type BytesLike, kindOf } from "./bytes.js";
import { Parc4I } from "./families/parc4i.js";
import { Parc4R } from "./families/parc4r.js";
import { Rc4 } from "./families/rc4.js";
import { Rc4A } from "./families/rc4a.js";
import { Rc4Plus } from "./families/rc4plus.js";
import { Spritz } from "./families/spritz.js";
import { Vmpc } from "./families/vmpc.js";
import type { Machine } from "./machine.js";
import { StreamCipher } from "./stream.js";

/** What a family takes. */
export interface Takes {
  /** True if the family takes an initialisation vector. */
  iv: boolean;
  /** True if the family is defined here for tables of any size, not only 256 cells. */
  sizes: boolean;
}

interface Entry extends Takes {
  start(key: BytesLike, iv: BytesLike, size: number): Machine;
}

const entry = (start: Entry["start"], { iv = false, sizes = false } = {}): Entry => ({ iv, sizes, start });

const entries = {
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
export type Family = keyof typeof entries;

/** Every family, under the names that the command `arcfour --family` takes, and what a family takes. */
export const families = Object.fromEntries(Object.entries(entries).map(([name, { iv, sizes }]) => [name, { iv, sizes }])) as Record<Family, Takes>;

/** The sizes of the table that a machine can be started with, in cells. */
export const SIZES = [8, 16, 64, 256] as const;
export type Size = (typeof SIZES)[number];

/** The entry of a family. "toString" is no family, though every object has one. */
function entryOf(family: Family): Entry {
  const names = Object.keys(entries).join(", ");
  if (typeof family !== "string") throw new TypeError(`the family is ${kindOf(family)}; it must be a string, one of ${names}`);
  if (!Object.hasOwn(entries, family)) throw new RangeError(`the family is ${JSON.stringify(family)}; it must be one of ${names}`);
  return entries[family];
}

/** The options of a new machine. */
export interface MachineOptions {
  /** The initialisation vector, 1 to 256 bytes, only for VMPC. */
  iv?: BytesLike;
  /** The cells of a table: 256, the default, is the cipher itself. */
  size?: Size;
}

/**
 * A machine of a family before its first step, with a key of 1 to 256 bytes.
 *
 * Throws a TypeError for an argument of the wrong type, and a RangeError for a length outside these limits, an unknown
 * family or a size for which the family is not defined.
 */
export function machine(family: Family, key: BytesLike, options: MachineOptions = {}): Machine {
  const { iv: takesIv, sizes, start } = entryOf(family);
  checkOptions("machine", options, ["iv", "size"]);
  const { iv, size = 256 } = options;
  checkCount("the size", size);
  if (!SIZES.includes(size)) throw new RangeError(`the size is ${size}; it must be one of ${SIZES.join(", ")}`);
  if (size !== 256 && !sizes) throw new RangeError(`${family} has tables of 256 cells, not ${size}`);
  if (takesIv && iv === undefined) throw new RangeError(`${family} takes an IV of 1 to 256 bytes`);
  if (!takesIv && iv !== undefined) throw new RangeError(`${family} takes no IV`);
  return start(key, iv === undefined ? new Uint8Array() : iv, size);
}

/** Any family as a stream cipher, a byte at a time by its definition. For RC4 itself `ARC4` is much faster. */
export class FamilyCipher extends StreamCipher {
  private readonly machine: Machine;

  /** Throws as `machine` does, or if the drop is not a whole number of bytes. */
  constructor(family: Family, key: BytesLike, options: Options & Pick<MachineOptions, "iv"> = {}) {
    super();
    checkOptions("FamilyCipher", options, ["iv", "drop"]);
    const { iv, drop = 0 } = options;
    checkCount("drop", drop);
    this.machine = machine(family, key, { iv });
    for (let left = this.machine.setup; left > 0; left--) this.machine.step();
    this.skip(drop);
  }

  protected override xor(data: Uint8Array): void {
    for (let n = 0; n < data.length; n++) data[n] ^= this.machine.step() as number;
  }

  override skip(length: number | bigint): void {
    checkLongCount("length", length);
    this.machine.skip(length);
  }
}
