// The package in a clean clone, and in the programs of others. Slow, and it fetches them.
import { cpSync, existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { PACKAGE, PAGE, example, pack, project, removeAll, run, temporary, write } from "./project.js";

const { esm, cjs, printed } = example(join(PACKAGE, "README.md"));
afterAll(removeAll);
const NODES = ["18.20.8", "20.19.5", "22.20.0", "24.9.0"];
const COMPILERS = ["5.0.4", "5.6.3", "5.7.3", "5.9.3", "7.0.2"];

/** The folders that the package is made of, as a clean clone has them. */
function clone(): string {
  const to = temporary();
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"]) cpSync(join(PAGE, "..", name), join(to, name));
  const left = ["node_modules", "dist", "LICENSE-APACHE", "LICENSE-MIT"];
  cpSync(PAGE, join(to, "page"), { recursive: true, filter: (path) => !left.includes(basename(path)) });
  return join(to, "page/arcfour");
}

describe("in a clean clone", () => {
  test("npm pack gives the same files", async () => {
    const fresh = clone();
    expect(existsSync(join(fresh, "dist"))).toBe(false);
    const files = async (tarball: string) => (await run("tar", ["tzf", tarball], PAGE)).trim().split("\n").sort();
    expect(await files(await pack(fresh))).toEqual(await files(await pack(PACKAGE)));
  });

  test.each([["a link", "--install-links=false"], ["a copy", "--install-links"]])("npm install of the folder gives %s that runs", async (_, option) => {
    const fresh = clone();
    const folder = temporary();
    write(folder, { "package.json": '{ "name": "stranger", "private": true }', "example.mjs": esm, "example.cjs": cjs });
    await run("npm", ["install", option, "--prefer-offline", "--no-audit", "--no-fund", fresh], folder);
    expect(realpathSync(join(folder, "node_modules/arcfour")) === realpathSync(fresh)).toBe(option.endsWith("false"));
    for (const name of ["example.mjs", "example.cjs"]) expect(await run("node", [name], folder), name).toBe(printed);
    expect(readdirSync(join(folder, "node_modules/arcfour"))).toEqual(expect.arrayContaining(["LICENSE-APACHE", "LICENSE-MIT"]));
  });
});

describe("the example of the README runs", () => {
  let tarball: string;
  beforeAll(async () => {
    tarball = await pack(PACKAGE);
  });

  test.each(NODES)("in Node %s", async (version) => {
    const node = `node-linux-${process.arch}`;
    const folder = await project(tarball, `${node}@${version}`);
    write(folder, { "example.mjs": esm, "example.cjs": cjs });
    const program = join(folder, "node_modules", node, "bin/node");
    expect(await run(program, ["--version"], folder)).toBe(`v${version}\n`);
    for (const name of ["example.mjs", "example.cjs"]) expect(await run(program, [name], folder), name).toBe(printed);
  });

  test("in Deno", async () => {
    const folder = await project(tarball, "deno@2.9.6");
    write(folder, { "example.mjs": esm, "example.mts": esm, "example.cjs": cjs });
    const [native] = readdirSync(join(folder, "node_modules/@deno"));
    for (const name of ["example.mjs", "example.cjs", "example.mts"])
      expect(await run(join(folder, "node_modules/@deno", native, "deno"), ["run", "--quiet", "--no-lock", "--node-modules-dir=manual", "--allow-read", ...(name.endsWith("mts") ? ["--check"] : []), name], folder), name).toBe(printed);
  });

  test("in Bun", async () => {
    const folder = await project(tarball, "bun@1.4.5");
    write(folder, { "example.mjs": esm, "example.cjs": cjs, "example.ts": esm });
    const native = readdirSync(join(folder, "node_modules/@oven")).sort((a, b) => a.length - b.length)[0];
    for (const name of ["example.mjs", "example.cjs", "example.ts"]) expect(await run(join(folder, "node_modules/@oven", native, "bin/bun"), [name], folder), name).toBe(printed);
  });

  test("bundled by Vite", async () => {
    const folder = await project(tarball);
    write(folder, { "example.mjs": esm, "vite.config.mjs": 'export default { build: { target: "es2022", lib: { entry: "example.mjs", formats: ["es"], fileName: "example" } } };' });
    await run("node", [join(PAGE, "node_modules/vite/bin/vite.js"), "build"], folder);
    const [built] = readdirSync(join(folder, "dist"));
    expect(readFileSync(join(folder, "dist", built), "utf8")).not.toMatch(/from\s*["']arcfour/);
    write(folder, { "bundled.mjs": readFileSync(join(folder, "dist", built), "utf8") });
    expect(await run("node", ["bundled.mjs"], folder)).toBe(printed);
  });

  test.each(COMPILERS)("in TypeScript %s", async (version) => {
    const folder = await project(tarball, `typescript@${version}`);
    const modes: readonly (readonly [string, object])[] = [
      ["nodenext", { module: "NodeNext" }], ["bundler", { module: "ESNext", moduleResolution: "Bundler" }],
      // The oldest resolution, which reads no exports. TypeScript 7 has dropped it.
      ...(version.startsWith("5") ? [["node10", { module: "CommonJS", moduleResolution: "Node10" }] as const] : []),
    ];
    const lib = ["ES2022", "DOM", "DOM.Iterable"];
    for (const [name, mode] of modes) {
      const [file, text] = name === "node10" ? ["example.ts", cjs.replace(/^const (.*) = require\("(.*)"\)/, 'import $1 from "$2"')] : ["example.mts", esm];
      write(folder, { [`${name}/${file}`]: text, [`${name}/tsconfig.json`]: JSON.stringify({ compilerOptions: { ...mode, target: "ES2022", lib, types: [], strict: true, skipLibCheck: false, rootDir: ".", outDir: "out" } }) });
      await run("node", ["node_modules/typescript/bin/tsc", "-p", name], folder);
      expect(await run("node", [join(name, "out", file.replace(/ts$/, "js"))], folder), name).toBe(printed);
    }
  });
});
