import { pathToFileURL } from "node:url";

import puppeteer, { type Browser, type Page } from "puppeteer-core";

/** The driven browser: Debian's chromium or firefox-esr. */
export const BROWSER = process.env.BROWSER === "firefox" ? "firefox" : "chromium";
const URL_OF_PAGE = pathToFileURL(process.env.PAGE ?? new URL("../../../target/page/index.html", import.meta.url).pathname).href;

/** What gives Chromium a GPU that is a program, SwiftShader. */
export const SWIFTSHADER = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--use-vulkan=swiftshader"];

/** A browser with nothing on its screen, that asks for little motion, so that pictures hold still. */
export function launch(...args: string[]): Promise<Browser> {
  if (BROWSER === "firefox")
    return puppeteer.launch({ browser: "firefox", executablePath: "/usr/bin/firefox-esr", extraPrefsFirefox: { "ui.prefersReducedMotion": 1 } });
  return puppeteer.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--force-prefers-reduced-motion", ...args] });
}

/** A tab, and its forbidden events: messages on the console, errors, requests. */
export class Tab {
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.on("console", (message) => this.complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => this.complaints.push(`error: ${(error as Error).message}`));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && request.url().split("#")[0] !== URL_OF_PAGE) this.complaints.push(`request: ${request.url()}`);
    });
  }

  static async open(browser: Browser, hash = "", [width, height] = [1280, 900]): Promise<Tab> {
    const tab = new Tab(await browser.newPage());
    await tab.page.setViewport({ width, height });
    await tab.page.goto(URL_OF_PAGE + hash);
    await tab.page.waitForSelector("h1");
    return tab;
  }

  /** Goes to another address of the page, as a click on a link would. */
  async go(hash: string): Promise<void> {
    await this.page.evaluate((to) => new Promise<void>((resolve) => {
      const before = location.hash;
      location.hash = to;
      // The page listens too, and was first. Without a change there is no event.
      if (location.hash === before) resolve();
      else addEventListener("hashchange", () => resolve(), { once: true });
    }), hash);
  }

  text(selector: string): Promise<string> {
    return this.page.$eval(selector, (element) => (element as HTMLElement).innerText.replace(/\s+/g, " ").trim());
  }

  texts(selector: string): Promise<string[]> {
    return this.page.$$eval(selector, (elements) => elements.map((element) => (element as HTMLElement).innerText.trim()));
  }

  /** Clicks the button with this text. */
  async press(name: string): Promise<void> {
    const pressed = await this.page.$$eval("button", (buttons, wanted) => {
      const button = buttons.find((each) => each.innerText.trim() === wanted || each.getAttribute("aria-label") === wanted);
      button?.click();
      return button !== undefined;
    }, name);
    if (!pressed) throw new Error(`there is no button “${name}”`);
    await this.rest();
  }

  /** Fills in the box with this label. */
  async fill(label: string, value: string): Promise<void> {
    await this.page.$$eval("label", (labels, [wanted, text]) => {
      const found = labels.find((each) => each.innerText.trim().startsWith(wanted)) as HTMLLabelElement;
      const box = (found.control ?? found.querySelector("input")) as HTMLInputElement;
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(box), "value") as { set: (value: string) => void };
      set.call(box, text);
      for (const event of ["input", "change"]) box.dispatchEvent(new Event(event, { bubbles: true }));
    }, [label, value] as const);
    await this.rest();
  }

  /** Waits until the page is drawn. */
  rest(milliseconds = 30): Promise<void> {
    return this.page.evaluate((wait) => new Promise<void>((resolve) => setTimeout(() => requestAnimationFrame(() => resolve()), wait)), milliseconds);
  }

  /** The numbers in the cells of every table. */
  cells(): Promise<string> {
    return this.page.$$eval(".cell b", (cells) => cells.map((cell) => cell.textContent).join(" "));
  }

  hash(): Promise<string> {
    return this.page.evaluate(() => location.hash);
  }
}
