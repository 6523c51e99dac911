import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { runInNewContext } from "node:vm";

import arc4 from "arc4";
import { ARC4, type BytesLike, type Family, FamilyCipher, Spritz, Trace, families, machine, schedule } from "arcfour";
import CryptoJS from "crypto-js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const KEY = Uint8Array.of(1, 2, 3, 4, 5);
const FAMILIES = Object.keys(families) as Family[];
const ivOf = (family: Family) => (families[family].iv ? { iv: KEY } : {});

/** Each way JavaScript has to hand over bytes: the view starts `offset` bytes into a buffer that goes on behind it. */
const CONTAINERS: Readonly<Record<string, (bytes: Uint8Array, offset: number) => BytesLike>> = {
  Uint8Array: (bytes, offset) => new Uint8Array(placed(bytes, offset), offset, bytes.length),
  Uint8ClampedArray: (bytes, offset) => new Uint8ClampedArray(placed(bytes, offset), offset, bytes.length),
  Int8Array: (bytes, offset) => new Int8Array(placed(bytes, offset), offset, bytes.length),
  DataView: (bytes, offset) => new DataView(placed(bytes, offset), offset, bytes.length),
  Buffer: (bytes, offset) => Buffer.from(placed(bytes, offset), offset, bytes.length),
  "Buffer of the pool": (bytes) => Buffer.from(bytes),
  Uint16Array: (bytes, offset) => new Uint16Array(placed(bytes, 2 * offset), 2 * offset, bytes.length / 2),
  Int32Array: (bytes, offset) => new Int32Array(placed(bytes, 4 * offset), 4 * offset, bytes.length / 4),
  Float64Array: (bytes, offset) => new Float64Array(placed(bytes, 8 * offset), 8 * offset, bytes.length / 8),
  BigUint64Array: (bytes, offset) => new BigUint64Array(placed(bytes, 8 * offset), 8 * offset, bytes.length / 8),
  ArrayBuffer: (bytes) => bytes.slice().buffer,
  SharedArrayBuffer: (bytes) => shared(bytes).buffer,
  "view of a SharedArrayBuffer": (bytes) => shared(bytes),
  "ArrayBuffer of another realm": (bytes) => elsewhere(bytes).buffer,
  "Uint8Array of another realm": (bytes) => elsewhere(bytes),
};

function placed(bytes: Uint8Array, offset: number): ArrayBuffer {
  const around = new Uint8Array(offset + bytes.length + 16).fill(0xa5);
  around.set(bytes, offset);
  return around.buffer;
}

function shared(bytes: Uint8Array): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

const elsewhere = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => runInNewContext("Uint8Array.from(bytes)", { bytes: Array.from(bytes) });

/** Bytes in one of the containers, in lengths that every element size divides. */
const given = (least: number, most: number) =>
  fc.record({
    name: fc.constantFrom(...Object.keys(CONTAINERS)),
    bytes: fc.array(fc.uint8Array({ minLength: 8, maxLength: 8 }), { minLength: least, maxLength: most }).map((words) => Uint8Array.from(words.flatMap((word) => [...word]))),
    offset: fc.nat(9),
  });

/** The pool of Buffer is shared with all of Node. */
const pooled = (holder: BytesLike) => Buffer.isBuffer(holder) && holder.buffer.byteLength === Buffer.poolSize;
/** All of the buffer, what lies beside the view too. */
const allOf = (holder: BytesLike) => Uint8Array.from(pooled(holder) ? (holder as Buffer) : new Uint8Array(ArrayBuffer.isView(holder) ? holder.buffer : holder));

function rc4OfCryptoJs(key: Uint8Array, data: Uint8Array): Uint8Array {
  const words = (bytes: Uint8Array) => CryptoJS.enc.Hex.parse(Buffer.from(bytes).toString("hex"));
  return Buffer.from(CryptoJS.RC4.encrypt(words(data), words(key)).ciphertext.toString(), "hex");
}

