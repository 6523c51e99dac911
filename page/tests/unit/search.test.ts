import { ARC4 } from "arcfour";
import { describe, expect, test } from "vitest";

import { toHex } from "../../src/input.js";
import { type Mask, keyAt, maskOf, sizeOf } from "../../src/keys.js";
import { type Device, type Searched, KEPT, rateOf, search } from "../../src/search.js";

describe("a mask", () => {
  test.each([
    ["", "The mask has 0 bytes; it must have 1 to 256."],
    ["4", "The mask has 1 digits, an odd number; a byte has two."],
    ["?? 4g", "The mask has “g” at place 5, which is neither a hex digit nor a question mark."],
    ["00".repeat(257), "The mask has 257 bytes; it must have 1 to 256."],
    ["?".repeat(512), "The mask has 2^2048 keys; it must have at most 2^48."],
    ["?".repeat(14), "The mask has 2^56 keys; it must have at most 2^48."],
  ])("“%s” is refused", (text, error) => expect(maskOf(text)).toEqual({ error }));

  test("has its keys in order, the last byte the fastest", () => {
    const mask = maskOf("3? 0A ?f").mask as Mask;
    expect(sizeOf(mask)).toBe(256);
    expect([0, 1, 16, 255].map((number) => toHex(keyAt(mask, number)))).toEqual(["300a0f", "300a1f", "310a0f", "3f0aff"]);
    const large = maskOf("?? ?? ?? ?? ?? ??").mask as Mask;
    expect(toHex(keyAt(large, 0x123456789abc))).toBe("123456789abc");
  });
});

describe("a search", () => {
  const mask = maskOf("4b ?? ??").mask as Mask;
  const known = new ARC4(Uint8Array.of(0x4b, 0x65, 0x79)).keystream(1);
  const right = Array.from({ length: 65_536 }, (_, number) => keyAt(mask, number)).filter((key) => new ARC4(key).keystream(1)[0] === known[0]).map(toHex);

  async function run(gpu?: () => Promise<Device>): Promise<Searched> {
    let last: Searched | undefined;
    let before = 0;
    for await (const state of search({ mask, known }, gpu)) {
      expect(state.done).toBeGreaterThan(before);
      before = state.done;
      last = state;
    }
    return last as Searched;
  }
  const all = { done: 65_536, found: right.length };

  test("on the processor tries every key once", async () => {
    const found = await run();
    expect(found).toMatchObject({ ...all, device: "the processor" });
    expect(found.failure).toBeUndefined();
    expect(right.length).toBeGreaterThan(KEPT);
    expect(found.keys.map(toHex)).toEqual(right.slice(0, KEPT));
  });

  test("goes on on the processor where a GPU fails, and tests what a GPU names", async () => {
    const asked: [number, number][] = [];
    const gpu: Device = {
      name: "a GPU", most: 5000,
      candidates: async (first, count) => {
        if (asked.push([first, count]) === 4) throw new Error("It is lost");
        return Array.from({ length: count }, (_, n) => first + n);
      },
    };
    const found = await run(async () => gpu);
    let next = 0;
    for (const [first, count] of asked) {
      expect(first).toBe(next);
      expect(count).toBeLessThanOrEqual(5000);
      next += count;
    }
    expect(asked).toHaveLength(4);
    expect(found).toMatchObject({ ...all, device: "the processor", failure: "It is lost, so the processor searches." });
    expect(found.keys.map(toHex)).toEqual(right.slice(0, KEPT));
  });

  test("is the processor's where there is no GPU", async () => {
    expect(await run(() => Promise.reject(new Error("There is none")))).toMatchObject({ ...all, failure: "There is none, so the processor searches." });
  });

  test.each([[0, undefined], [0.01, undefined], [0.02, 50_000], [2, 500]])("of %d seconds has the rate %s", (seconds, rate) => {
    expect(rateOf({ device: "the processor", done: 1000, found: 0, keys: [], seconds })).toBe(rate);
  });
});
