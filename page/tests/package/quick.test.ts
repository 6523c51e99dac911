import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { Package, checkPackage } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { PACKAGE, PAGE, example, pack, project, removeAll, run, write } from "./project.js";

const { esm, cjs, printed } = example(join(PACKAGE, "README.md"));
/** Wrong arguments that a compiler must refuse, and results that DOM's types must take. */
const TYPES = `
import { ARC4, FamilyCipher, type Bytes, type BytesLike, type Source } from "arcfour";
const bytes: BytesLike = new DataView(new ArrayBuffer(8));
const cipher = new ARC4(bytes);
const made: Bytes = cipher.encrypt(new SharedArrayBuffer(8));
export const blob = new Blob([made, cipher.keystream(3), cipher.decrypt(made)]);
export const same: DataView = cipher.apply(new DataView(new ArrayBuffer(8)));
export const source: Source = blob;
export const text: Promise<string> = new Response(cipher.encryptStream(blob.stream())).text();
// @ts-expect-error
new ARC4("Key");
// @ts-expect-error
cipher.encrypt([1, 2, 3]);
// @ts-expect-error
new FamilyCipher("nope", bytes);
// @ts-expect-error
new ARC4(bytes, { dorp: 3072 });
`;

const { version } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as { version: string };

afterAll(removeAll);
let tarball: string;
let folder: string;
beforeAll(async () => {
  // The page was built just now, and the package with it.
  tarball = await pack(PACKAGE, "--ignore-scripts");
  folder = await project(tarball);
});

test("the tarball holds code, types and licences, and nothing else", async () => {
  const files = (await run("tar", ["tzf", tarball], PAGE)).trim().split("\n").map((name) => name.replace(/^package\//, ""));
  expect(files.filter((name) => !name.startsWith("dist/")).sort()).toEqual(["LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"]);
  for (const name of ["dist/esm/index.js", "dist/esm/index.d.ts", "dist/cjs/index.js", "dist/cjs/index.d.ts", "dist/cjs/package.json"]) expect(files).toContain(name);
  expect(files.filter((name) => !/\.js$|\.d\.ts$|\.json$|\.md$|^LICENSE/.test(name))).toEqual([]);
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT"])
    expect(readFileSync(join(folder, "node_modules/arcfour", name), "utf8")).toBe(readFileSync(join(PAGE, "..", name), "utf8"));
});

test("attw has no complaint", async () => {
  const installed = join(folder, "node_modules/arcfour");
  const paths = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).map((each) => join(each.parentPath ?? each.path, each.name));
  const files = Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]));
  expect(await checkPackage(new Package(files, "arcfour", version))).toMatchObject({ types: { kind: "included" }, problems: [] });
});

test("publint has no complaint", async () => {
  const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(readFileSync(tarball)).buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

describe("the example of the README runs", () => {
  test("as an ES module", async () => {
    write(folder, { "example.mjs": esm });
    expect(await run("node", ["example.mjs"], folder)).toBe(printed);
  });

  test("in CommonJS", async () => {
    write(folder, { "example.cjs": cjs });
    expect(await run("node", ["example.cjs"], folder)).toBe(printed);
  });

  test("in strict TypeScript, of both kinds", async () => {
    const typed = cjs.replace(/^const (.*) = require\("(.*)"\)/, 'import $1 from "$2"');
    write(folder, {
      "typed/one.mts": esm, "typed/two.cts": typed, "typed/types.mts": TYPES, "typed/more.cts": TYPES,
      "typed/tsconfig.json": JSON.stringify({
        compilerOptions: { module: "NodeNext", target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [], strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, outDir: "out" },
      }),
    });
    await run("node", [join(PAGE, "node_modules/typescript/bin/tsc"), "-p", "typed"], folder);
    for (const name of ["one.mjs", "two.cjs"]) expect(await run("node", [join("typed/out", name)], folder), name).toBe(printed);
  });

  test("bundled by esbuild, which leaves out what is not used", async () => {
    write(folder, { "example.mjs": esm, "part.mjs": 'import { ARC4 } from "arcfour";\nconsole.log(new ARC4(Uint8Array.of(1)).keystream(1));\n' });
    const settings = { absWorkingDir: folder, bundle: true, format: "esm", metafile: true, outdir: "bundled", outExtension: { ".js": ".mjs" }, minify: true } as const;
    await build({ ...settings, entryPoints: ["example.mjs"] });
    expect(await run("node", ["bundled/example.mjs"], folder)).toBe(printed);
    const { metafile } = await build({ ...settings, entryPoints: ["part.mjs"] });
    const [{ inputs }] = Object.values(metafile.outputs);
    const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([name]) => name);
    expect(used.filter((name) => /noble|families/.test(name))).toEqual([]);
    expect(used.some((name) => name.endsWith("arc4.js"))).toBe(true);
  });
});
