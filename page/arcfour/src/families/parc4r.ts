import { expand, extract } from "@noble/hashes/hkdf";
import { sha256 } from "@noble/hashes/sha2";

import { type BytesLike, keyOf } from "../bytes.js";
import { Machine, identity } from "../machine.js";
import { scheduleRound, shuffleRound } from "./rc4.js";
import type { Trace } from "../trace.js";

const [LANES, BLOCK, DROP] = [5, 1024, 3072];
const CHUNK = 256 * LANES * BLOCK;
const ascii = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));

/**
 * PARC4-R, version 1: Arcfour's repair of PARC4-I, specified in cipher/src/families/parc4r.rs. Five lanes of
 * RC4-drop[3072], each with a key of its own from HKDF-SHA-256, a block of 1024 bytes of each in turn; all
 * lanes get new keys after 256 rows.
 */
export class Parc4R extends Machine {
  i = 0;
  j: number[] = Array(LANES).fill(0);
  private readonly master: Uint8Array;
  private keys: readonly Uint8Array[];
  /** Of the next byte. */
  private offset = 0;
  private chunk = 0n;

  constructor(key: BytesLike) {
    super(256, LANES);
    this.master = extract(sha256, keyOf("key", key), ascii("arcfour PARC4-R1"));
    this.keys = this.laneKeys();
  }

  private laneKeys(): Uint8Array[] {
    const number = new DataView(new ArrayBuffer(8));
    number.setBigUint64(0, this.chunk);
    return Array.from({ length: LANES }, (_, lane) =>
      expand(sha256, this.master, Uint8Array.of(...ascii("lane"), ...new Uint8Array(number.buffer), lane), 32));
  }

  get setup(): number {
    return 256 + DROP;
  }

  get names(): readonly string[] {
    return this.tables.map((_, lane) => `lane ${lane}`);
  }

  get registers(): Readonly<Record<string, number>> {
    return { i: this.i, ...Object.fromEntries(this.j.map((j, lane) => [`j${lane}`, j])) };
  }

  protected advance(trace?: Trace): number | undefined {
    if (this.steps < this.setup) {
      this.prepare(this.steps, trace);
      return undefined;
    }
    if (this.offset === CHUNK) this.rekey(1n);
    const lane = Math.floor(this.offset / BLOCK) % LANES;
    const s = this.tables[lane];
    // Every lane has done as many whole blocks as the row says, and a block has four times N bytes: i is one for all.
    const i = (this.offset + 1) & 255;
    if (trace) {
      trace.phase = "keystream";
      trace.line("i", "i + 1", [(i + 255) & 255, "+", 1], i);
      trace.remark = `Byte ${this.offset % BLOCK} of the block of lane ${lane}.`;
    }
    this.i = i;
    const [j, t] = shuffleRound(s, i, this.j[lane], trace, lane, ["S", `j${lane}`, "t"]);
    this.j[lane] = j;
    this.offset++;
    if (trace) {
      trace.mark(lane, t, "t");
      trace.line("Z", "S[t]", ["S[", t, "]"], s[t]);
    }
    return s[t];
  }

  /** A step before the first byte, of all lanes: a round of the key schedule, or a byte that is dropped. */
  private prepare(at: number, trace?: Trace): void {
    const scheduling = at < 256;
    if (at === 256) this.j.fill(0);
    this.i = scheduling ? at : (at - 255) & 255;
    if (trace) {
      trace.phase = scheduling ? "key schedule of all lanes" : `drop byte ${at - 256} of each lane`;
      trace.line("i", scheduling ? "round" : "i + 1", scheduling ? [at] : [(this.i + 255) & 255, "+", 1], this.i);
    }
    this.tables.forEach((s, lane) => {
      const jn = `j${lane}`;
      this.j[lane] = scheduling
        ? scheduleRound(s, this.i, this.j[lane], this.keys[lane], trace, lane, ["S", jn, `K${lane}`])
        : shuffleRound(s, this.i, this.j[lane], trace, lane, ["S", jn, "t"])[0];
    });
  }

  /** Jumps to the chunk of the position. */
  protected override discard(words: number | bigint): void {
    const position = BigInt(this.offset) + BigInt(words);
    const chunks = position / BigInt(CHUNK);
    if (chunks === 0n) return super.discard(words);
    this.rekey(chunks);
    super.discard(position % BigInt(CHUNK));
  }

  private rekey(chunks: bigint): void {
    this.chunk = BigInt.asUintN(64, this.chunk + chunks);
    this.offset = 0;
    this.keys = this.laneKeys();
    this.j.fill(0);
    for (const s of this.tables) s.set(identity(256));
    for (let at = 0; at < this.setup; at++) this.prepare(at);
  }
}