describe("bytes in every container", () => {
  test("encrypt as in crypto-js and arc4, and stay as they are", () => {
    fc.assert(fc.property(given(1, 32), given(0, 40), (key, data) => {
      const [k, d] = [CONTAINERS[key.name](key.bytes, key.offset), CONTAINERS[data.name](data.bytes, data.offset)];
      const before = [allOf(k), allOf(d)];
      const made = new ARC4(k).encrypt(d);
      expect([allOf(k), allOf(d)]).toEqual(before);
      expect(Object.getPrototypeOf(made)).toBe(Uint8Array.prototype);
      expect(made.buffer).not.toBe(ArrayBuffer.isView(d) ? d.buffer : d);
      expect(Buffer.from(made).equals(rc4OfCryptoJs(key.bytes, data.bytes))).toBe(true);
      expect(Buffer.from(made).equals(arc4("arc4", Buffer.from(key.bytes)).encodeBuffer(Buffer.from(data.bytes)))).toBe(true);
      expect(new FamilyCipher("rc4", k).encrypt(d)).toEqual(made);
    }), { numRuns: 150 });
  });

  test("are changed in place by apply and fill, and nothing beside them", () => {
    fc.assert(fc.property(given(0, 20), (data) => {
      const expected = new ARC4(KEY).encrypt(data.bytes);
      const keystream = new ARC4(KEY).keystream(data.bytes.length);
      for (const [change, result] of [["apply", expected], ["fill", keystream]] as const) {
        const holder = CONTAINERS[data.name](data.bytes, data.offset);
        const wanted = allOf(holder);
        wanted.set(result, ArrayBuffer.isView(holder) && !pooled(holder) ? holder.byteOffset : 0);
        expect(new ARC4(KEY)[change](holder)).toBe(holder);
        expect(allOf(holder)).toEqual(wanted);
      }
    }));
  });

  test("are keys, IVs and messages of every family alike", () => {
    fc.assert(fc.property(fc.constantFrom(...FAMILIES), given(1, 4), (family, key) => {
      const holder = CONTAINERS[key.name](key.bytes, key.offset);
      const plain = (bytes: BytesLike) => machineWords(family, bytes);
      expect(plain(holder)).toEqual(plain(key.bytes));
      expect(Spritz.hash256(holder)).toEqual(Spritz.hash256(key.bytes));
      const [one, other] = [new Uint8Array(256), new Uint8Array(256)];
      schedule(one, holder);
      schedule(other, key.bytes);
      expect(one).toEqual(other);
    }), { numRuns: 40 });
  });

  const machineWords = (family: Family, key: BytesLike) => {
    const steps = machine(family, key, families[family].iv ? { iv: key } : {});
    while (steps.steps < steps.setup) steps.step();
    return [steps.step(), steps.step(), steps.step()];
  };

  test("may change after a machine has taken them", () => {
    for (const family of FAMILIES) {
      const key = KEY.slice();
      const steps = machine(family, key, families[family].iv ? { iv: key } : {});
      key.fill(9);
      while (steps.steps < steps.setup) steps.step();
      expect([steps.step(), steps.step(), steps.step()], family).toEqual(machineWords(family, KEY));
    }
  });

  test("come in streams of every kind", async () => {
    await fc.assert(fc.asyncProperty(fc.array(given(0, 6), { maxLength: 6 }), async (chunks) => {
      const holders = () => chunks.map(({ name, bytes, offset }) => CONTAINERS[name](bytes, offset));
      const plain = Buffer.concat(chunks.map(({ bytes }) => bytes));
      const expected = Buffer.from(new ARC4(KEY).encrypt(plain));
      const stream = (of: readonly BytesLike[]) => new ReadableStream<BytesLike>({
        start: (sink) => {
          for (const each of of) sink.enqueue(each);
          sink.close();
        },
      });
      const kept = holders();
      const before = kept.map(allOf);
      const sources = [new Blob([plain]), stream(kept), Readable.from(holders(), { objectMode: true }), stream(holders()).pipeThrough(new TransformStream())];
      for (const source of sources) {
        const made = new ARC4(KEY).encryptStream(source as Blob);
        expect((await buffer(made as never)).equals(expected)).toBe(true);
      }
      expect(kept.map(allOf)).toEqual(before);
      expect((await buffer(new ARC4(KEY).decryptStream(new Blob([expected])) as never)).equals(plain)).toBe(true);
    }), { numRuns: 30 });
  });
});

test("a stream that is cancelled closes a source of Node that waits for bytes", async () => {
  // A socket waits so.
  const source = new Readable({ read: () => {} });
  const made = new ARC4(KEY).encryptStream(source).getReader();
  const waiting = made.read();
  await made.cancel("enough");
  expect((await waiting).done).toBe(true);
  expect(source.destroyed).toBe(true);
});

