import { mkdirSync } from "node:fs";

import axe from "axe-core";
import type { Browser } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { BROWSER, Tab, launch } from "./browser.js";

const STATES: readonly (readonly [name: string, link: string])[] = [
  ["start", "#start?"], ["steps-8", "#steps?n=8&base=10&at=12"], ["steps-16", "#steps?n=16&base=10&at=20"], ["steps-64", "#steps?n=64&at=70"], ["steps-256", "#steps?at=259"],
  ["steps-long", "#steps?at=300&text=text:A message that is longer than one line of the page can be shown in, so that it must be scrolled along by whoever reads it"],
  ["rc4plus", "#steps?family=rc4plus&at=260"], ["spritz", "#steps?family=spritz&at=1800"], ["rc4a", "#steps?family=rc4a&n=256&at=600"], ["parc4i", "#steps?family=parc4i&n=16&base=10&at=19"],
  ["parc4r", "#steps?family=parc4r&at=3330"], ["wrong", "#steps?key=hex:123&text=hex:zz&drop=-1"], ["tour", "#steps?n=16&base=10&at=3&tour=1"], ["families", "#families?"], ["map", "#leaks?topic=map"],
  ["second", "#leaks?topic=second&at=2"], ["roos", "#leaks?topic=roos"], ["glimpse", "#leaks?topic=glimpse"], ["twice", "#twice?at=6&shown=yes"], ["spec", "#hardware?at=20"],
  ["design2", "#hardware?core=rc4_design2&n=256&at=20"], ["speed", "#speed?"],
  ["search", "#search?"], ["search-wrong", "#search?mask=4g&cipher=hex:12&plain=hex:"],
];
const SIZES = [
  { device: "a phone by day", width: 390, height: 844, look: "&theme=light" }, { device: "a desk by night", width: 1280, height: 900, look: "&theme=dark" },
  { device: "a lecture hall", width: 1920, height: 1080, look: "&theme=light&size=large" },
];
const PICTURES = process.env.ARCFOUR_SCREENSHOTS;

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser?.close());

/** Buttons, boxes and words that lie over one another or are cut off, and whether the page is wider than the window. */
function faults(): string[] {
  const found: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide, the window ${innerWidth}`);
  const seen = (element: Element) => element.checkVisibility() && !element.closest(".unseen, .skip") && element.getBoundingClientRect().width > 1;
  const scrolls = (element: Element) => element.closest(".strip, nav");
  const name = (element: Element) => `${element.tagName.toLowerCase()} “${(element as HTMLElement).innerText?.slice(0, 30) || element.id || element.className}”`;
  const parts = [...document.querySelectorAll("main button, main input, main select, main label, main h1, main h2, main h3, main p, main figcaption, header a, header button, .tour p, .tour h2")].filter((each) => seen(each) && !scrolls(each));
  for (const [n, a] of parts.entries()) {
    const one = a.getBoundingClientRect();
    for (const b of parts.slice(n + 1)) {
      if (a.contains(b) || b.contains(a)) continue;
      const two = b.getBoundingClientRect();
      const width = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const height = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      // Lines of text may share a pixel or two.
      if (width > 2 && height > 3 && !(a.closest("header") || b.closest("header"))) found.push(`${name(a)} lies over ${name(b)}`);
    }
    if (one.right > innerWidth + 1 || one.left < -1) found.push(`${name(a)} is cut off at the side`);
  }
  for (const element of document.querySelectorAll("main button, main .term, main .cell b, .stages li, .families li, .cards a, .cell i")) {
    if (!seen(element)) continue;
    if (element.scrollWidth > element.clientWidth + 2 && element.clientWidth > 0 && getComputedStyle(element).display !== "inline") found.push(`${name(element)} holds more than it shows`);
  }
  for (const cell of document.querySelectorAll(".cell")) {
    const word = cell.querySelector("b") as HTMLElement;
    const range = document.createRange();
    range.selectNodeContents(word);
    const [inner, outer] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    if (inner.width > outer.width + 1) found.push(`a cell of ${outer.width.toFixed(0)} holds a number of ${inner.width.toFixed(0)} pixels`);
  }
  return [...new Set(found)];
}

test.each(SIZES)(`in ${BROWSER}, on $device, nothing is cut off or lies over another, and axe-core finds nothing`, async ({ width, height, look }) => {
  const tab = await Tab.open(browser, "", [width, height]);
  await tab.page.evaluate(axe.source);
  const wrong: string[] = [];
  for (const [name, link] of STATES) {
    await tab.go(link + look);
    await tab.rest(200);
    for (const fault of await tab.page.evaluate(faults)) wrong.push(`${name}: ${fault}`);
    const { violations } = await tab.page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
    for (const { id, nodes } of violations) for (const { target, failureSummary } of nodes.slice(0, 3)) wrong.push(`${name}: ${id}: ${target.join(" ")}: ${failureSummary}`);
    if (PICTURES) {
      mkdirSync(PICTURES, { recursive: true });
      await tab.page.screenshot({ path: `${PICTURES}/${name}-${width}-${BROWSER}.png` as `${string}.png`, fullPage: true });
    }
  }
  expect(wrong).toEqual([]);
  expect(tab.complaints).toEqual([]);
  await tab.page.close();
}, 300_000);
