// Runs a WebAssembly program of WASI: wasi.mjs PROGRAM ARGUMENT... It sees the files below the root of this project.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { WASI } from "node:wasi";

const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../../..");
const [program, ...args] = process.argv.slice(2);
const paths = args.map((path) => "/" + relative(root, path));
const wasi = new WASI({ version: "preview1", args: [program, ...paths], preopens: { "/": root }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(program), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