/** What is no bytes, with what an error calls it. */
const WRONG: readonly (readonly [given: unknown, kind: string])[] = [
  ["Key", "a string"], ["", "a string"], [7, "a number"], [7n, "a bigint"], [true, "a boolean"], [null, "null"], [undefined, "undefined"], [Symbol("x"), "a symbol"],
  [() => 1, "a function"], [[1, 2, 3], "an Array"], [{ length: 3 }, "an Object"], [{ byteLength: 3, [Symbol.toStringTag]: "ArrayBuffer" }, "an ArrayBuffer"],
  [new Blob(["x"]), "a Blob"], [Promise.resolve(KEY), "a Promise"], [new Date(0), "a Date"], [new String("Key"), "a String"], [new Response("x").body, "a ReadableStream"],
];

describe("what is no bytes", () => {
  const table = new Uint8Array(256);
  const entries: readonly (readonly [argument: string, call: (wrong: never) => unknown])[] = [
    ["the key", (wrong) => new ARC4(wrong)],
    ["the key", (wrong) => schedule(table, wrong)],
    ["the table", (wrong) => schedule(wrong, KEY)],
    ["the message", (wrong) => Spritz.hash256(wrong)],
    ["the key", (wrong) => new Spritz(wrong)],
    ...FAMILIES.flatMap((family) => [
      ["the key", (wrong: never) => new FamilyCipher(family, wrong, ivOf(family))] as const,
      ["the key", (wrong: never) => machine(family, wrong, ivOf(family))] as const,
    ]),
  ];
  test.each(entries)("is refused as %s", (argument, call) => {
    for (const [wrong, kind] of WRONG) {
      const refusal = `${argument} is ${kind}`;
      expect(() => call(wrong as never), refusal).toThrow(TypeError);
      expect(() => call(wrong as never), refusal).toThrow(refusal);
    }
  });

  test.each(FAMILIES.filter((family) => families[family].iv))("is refused as the IV of %s", (family) => {
    for (const [wrong, kind] of WRONG) {
      if (wrong === undefined) continue; // undefined is the same as no option
      for (const call of [() => new FamilyCipher(family, KEY, { iv: wrong as never }), () => machine(family, KEY, { iv: wrong as never })]) {
        expect(call, kind).toThrow(TypeError);
        expect(call, kind).toThrow(`the IV is ${kind}`);
      }
    }
  });

  test.each(["encrypt", "decrypt", "apply", "fill", "encryptStream", "decryptStream"] as const)("is refused by %s, before any keystream is taken", (method) => {
    for (const cipher of [new ARC4(KEY), new FamilyCipher("rc4", KEY)]) {
      for (const [wrong, kind] of WRONG) {
        if (method.endsWith("Stream") && ["a Blob", "a ReadableStream"].includes(kind)) continue;
        const argument = method === "fill" ? "out" : method.endsWith("Stream") ? "the source" : "data";
        expect(() => cipher[method](wrong as never), kind).toThrow(TypeError);
        expect(() => cipher[method](wrong as never), kind).toThrow(`${argument} is ${kind}`);
      }
      expect(cipher.keystream(8)).toEqual(new ARC4(KEY).keystream(8));
    }
  });

  test("is said with a remedy", () => {
    expect(() => new ARC4("Key" as never)).toThrow(
      "the key is a string; it must be an ArrayBuffer, a SharedArrayBuffer or a view of one, such as a Uint8Array or a Buffer; new TextEncoder().encode(text) gives the bytes of a text");
  });

  test("ends a stream with an error, and the source is closed", async () => {
    let closed = false;
    async function* source() {
      try {
        yield KEY;
        yield "text" as never;
        yield KEY;
      } finally {
        closed = true;
      }
    }
    const made = new ARC4(KEY).encryptStream(source()).getReader();
    await expect((async () => {
      while (!(await made.read()).done);
    })()).rejects.toThrow("a chunk of the stream is a string");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(closed).toBe(true);
  });

  test("is a view whose buffer is gone", () => {
    const moved = new Uint8Array(8);
    structuredClone(moved, { transfer: [moved.buffer] });
    const dataView = new DataView(new ArrayBuffer(8));
    structuredClone(dataView, { transfer: [dataView.buffer] });
    const gone: BytesLike[] = [moved, moved.buffer, dataView];
    const Resizable = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => ArrayBuffer & { resize?(length: number): void };
    const buffer = new Resizable(8, { maxByteLength: 8 });
    if (buffer.resize) {
      const views = [new Uint8Array(buffer, 4, 4), new Uint16Array(buffer, 4, 2), new DataView(buffer, 4, 4)];
      buffer.resize(2);
      gone.push(...views);
    }
    for (const each of gone) {
      expect(() => new ARC4(KEY).encrypt(each)).toThrow(TypeError);
      expect(() => new ARC4(KEY).encrypt(each)).toThrow("without its bytes: the buffer was transferred or shrunk");
    }
    expect(new ARC4(KEY).encrypt(new Uint8Array(0))).toHaveLength(0);
  });
});

