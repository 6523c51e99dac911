import { readFileSync, readdirSync } from "node:fs";

import { ARC4, FamilyCipher, type Family, SIZES, Trace, families, machine } from "arcfour";
import { describe, expect, test } from "vitest";

import { DEEP_FILE, HASH_FILES, KEYSTREAM_FILES, MESSAGE_FILES, checkHashes, checkKeystream, checkMessages } from "../vectors.js";

const VECTORS = new URL("../../../vectors/", import.meta.url);
const file = (name: string) => readFileSync(new URL(`${name}.txt`, VECTORS), "utf8");
const KEY = Uint8Array.of(1, 2, 3, 4, 5);
const RIGHT = { wrong: [], count: expect.toSatisfy((count: number) => count > 0) };

describe("vectors", () => {
  test("every file is read", () => {
    const read = [...KEYSTREAM_FILES.map(([name]) => name), ...HASH_FILES, ...MESSAGE_FILES, DEEP_FILE];
    const there = readdirSync(VECTORS).filter((name) => name.endsWith(".txt")).map((name) => name.slice(0, -4));
    expect(read.sort()).toEqual(there.sort());
  });

  test.each(KEYSTREAM_FILES)("%s, by the definition", (name, family) => {
    expect(checkKeystream(file(name), family)).toEqual(RIGHT);
  });

  test.each(["rc4-rfc6229", "rc4-special", "rc4-keys", "rc4-drop"])("%s, by ARC4", (name) => {
    expect(checkKeystream(file(name), "rc4", true)).toEqual(RIGHT);
  });

  test("rc4-deep, to 2^24", () => {
    expect(checkKeystream(file(DEEP_FILE), "rc4", true, 2 ** 24)).toEqual({ wrong: [], count: 17 });
  });

  test.each(HASH_FILES)("%s", (name) => expect(checkHashes(file(name))).toEqual(RIGHT));
  test.each(MESSAGE_FILES)("%s", (name) => expect(checkMessages(file(name))).toEqual(RIGHT));
});

describe("ARC4", () => {
  test("gives one stream however it is cut", () => {
    const whole = new ARC4(KEY).keystream(1000);
    const cut = new ARC4(KEY);
    const pieces = [0, 1, 2, 255, 256, 257, 229].flatMap((length) => Array.from(cut.keystream(length)));
    expect(pieces).toEqual(Array.from(whole));
  });

  test("drops, skips, and leaves what it encrypts alone", () => {
    const whole = new ARC4(KEY).keystream(4000);
    const dropped = new ARC4(KEY, { drop: 3072 });
    expect(dropped.keystream(5)).toEqual(whole.slice(3072, 3077));
    dropped.skip(100n);
    const zeros = new Uint8Array(3);
    expect(dropped.encrypt(zeros)).toEqual(whole.slice(3177, 3180));
    expect(zeros).toEqual(new Uint8Array(3));
    expect(dropped.apply(zeros)).toBe(zeros);
    expect(zeros).toEqual(whole.slice(3180, 3183));
  });

  test("transforms a stream", async () => {
    const source = new Blob([new Uint8Array(200_000)]).stream();
    const through = source.pipeThrough(new ARC4(KEY).transform() as TransformStream);
    const made = new Uint8Array(await new Response(through).arrayBuffer());
    expect(made).toEqual(new ARC4(KEY).keystream(200_000));
  });

  test.each([[0, "the key has 0 bytes"], [257, "the key has 257 bytes"]])("refuses a key of %d bytes", (length, message) => {
    expect(() => new ARC4(new Uint8Array(length))).toThrow(message);
    for (const family of Object.keys(families) as Family[])
      expect(() => new FamilyCipher(family, new Uint8Array(length), families[family].iv ? { iv: KEY } : {})).toThrow(message);
  });

  test.each([-1, 0.5, NaN, Infinity, 2 ** 53])("refuses a drop of %d", (drop) => {
    expect(() => new ARC4(KEY, { drop })).toThrow(`drop is ${drop}`);
    expect(() => new FamilyCipher("rc4", KEY, { drop })).toThrow(`drop is ${drop}`);
  });

  test("refuses an IV where there is none, and the lack of one", () => {
    expect(() => new FamilyCipher("rc4", KEY, { iv: KEY })).toThrow("rc4 takes no IV");
    expect(() => new FamilyCipher("vmpc", KEY)).toThrow("vmpc takes an IV");
    expect(() => new FamilyCipher("vmpc", KEY, { iv: new Uint8Array(257) })).toThrow("the IV has 257 bytes");
    expect(() => machine("spritz", KEY, { size: 16 })).toThrow("spritz has tables of 256 cells, not 16");
  });
});

