import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The folder page/. */
export const PAGE = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const PACKAGE = join(PAGE, "arcfour");

const folders: string[] = [];

export function temporary(): string {
  folders.push(mkdtempSync(join(tmpdir(), "arcfour-package-")));
  return folders[folders.length - 1];
}

/** Removes every folder that `temporary` made. */
export function removeAll(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** Runs a program and returns what it prints. An error holds what it printed. */
export async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  // npm tells scripts its options, which must not reach the npm of a test.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/.test(name) && name !== "NODE_ENV"));
  try {
    return (await promisify(execFile)(program, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(" ")} failed\n${stdout}\n${stderr}`);
  }
}

/** Packs a folder, with what npm is to be told, and returns the path of the tarball. */
export async function pack(folder: string, ...options: readonly string[]): Promise<string> {
  const to = temporary();
  const [{ filename }] = JSON.parse(await run("npm", ["pack", "--json", "--foreground-scripts=false", "--pack-destination", to, ...options], folder)) as { filename: string }[];
  return join(to, filename);
}

/** An empty project with what npm installs of the given packages. */
export async function project(...packages: readonly string[]): Promise<string> {
  const folder = temporary();
  writeFileSync(join(folder, "package.json"), '{ "name": "stranger", "private": true }\n');
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...packages], folder);
  return folder;
}

/** Writes files into a project. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The example of a README as a program, and what it must print: the comment behind each console.log. */
export function example(readme: string): { esm: string; cjs: string; printed: string } {
  const [, code] = readFileSync(readme, "utf8").match(/```js\n(.*?)```/s) as RegExpMatchArray;
  const printed = code.split("\n").filter((line) => line.includes("console.log")).map((line) => line.replace(/^.*; \/\/ /, "") + "\n").join("");
  const [, imports, rest] = code.match(/^(import .*?;\n)(.*)$/s) as RegExpMatchArray;
  const required = imports.replace(/^import (.*) from "(.*)"/, 'const $1 = require("$2")');
  return { esm: code, cjs: `${required}async function main() {\n${rest}}\nvoid main();\n`, printed };
}
