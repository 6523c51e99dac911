import { ARC4 } from "arcfour";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { tour } from "../../src/tour.js";
import { BROWSER, Tab, launch } from "./browser.js";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

describe(`in ${BROWSER}`, () => {
  test("every stop of the tour is drawn, without a message, a request or anything beside the page", async () => {
    const tab = await Tab.open(browser);
    for (const { link, title } of tour) {
      await tab.go(`${link}&tour=${tour.findIndex((stop) => stop.title === title) + 1}`.replace(/^#(\w+)&/, "#$1?"));
      await tab.rest();
      expect(await tab.text(".tour h2")).toBe(title);
      expect((await tab.text("main")).length).toBeGreaterThan(100);
      expect(await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth), title).toBeLessThanOrEqual(0);
    }
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test("a link is followed though the page is about to write its own address", async () => {
    const tab = await Tab.open(browser);
    for (let time = 0; time < 2; time++) {
      await tab.go("#steps?key=text:Key");
      await tab.rest();
      await tab.fill("Key", "another");
      // The page writes its address a quarter of a second after a change: before it hears of the link.
      await tab.page.evaluate(() => {
        const end = performance.now() + 400;
        while (performance.now() < end);
        location.hash = "#leaks";
      });
      await tab.rest(300);
      expect(await tab.page.evaluate(() => location.hash)).toMatch(/^#leaks/);
      expect(await tab.page.title()).toBe("Why it leaks: RC4, step by step");
    }
    await tab.page.close();
  });

  test("the page encrypts as the package does, and the classic vector as everybody does", async () => {
    const tab = await Tab.open(browser, "#steps?key=text:Key&text=text:Plaintext&base=16&at=265");
    const row = async () => (await tab.texts(".strip .cipher td")).join("");
    expect(await row()).toBe("bbf316e8d940af0ad3");
    await tab.fill("Key", "another");
    const expected = new ARC4(new TextEncoder().encode("another")).encrypt(new TextEncoder().encode("Plaintext"));
    expect(await row()).toBe(Buffer.from(expected).toString("hex"));
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test("the first screen moves before any click, until Pause, and not if little motion is asked for", async () => {
    const tab = await Tab.open(browser);
    const moved = async () => {
      const before = await tab.cells();
      await tab.rest(2000);
      return (await tab.cells()) !== before;
    };
    const top = await tab.page.$eval(".atwork .grid", (grid) => grid.getBoundingClientRect().top);
    expect(top).toBeLessThan(600);
    expect(await moved()).toBe(false);
    await tab.press("▶ Play");
    expect(await moved()).toBe(true);
    // Firefox takes no wish about motion from its driver while it runs.
    if (BROWSER === "chromium") {
      await tab.page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "no-preference" }]);
      await tab.page.reload();
      await tab.page.waitForSelector(".atwork");
      expect(await moved()).toBe(true);
    }
    await tab.press("Pause");
    expect(await moved()).toBe(false);
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test("a step back gives the state there was, by key and by button", async () => {
    const tab = await Tab.open(browser, "#steps?n=16&base=10&at=14");
    const before = [await tab.cells(), await tab.text(".doing")];
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"] as const) await tab.page.keyboard.press(key);
    await tab.rest();
    expect(await tab.cells()).not.toBe(before[0]);
    await tab.press("◀ Back");
    expect([await tab.cells(), await tab.text(".doing")]).toEqual(before);
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });

  test("the worker counts", async () => {
    const tab = await Tab.open(browser, "#leaks?topic=map");
    await tab.page.select("main select", "100000");
    await tab.press("Count");
    await tab.page.waitForFunction(() => (document.querySelector(".done") as HTMLElement).innerText === "100,000", { timeout: 30_000 });
    // 390.6 by chance and as many again: at least 12 standard deviations above chance.
    const here = (await tab.texts(".cellinfo .note")).find((text) => text.startsWith("Here:")) ?? "";
    expect(Number(here.match(/Here: (\d+) of 100,000/)?.[1])).toBeGreaterThan(390 + 12 * 19.7);
    expect(tab.complaints).toEqual([]);
    await tab.page.close();
  });
});