describe("numbers", () => {
  const wrong: readonly (readonly [given: unknown, error: new () => Error, message: string])[] = [
    ["5", TypeError, "a string"], [1n, TypeError, "a bigint"], [null, TypeError, "null"], [[5], TypeError, "an Array"], [{}, TypeError, "an Object"], [true, TypeError, "a boolean"],
    [1.5, RangeError, "1.5"], [-1, RangeError, "-1"], [NaN, RangeError, "NaN"], [Infinity, RangeError, "Infinity"], [2 ** 53, RangeError, "9007199254740992"],
  ];
  test.each(wrong)("%o is none of bytes", (given, error, message) => {
    const number = given as number;
    const calls: readonly (readonly [string, () => unknown])[] = [
      ["drop", () => new ARC4(KEY, { drop: number })],
      ["drop", () => new FamilyCipher("rc4", KEY, { drop: number })],
      ["length", () => new ARC4(KEY).keystream(number)],
      ["the size", () => machine("rc4", KEY, { size: number as 8 })],
      ...(given === 1n ? [] : [["length", () => new ARC4(KEY).skip(number)], ["length", () => new FamilyCipher("parc4r", KEY).skip(number)]] as const),
    ];
    for (const [name, call] of calls) {
      expect(call, name).toThrow(error);
      expect(call, name).toThrow(`${name} is ${message}`);
    }
  });

  test("below zero are none as bigints either, and a length must be given", () => {
    expect(() => new ARC4(KEY).skip(-1n)).toThrow("length is -1; it must be 0 or more");
    expect(() => new ARC4(KEY).keystream(undefined as never)).toThrow("length is undefined");
  });

  test("of cells are those of SIZES, and a table has 256 bytes", () => {
    expect(() => machine("rc4", KEY, { size: 17 as 8 })).toThrow("the size is 17; it must be one of 8, 16, 64, 256");
    expect(() => schedule(new Uint8Array(255), KEY)).toThrow("the table has 255 bytes; it must have 256");
    expect(() => schedule(new Uint8Array(256), new Uint8Array())).toThrow("the key has 0 bytes");
  });
});

describe("names", () => {
  test.each(["nope", "toString", "__proto__", "constructor", "hasOwnProperty", "", "RC4", "rc4 "])("%o is no family", (name) => {
    for (const call of [() => new FamilyCipher(name as Family, KEY), () => machine(name as Family, KEY)]) {
      expect(call).toThrow(RangeError);
      expect(call).toThrow(`the family is ${JSON.stringify(name)}; it must be one of rc4, rc4a,`);
    }
  });

  test.each([[undefined, "undefined"], [["rc4"], "an Array"], [Symbol("rc4"), "a symbol"], [0, "a number"]])("a family is a string, not %o", (name, kind) => {
    expect(() => machine(name as never, KEY)).toThrow(TypeError);
    expect(() => machine(name as never, KEY)).toThrow(`the family is ${kind}`);
  });

  test("of options are not misspelt, and options are an object", () => {
    expect(() => new ARC4(KEY, { dorp: 3072 } as never)).toThrow('ARC4 has no option "dorp"; it has drop');
    expect(() => new ARC4(KEY, { iv: KEY } as never)).toThrow('ARC4 has no option "iv"');
    expect(() => new FamilyCipher("rc4", KEY, { size: 16 } as never)).toThrow('FamilyCipher has no option "size"; it has iv, drop');
    expect(() => machine("rc4", KEY, { drop: 1 } as never)).toThrow('machine has no option "drop"; it has iv, size');
    for (const [options, kind] of [[3072, "a number"], [null, "null"], [KEY, "a Uint8Array"], [KEY.buffer, "an ArrayBuffer"], ["drop", "a string"], [[], "an Array"]] as const) {
      expect(() => new ARC4(KEY, options as never)).toThrow(`the options of ARC4 are ${kind}`);
      expect(() => new FamilyCipher("rc4", KEY, options as never)).toThrow(TypeError);
      expect(() => machine("rc4", KEY, options as never)).toThrow(TypeError);
    }
  });

  test("a trace is a Trace", () => {
    const steps = machine("rc4", KEY);
    expect(() => steps.step(true as never)).toThrow("the trace is a boolean; it must be a Trace");
    expect(steps.steps).toBe(0);
    expect(() => steps.skip(1)).toThrow("the key schedule has 256 steps, and 0 are done; finish it first");
    steps.step(new Trace());
    expect(steps.steps).toBe(1);
  });
});
