import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type Family, families, machine } from "arcfour";
import { buildSync } from "esbuild";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DEEP_FILE, HASH_FILES, KEYSTREAM_FILES, MESSAGE_FILES } from "../vectors.js";
import { BROWSER, Tab, launch } from "./browser.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const vectors = (name: string) => readFileSync(here(`../../../vectors/${name}.txt`), "utf8");

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

describe(`in ${BROWSER}, the package`, () => {
  let tab: Tab;
  beforeAll(async () => {
    tab = await Tab.open(browser);
    const { outputFiles } = buildSync({ entryPoints: [here("../vectors.ts")], bundle: true, write: false, format: "iife", globalName: "checks", target: "es2022" });
    await tab.page.evaluate(`${outputFiles[0].text}; globalThis.checks = checks;`);
  });
  afterAll(() => tab.page.close());

  const run = (check: string, ...given: unknown[]) =>
    tab.page.evaluate(`JSON.stringify(checks.${check}(${given.map((each) => (each === Infinity ? "Infinity" : JSON.stringify(each))).join(", ")}))`).then((text) => JSON.parse(text as string));
  const RIGHT = { wrong: [], count: expect.toSatisfy((count: number) => count > 0) };

  test.each(KEYSTREAM_FILES)("gives the vectors of %s", async (file, family) => {
    expect(await run("checkKeystream", vectors(file), family)).toEqual(RIGHT);
    if (family === "rc4") expect(await run("checkKeystream", vectors(file), family, true)).toEqual(RIGHT);
  });
  test.each(HASH_FILES)("gives the vectors of %s", async (file) => expect(await run("checkHashes", vectors(file))).toEqual(RIGHT));
  test.each(MESSAGE_FILES)("gives the vectors of %s", async (file) => expect(await run("checkMessages", vectors(file))).toEqual(RIGHT));
  test("gives rc4-deep to 2^26", async () => expect(await run("checkKeystream", vectors(DEEP_FILE), "rc4", true, 2 ** 26)).toEqual({ wrong: [], count: 19 }));
});