const starts = (Object.keys(families) as Family[]).flatMap((family) =>
  SIZES.filter((size) => size === 256 || families[family].sizes).map((size) => [family, size] as const));

const same = (a: readonly Uint8Array[], b: readonly Uint8Array[]) =>
  a.every((table, n) => Buffer.compare(table, b[n]) === 0);
const permutation = (table: Uint8Array) => new Set(table).size === table.length && Math.max(...table) < table.length;

// An expectation costs more than a step, so each test collects the faults and expects once.
describe.each(starts)("the machine of %s with %d cells", (family, size) => {
  const start = () => machine(family, KEY, { size, iv: families[family].iv ? KEY : undefined });

  test("has permutations after every step, and words only after its key schedule", () => {
    const steps = start();
    const wrong = [];
    for (let at = 0; at < steps.setup + 40; at++) {
      const word = steps.step();
      if ((word === undefined) !== at < steps.setup || !steps.tables.every(permutation)) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });

  test("goes the same way watched and unwatched, and from a clone", () => {
    const [watched, plain, cloned] = [start(), start(), start().clone()];
    const wrong = [];
    for (let at = 0; at < plain.setup + 40; at++) {
      const words = [plain.step(), watched.step(new Trace()), cloned.clone().step(), cloned.step()];
      const tables = same(watched.tables, plain.tables) && same(cloned.tables, plain.tables);
      const registers = JSON.stringify(watched.registers) === JSON.stringify(plain.registers);
      if (new Set(words).size > 1 || !tables || !registers) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });

  test("traces arithmetic that comes out, and swaps that were made", () => {
    const steps = start();
    const wrong = [];
    for (let at = 0; at < steps.setup + 40; at++) {
      const before = steps.tables.map((table) => table.slice());
      const trace = new Trace();
      const word = steps.step(trace);
      for (const { terms, value, name } of trace.lines)
        if (terms.every((term) => typeof term === "number" || term === "+")) {
          const sum = terms.reduce<number>((total, term) => total + (typeof term === "number" ? term : 0), 0);
          if (sum % size !== value) wrong.push(`${at}: ${name}`);
        }
      if (!trace.phase) wrong.push(`${at}: phase`);
      const last = trace.lines.at(-1);
      if (word !== undefined && (last?.name !== "Z" || last.value !== word)) wrong.push(`${at}: Z`);
      // RC4A's second key is made in a scratch table that takes the place of S2 and gives it back.
      if (family === "rc4a" && [size - 1, size + KEY.length].includes(at)) continue;
      for (const { table, a, b } of trace.swaps) [before[table][a], before[table][b]] = [before[table][b], before[table][a]];
      if (!same(steps.tables, before)) wrong.push(`${at}: swap`);
    }
    expect(wrong).toEqual([]);
  });
});

test("PARC4-I writes nearly every byte of RC4 four times, and its tables stay equal", () => {
  const [parc4i, rc4] = [machine("parc4i", KEY), machine("rc4", KEY)];
  for (let at = 0; at < 256; at++) {
    parc4i.step();
    rc4.step();
  }
  let [alike, wrong] = [0, 0];
  for (let round = 0; round < 4096; round++) {
    const lanes = [0, 1, 2, 3].map(() => parc4i.step());
    const word = rc4.step();
    alike += lanes.filter((lane) => lane === word).length;
    if (lanes[3] !== word || !parc4i.tables.every((table) => same([table], rc4.tables))) wrong++;
  }
  expect(wrong).toBe(0);
  // Lanes 1 to 3 look up a table that is one swap behind: 254 of 256 each. Within five sigmas of that.
  expect(Math.abs(alike / 16384 - (1 + 3 * (254 / 256)) / 4)).toBeLessThan(0.0035);
});
