// What the page shows of recorded runs, read from where they are recorded.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const read = (path) => readFileSync(resolve(ROOT, path), "utf8");

/** The rows of a CSV file, each with its columns by name; a field in quotes may hold commas. */
export function table(text) {
  const cells = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]);
  const [head, ...lines] = text.trim().split(/\r?\n/).map(cells);
  return lines.map((line) => Object.fromEntries(head.map((name, n) => [name, line[n]])));
}

/** Whole numbers as bytes: zigzag, seven bits a byte, the last byte below 128; deflated, in base64. */
export function packed(numbers) {
  const bytes = [];
  for (const number of numbers) {
    let rest = number < 0 ? -2 * number - 1 : 2 * number;
    for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  }
  return deflateSync(Buffer.from(bytes), { level: 9 }).toString("base64");
}

const POSITIONS = 256;

/** How often each value stood at each of the first 256 positions, less what chance would give. */
function firstBytes() {
  const rows = table(read("lab/results/biases/first-bytes.csv")).filter(({ r }) => Number(r) <= POSITIONS);
  const [{ trials }] = rows;
  const differences = new Array(POSITIONS * 256);
  for (const row of rows) {
    if (row.trials !== trials) throw new Error("first-bytes.csv: the positions differ in their number of keystreams");
    differences[(Number(row.r) - 1) * 256 + Number(row.value)] = Number(row.count) - Number(trials) / 256;
  }
  const { command, date, cpu } = JSON.parse(read("lab/results/biases/first-bytes.json"));
  return { keystreams: Number(trials), command, date, cpu, differences: packed(differences) };
}

const checks = (file) => table(read(`lab/results/biases/${file}.csv`)).map(({ event, source, trials, published, measured }) => ({
  event, source, trials: Number(trials), published: Number(published), measured: Number(measured),
}));

/** The newest recorded benchmark that has the libraries: xor of 1 MiB in one stream. */
function bench() {
  const run = readdirSync(resolve(ROOT, "bench/runs"), { withFileTypes: true }).map(({ name }) => name)
    .filter((name) => existsSync(resolve(ROOT, "bench/runs", name, "summary.csv"))).sort().at(-1);
  const engines = table(read(`bench/runs/${run}/summary.csv`))
    .filter(({ work, bytes }) => work === "stream" && bytes === "1048576")
    .map(({ engine, mb_per_s, cycles_per_byte }) => ({ engine, mbPerS: Number(mb_per_s), cyclesPerByte: Number(cycles_per_byte) }));
  if (!engines.length) throw new Error(`bench/runs/${run}/summary.csv has no stream of 1 MiB`);
  return { run, engines };
}

/** The simulations of the cores that are committed. */
const pipelines = () => readdirSync(resolve(ROOT, "page/pipeline")).filter((name) => name.endsWith(".json")).sort()
  .map((name) => JSON.parse(read(`page/pipeline/${name}`)));

/** RC4's vectors near the start of the keystream: the page verifies with them what it times. */
function vectors() {
  const rows = read("vectors/rc4-rfc6229.txt").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split(" "));
  return rows.map(([key, offset, keystream]) => [key, Number(offset), keystream]);
}

export function recorded() {
  return {
    firstBytes: firstBytes(), firstChecks: checks("first-checks"), stateChecks: checks("state-checks"), bench: bench(),
    pipelines: pipelines(), vectors: vectors(),
  };
}
