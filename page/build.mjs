// Writes the page as one file that needs no network: target/page/index.html, or the path given.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { recorded } from "./recorded.mjs";

const MOST_BYTES = 1_000_000;
const HERE = dirname(fileURLToPath(import.meta.url));
const path = resolve(process.argv[2] ?? resolve(HERE, "../target/page/index.html"));

execFileSync(process.execPath, ["arcfour/build.mjs"], { cwd: HERE, stdio: "inherit" });

const settings = {
  absWorkingDir: HERE, bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8",
  jsx: "automatic", jsxImportSource: "preact", logLevel: "warning", tsconfig: "src/tsconfig.json", outdir: "out",
};
const text = (result, ending) => result.outputFiles.find((file) => file.path.endsWith(ending)).text;

// A module that holds what only the build knows.
const given = (name, value) => ({
  name,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^built:${name}$`) }, () => ({ path: name, namespace: name }));
    onLoad({ filter: /.*/, namespace: name }, () => ({ contents: JSON.stringify(value), loader: "json" }));
  },
});

// The kernel in C, by Debian's clang and lld.
function webAssembly() {
  const folder = mkdtempSync(join(tmpdir(), "page-"));
  const module = join(folder, "kernel.wasm");
  try {
    execFileSync("clang", [
      "--target=wasm32", "-O3", "-mbulk-memory", "-DARCFOUR1_PORTABLE", "-ffreestanding", "-nostdlib", "-Iwasm", "-Wall", "-Wextra", "-Werror",
      "-Wl,--no-entry", "-Wl,--strip-all", "-o", module, "wasm/kernel.c",
    ], { cwd: HERE, stdio: "inherit" });
    return readFileSync(module).toString("base64");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const data = { ...recorded(), wasm: webAssembly() };
// The worker times RC4, and needs no more of what is recorded than that.
const { vectors, wasm } = data;
// The kernel of the native search, as it is.
const kernel = readFileSync(resolve(HERE, "../gpu/src/kernel.wgsl"), "utf8");
const worker = text(await build({ ...settings, entryPoints: ["src/worker.ts"], plugins: [given("recorded", { vectors, wasm }), given("kernel", kernel)] }), ".js");
const main = await build({ ...settings, entryPoints: ["src/main.tsx"], plugins: [given("worker", worker), given("recorded", data)] });
const script = text(main, ".js").replaceAll("</script", "<\\/script");
const style = text(main, ".css");

// The browser may run this script, this style and the worker made from the script, and load nothing.
const hash = (content) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(style)}`, "worker-src blob:",
  "img-src data:", "base-uri 'none'", "form-action 'none'",
].join("; ");
const parts = { policy, style, script };
const page = readFileSync(resolve(HERE, "src/index.html"), "utf8").replace(/{{(\w+)}}/g, (_, name) => parts[name]);

const bytes = Buffer.byteLength(page);
if (bytes > MOST_BYTES) {
  console.error(`the page has ${bytes} bytes; it may have ${MOST_BYTES}`);
  process.exit(1);
}
mkdirSync(dirname(path), { recursive: true });
writeFileSync(path, page);
console.log(`${path}: ${bytes} bytes`);
