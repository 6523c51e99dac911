import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { ARC4 } from "arcfour";
import { build } from "esbuild";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { toHex } from "../../src/input.js";
import { keyAt, maskOf, sizeOf, type Mask } from "../../src/keys.js";
import { KEPT } from "../../src/search.js";
import { BROWSER, SWIFTSHADER, Tab, launch } from "./browser.js";

/** Milliseconds for a search by SwiftShader on a busy machine. */
const PATIENCE = 120_000;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Mask, right key, and number of known bytes. */
const CASES = [
  ["4b ?5 ??", "4b6579", 9], ["?? 0?", "7f03", 3], ["?f ?f 41 ??", "1f8f4107", 1], ["01 02 03 04 05 06 07 ?? 09 0? 0b 0c 0d 0e 0f 10", "0102030405060708090a0b0c0d0e0f10", 40],
  ["a1 b2 c3", "a1b2c3", 2], ["a1 b2 c4", "a1b2c3", 2], [`${"5a".repeat(251)} ?? 0? 01 02 03`, `${"5a".repeat(251)}9905010203`, 5],
] as const;

const unhex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
const mask = (text: string) => maskOf(text).mask as Mask;
const keystream = (key: string, count: number) => new ARC4(unhex(key)).keystream(count);

/** The right keys, by the package's cipher. */
function right(text: string, known: Uint8Array): string[] {
  const all = mask(text);
  const keys = Array.from({ length: sizeOf(all) }, (_, number) => keyAt(all, number));
  return keys.filter((key) => Buffer.from(new ARC4(key).keystream(known.length)).equals(known)).map(toHex);
}

/** Searches in the page to the end. Returns the found keys, and the line with the device. */
async function find(tab: Tab, text: string, known: Uint8Array, device: string) {
  await tab.go(`#search?mask=${encodeURIComponent(text)}&cipher=hex:${toHex(known)}&plain=hex:${"00".repeat(known.length)}&device=${device}`);
  await tab.press("Search");
  await tab.page.waitForFunction(() => / fits?\.$/.test((document.querySelector(".verdict") as HTMLElement).innerText), { timeout: PATIENCE });
  const keys = await tab.texts(".found code");
  return { keys: keys.map((key) => key.replace(/ \(.*|\s/g, "")), line: await tab.text(".verdict") };
}

/** The GPU's search and the processor's, in a browser with WebGPU. */
describe.runIf(BROWSER === "chromium")(`in ${BROWSER} with WebGPU on SwiftShader`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(...SWIFTSHADER);
  });
  afterAll(() => browser?.close());

  test.each(CASES)("the GPU and the processor find the keys that the package's cipher finds, case %#", async (text, key, count) => {
    const tab = await Tab.open(browser, "#search");
    const known = keystream(key, count);
    const keys = right(text, known);
    for (const [device, name] of [["gpu", "on the GPU google"], ["cpu", "on the processor"]] as const) {
      const found = await find(tab, text, known, device);
      expect(found.line).toContain(name);
      expect(found.line).toMatch(keys.length === 1 ? /\. One key fits\.$/ : keys.length ? new RegExp(`\\. ${keys.length.toLocaleString("en")} keys fit\\.$`) : /\. No key fits\.$/);
      expect(found.keys).toEqual(keys.slice(0, KEPT));
    }
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  }, 2 * PATIENCE);

  test("a search that is stopped says so, and tries no more keys", async () => {
    const tab = await Tab.open(browser, "#search");
    for (const device of ["gpu", "cpu"]) {
      await tab.go(`#search?mask=${encodeURIComponent("?? ?? ?? ?? ??")}&device=${device}`);
      await tab.press("Search");
      await tab.page.waitForFunction(() => (document.querySelector(".done") as HTMLElement).innerText !== "0");
      await tab.press("Stop");
      expect(await tab.text(".verdict")).toMatch(/; stopped\.$/);
      const done = await tab.text(".done");
      await tab.rest(1000);
      expect(await tab.text(".done")).toBe(done);
    }
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test.each([
    ["is lost", "GPUBuffer.prototype.mapAsync = function (...given) { opened.destroy(); return map.apply(this, given); }", /^The GPU was lost: .*, so the processor searches\.$/],
    ["is silent", "GPUBuffer.prototype.mapAsync = () => new Promise(() => {}); const wait = setTimeout; setTimeout = (done) => wait(done, 0)", /^The GPU did not answer for 60 seconds, so the processor searches\.$/],
  ])("the processor goes on if the GPU %s", async (_, fault, line) => {
    const tab = await Tab.open(browser);
    const kernel = readFileSync(here("../../../gpu/src/kernel.wgsl"), "utf8");
    const { outputFiles } = await build({
      stdin: { contents: 'export { search } from "./search.js"; export { webgpu } from "./webgpu.js";', resolveDir: here("../../src"), loader: "ts" },
      bundle: true, write: false, format: "iife", globalName: "parts", target: "es2022", tsconfig: here("../../src/tsconfig.json"),
      plugins: [{ name: "kernel", setup: ({ onResolve, onLoad }) => {
        onResolve({ filter: /^built:kernel$/ }, () => ({ path: "kernel", namespace: "kernel" }));
        onLoad({ filter: /.*/, namespace: "kernel" }, () => ({ contents: kernel, loader: "text" }));
      } }],
    });
    const known = keystream("4b6579", 1);
    const task = `{ mask: ${JSON.stringify(mask("4b 6? ??"))}, known: Uint8Array.of(${known}) }`;
    const found = await tab.page.evaluate(`(async () => {
      ${outputFiles[0].text}
      let opened;
      const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...given) { return (opened = await request.apply(this, given)); };
      const map = GPUBuffer.prototype.mapAsync;
      // The second block fails.
      let blocks = 0;
      const gpu = async (task) => {
        const device = await parts.webgpu(task);
        const candidates = device.candidates;
        device.candidates = (...given) => { if (blocks++ === 1) { ${fault} } return candidates(...given); };
        return device;
      };
      let last;
      for await (const state of parts.search(${task}, gpu)) last = state;
      return { ...last, blocks, keys: last.keys.map((key) => Array.from(key)) };
    })()`) as { failure: string; blocks: number; done: number; keys: number[][] };
    expect(found.failure).toMatch(line);
    expect(found.blocks).toBe(2);
    expect(found.done).toBe(4096);
    expect(found.keys.map(toHex)).toEqual(right("4b 6? ??", known));
    await tab.page.close();
  });
});

test(`in ${BROWSER} without WebGPU, a line says so and the processor searches`, async () => {
  const browser = await launch();
  try {
    const tab = await Tab.open(browser, "#search");
    const { keys, line } = await find(tab, "4b 65 ??", keystream("4b6579", 3), "gpu");
    expect(line).toMatch(/^This browser has (no WebGPU|WebGPU and finds no GPU), so the processor searches\. .* on the processor\. One key fits\.$/);
    expect(keys).toEqual(["4b6579"]);
    await tab.go("#search?mask=4");
    await tab.rest();
    expect(await tab.texts(".wrong")).toEqual(["The mask has 1 digits, an odd number; a byte has two."]);
    expect(await tab.page.$eval("button.main", (button) => button.disabled)).toBe(true);
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  } finally {
    await browser.close();
  }
});