describe(`in ${BROWSER}, the player`, () => {
  const starts = (Object.keys(families) as Family[]).flatMap((family) => (families[family].sizes ? [8, 16, 64, 256] as const : [256] as const).map((size) => [family, size] as const));
  const state = (family: Family, size: 8 | 16 | 64 | 256, at: number) => {
    const made = machine(family, new TextEncoder().encode("Key"), { size, iv: families[family].iv ? new TextEncoder().encode("IV") : undefined });
    while (made.steps < at) made.step();
    return made.tables.map((table) => Array.from(table).join(" ")).join(" ");
  };

  test.each(starts)("shows %s with %d cells, forward and back", async (family, size) => {
    const { setup } = machine(family, Uint8Array.of(1, 2, 3), { size, iv: families[family].iv ? Uint8Array.of(1) : undefined });
    const tab = await Tab.open(browser, `#steps?family=${family}&n=${size}&base=10&at=${setup + 3}`);
    expect(await tab.cells()).toBe(state(family, size, setup + 3));
    const text = await tab.text(".doing");
    for (const [to, key] of [[setup + 2, "ArrowLeft"], [setup + 1, "ArrowLeft"], [0, "Home"], [1, "ArrowRight"], [setup, "n"]] as const) {
      await tab.page.keyboard.press(key);
      await tab.rest();
      expect(await tab.cells(), `step ${to}`).toBe(state(family, size, to));
    }
    await tab.fill("Step", String(setup + 3));
    expect(await tab.cells()).toBe(state(family, size, setup + 3));
    expect(await tab.text(".doing")).toBe(text);
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test("plays, pauses and changes its speed from the keyboard", async () => {
    const tab = await Tab.open(browser, "#steps?n=16&at=0&speed=8");
    const at = async () => Number(await tab.page.$eval("input[type=range]", (slider) => (slider as HTMLInputElement).value));
    await tab.page.keyboard.press(" ");
    await tab.rest(700);
    await tab.page.keyboard.press(" ");
    const paused = await at();
    expect(paused).toBeGreaterThan(1);
    await tab.rest(300);
    expect(await at()).toBe(paused);
    await tab.page.keyboard.press("+");
    await tab.rest();
    expect(await tab.page.$eval(".speed select", (select) => (select as HTMLSelectElement).value)).toBe("16");
    await tab.page.keyboard.press("End");
    await tab.rest();
    expect(await at()).toBe(16 + 9);
    // Keys that are typed into a box are the box's.
    await tab.page.focus(".box input[type=text]");
    await tab.page.keyboard.press("Home");
    await tab.page.keyboard.type(" n");
    await tab.rest();
    expect(await at()).toBe(16 + 9);
    await tab.page.close();
  });

  test("says each step to a screen reader", async () => {
    const tab = await Tab.open(browser, "#steps?n=16&base=10&key=hex:0102030405&at=1");
    await tab.page.keyboard.press("ArrowRight");
    await tab.rest(300);
    expect(await tab.page.$eval("[role=status]", (element) => element.textContent)).toBe("Step 2, key schedule; i = 1; j = j + S[i] + K[1] = 1 + 0 + 2 = 3; swap cells 1 and 3.");
    await tab.page.close();
  });

  test("animates nothing for whoever asks for little motion", async () => {
    const tab = await Tab.open(browser, "#steps?n=16&at=3");
    const moving = () => tab.page.evaluate(() => document.querySelectorAll(".moving").length);
    await tab.page.keyboard.press("ArrowRight");
    await tab.rest(0);
    expect(await moving()).toBe(0);
    // Firefox takes no such wish from its driver while it runs.
    if (BROWSER === "chromium") {
      await tab.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
      await tab.page.keyboard.press("ArrowRight");
      await tab.rest(0);
      expect(await moving()).toBe(2);
    }
    await tab.page.close();
  });
});

describe(`in ${BROWSER}, a link`, () => {
  const whole = async (tab: Tab) => [await tab.text("main"), await tab.cells(), await tab.page.$$eval("main input, main select, header button", (boxes) => boxes.map((box) => (box as HTMLInputElement).value + box.getAttribute("aria-pressed")))];

  test("holds all of the player", async () => {
    const tab = await Tab.open(browser, "#steps");
    await tab.page.select("#family", "rc4a");
    await tab.press("64");
    await tab.fill("Key", "né &=#?%+");
    await tab.fill("Message", "two words");
    await tab.fill("Drop", "12");
    await tab.press("decimal");
    await tab.press("Large type, for a lecture hall");
    await tab.fill("Step", "150");
    await tab.rest(400);
    const link = await tab.hash();
    expect(link).toContain("family=rc4a");
    const other = await Tab.open(browser, link);
    await other.rest(400);
    expect(await whole(other)).toEqual(await whole(tab));
    expect(await other.page.evaluate(() => document.documentElement.dataset.size)).toBe("large");
    expect(other.complaints).toEqual([]);
    await tab.page.close();
    await other.page.close();
  });

  test.each(["#leaks?topic=second&key=hex:0102030405&at=1", "#leaks?topic=roos&key=text:abc&cell=7", "#leaks?topic=map&r=48&v=208", "#leaks?topic=glimpse&n=16",
    "#twice?one=text:first&two=text:second one&crib=on&at=2&shown=yes", "#hardware?core=rc4_design2&n=256&at=33", "#families?key=hex:00ff"])("%s comes back as it was", async (link) => {
    const tab = await Tab.open(browser, link);
    await tab.rest(400);
    const written = await tab.hash();
    for (const [name, value] of new URLSearchParams(link.split("?")[1])) expect(new URLSearchParams(written.split("?")[1]).get(name)).toBe(value);
    const other = await Tab.open(browser, written);
    await other.rest(400);
    expect(await whole(other)).toEqual(await whole(tab));
    await tab.page.close();
    await other.page.close();
  });

  test("of nonsense leads somewhere, without a message", async () => {
    const tab = await Tab.open(browser, "#steps?family=none&n=17&key=bad&at=-5&speed=x&drop=%00&base=7&theme=red");
    expect(await tab.page.$$eval(".cell", (cells) => cells.length)).toBe(256);
    for (const link of ["#leaks?topic=x&r=999&v=-1", "#hardware?core=x&n=3&at=999999", "#twice?at=9e9&crib=", "#nowhere", "#steps?tour=99&key=hex:zz"]) {
      await tab.go(link);
      await tab.rest();
      expect((await tab.text("h1")).length).toBeGreaterThan(5);
    }
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });
});

test(`in ${BROWSER}, bad input is said beside its box, and nothing breaks`, async () => {
  const tab = await Tab.open(browser, "#steps?n=16&at=20");
  const before = await tab.cells();
  for (const [label, value, message] of [
    ["Key", "", "The key is empty; it must have 1 to 256 bytes."],
    ["Key", "x".repeat(257), "The key has 257 bytes; it must have 1 to 256."],
    ["Message", "x".repeat(5000), "The message has 5,000 bytes; it must have at most 4,096."],
    ["Drop", "-1", "The drop is “-1”; it must be a whole number from 0 to 100,000."],
    ["Drop", "1e9", "The drop is “1e9”; it must be a whole number from 0 to 100,000."],
  ] as const) {
    await tab.fill(label, value);
    expect(await tab.texts(".box .wrong")).toContain(message);
    expect(await tab.page.$eval("[aria-invalid=true]", (box) => document.getElementById(box.getAttribute("aria-describedby") as string)?.getAttribute("role"))).toBe("alert");
    expect(await tab.cells()).toBe(before);
    await tab.fill("Key", "Key");
    await tab.fill("Message", "Plaintext");
    await tab.fill("Drop", "0");
    expect(await tab.texts(".wrong")).toEqual([]);
  }
  await tab.go("#steps?key=hex:123");
  await tab.rest();
  expect(await tab.texts(".box .wrong")).toEqual(["The key has 3 hex digits, an odd number; a byte has two."]);
  await tab.page.select("#family", "spritz");
  await tab.rest();
  expect(await tab.page.$$eval("fieldset button:disabled", (buttons) => buttons.map((button) => button.textContent))).toEqual(["8", "16", "64"]);
  expect(tab.complaints).toEqual([]);
  await tab.page.close();
});

test(`in ${BROWSER}, a crib that is right reads the other message`, async () => {
  const tab = await Tab.open(browser, "#twice?at=0");
  for (const place of await tab.texts(".worth button")) {
    await tab.press(place);
    expect(await tab.text(".verdict")).toContain("letters all the way");
  }
  await tab.fill("Crib", "under");
  expect(await tab.texts(".worth button")).toContain("byte 9");
  const cell = await (await tab.page.$$(".guess td"))[8].boundingBox();
  const middle = { x: (cell?.x ?? 0) + 75, y: (cell?.y ?? 0) + 10 };
  await tab.page.mouse.move(middle.x - 120, middle.y);
  await tab.page.mouse.down();
  await tab.page.mouse.move(middle.x - 60, middle.y, { steps: 4 });
  await tab.page.mouse.move(middle.x, middle.y, { steps: 4 });
  await tab.page.mouse.up();
  await tab.rest();
  expect(await tab.text(".verdict")).toContain("“under” at byte 9 gives “he ea”");
  expect(tab.complaints).toEqual([]);
  await tab.page.close();
});

test(`in ${BROWSER}, a click on the map says which bias it is, with its source`, async () => {
  const tab = await Tab.open(browser, "#leaks?topic=map");
  const boxes = await tab.page.$$(".frame canvas");
  const map = await boxes[1].boundingBox();
  if (!map) throw new Error("the map has no place");
  // The cell of byte 16 and value 240: the sixteenth from the left and from the top; its first whole pixel.
  await tab.page.mouse.click(Math.ceil(map.x + (15 / 256) * map.width), Math.ceil(map.y + (15 / 256) * map.height));
  await tab.rest();
  expect(await tab.text(".cellinfo h2")).toMatch(/Z\s*16 = 240/);
  expect(await tab.text(".cellinfo")).toContain("Source: Sen Gupta et al. 2014.");
  // Warm where there are more: red well above blue.
  const pixels = await tab.page.$$eval(".frame canvas", (all) => Array.from((all[1].getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, 256, 256).data));
  const colour = (r: number, value: number) => pixels.slice(4 * (256 * (255 - value) + r - 1));
  const [warm, cool] = [colour(2, 0), colour(2, 1)];
  expect(warm[0] - warm[2]).toBeGreaterThan(80);
  expect(cool[2] - cool[0]).toBeGreaterThan(80);
  expect(tab.complaints).toEqual([]);
  await tab.page.close();
});

test(`in ${BROWSER}, the speed is measured after verifying`, async () => {
  const tab = await Tab.open(browser, "#speed");
  await tab.press("Measure");
  await tab.page.waitForFunction(() => document.querySelectorAll(".here .number").length === 2 && document.querySelector(".counting .main"), { timeout: 50_000 });
  for (const rate of await tab.texts(".here .number")) expect(Number(rate.replace(/,/g, ""))).toBeGreaterThan(1);
  for (const name of ["JavaScript", "C, as WebAssembly"]) expect(await tab.text("main")).toContain(`${name}: 252 vectors right.`);
  expect(tab.complaints).toEqual([]);
  await tab.page.close();
});

test(`in ${BROWSER}, a request would be refused, and noticed here`, async () => {
  const tab = await Tab.open(browser);
  const refused = await tab.page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "answered", () => "refused"));
  expect(refused).toBe("refused");
  await tab.rest(100);
  expect(tab.complaints.join()).toMatch(/Content.Security.Policy/i);
  await tab.page.close();
});
