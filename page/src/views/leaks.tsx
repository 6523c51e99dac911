import { Trace, machine, schedule } from "arcfour";
import { useEffect, useMemo, useState } from "preact/hooks";

import recorded from "built:recorded";

import { biasesAt, recordedCounts, sigmas } from "../biases.js";
import { roosGuess } from "../counts.js";
import { type Field, bytesOf, formatField, parseField, textField, toHex } from "../input.js";
import { spoken } from "../numbers.js";
import { Arithmetic } from "../parts/arithmetic.js";
import { Bars } from "../parts/bars.js";
import { BiasMap } from "../parts/biasmap.js";
import { ByteBox } from "../parts/bytebox.js";
import { Grid } from "../parts/grid.js";
import { Transport, usePlayer } from "../parts/player.js";
import { Spoken } from "../parts/spoken.js";
import { type Params, choice, whole } from "../route.js";
import { useWorker } from "../tasks.js";
import { Timeline } from "../timeline.js";

const TOPICS = ["map", "second", "roos", "glimpse"] as const;
type Topic = (typeof TOPICS)[number];
const TITLES: Record<Topic, string> = { map: "The map of the first bytes", second: "The second byte", roos: "The key shows through", glimpse: "Glimpses of the table" };

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

/** Why RC4 leaks: four of its biases at work. */
export function Leaks({ params, onParams }: Props) {
  const [topic, setTopic] = useState(() => choice(params.topic, TOPICS, "map"));
  const Part = { map: FirstBytes, second: SecondByte, roos: Roos, glimpse: Glimpse }[topic];
  return (
    <>
      <h1>Why it leaks</h1>
      <p class="kinds topics" role="group" aria-label="Which leak">
        {TOPICS.map((each) => <button type="button" aria-pressed={topic === each} onClick={() => { setTopic(each); onParams({ topic: each }); }}>{TITLES[each]}</button>)}
      </p>
      <Part key={topic} params={params.topic === topic || !params.topic ? params : {}} onParams={(own) => onParams({ topic, ...own })} />
    </>
  );
}

const percent = (part: number, digits = 1) => `${(100 * part).toFixed(digits)} %`;
const thousands = (n: number) => n.toLocaleString("en");
/** A power of two with its exponent raised. */
const power = (n: number) => `2${String(Math.log2(n)).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)])}`;
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** The map, counted live beside the recorded one. */
function FirstBytes({ params, onParams }: Props) {
  const [[r, value], setCell] = useState([whole(params.r, 2, 1, 256), whole(params.v, 0, 0, 255)]);
  const [keystreams, setKeystreams] = useState(1_000_000);
  const [known, setKnown] = useState<Float64Array>();
  const { running, progress, start, stop } = useWorker();
  useEffect(() => void recordedCounts().then(setKnown), []);
  useEffect(() => onParams({ r: String(r), v: String(value) }), [r, value]);

  const { firstBytes } = recorded;
  const done = progress?.done ?? 0;
  const at = (r - 1) * 256 + value;
  const found = biasesAt(r, value);
  const pick = (position: number, held: number) => setCell([position, held]);
  const worth = recorded.firstChecks.flatMap(({ event }) => {
    const [, position, held] = event.match(/^Z(\d+) = (\d+)$/) ?? [];
    return held !== undefined && Number(position) <= 256 ? [[Number(position), Number(held)] as const] : [];
  });
  return (
    <section>
      <p>Each cell is one value of one of the first 256 bytes of keystream. Grey is what chance gives, <b class="more">more</b> is warm, <b class="less">less</b> is
        cool, full colour from twelve standard deviations on. On the left your browser counts, with a fresh random key of 16 bytes for every keystream;
        on the right is what {thousands(firstBytes.keystreams)} keystreams gave.</p>
      <p class="counting">
        {running ? <button type="button" class="main" onClick={stop}>Stop</button>
          : <button type="button" class="main" onClick={() => start({ kind: "first-bytes", keystreams })}>Count</button>}
        <label> <select value={keystreams} disabled={running} onChange={(event) => setKeystreams(Number(event.currentTarget.value))}>
          {[100_000, 1_000_000, 10_000_000].map((n) => <option value={n}>{thousands(n)}</option>)}</select> keystreams</label>
        <progress max={keystreams} value={done} aria-label="Keystreams counted" /> <span class="done">{thousands(done)}</span>
      </p>
      <div class="maps">
        <BiasMap title={`Here, now: ${thousands(done)} keystreams`} counts={progress?.counts} trials={done} r={r} value={value} onPick={pick} />
        <BiasMap title={`Recorded: ${power(firstBytes.keystreams)} keystreams`} counts={known} trials={firstBytes.keystreams} r={r} value={value} onPick={pick} />
        <div class="cellinfo">
          <h2>Z<sub>{r}</sub> = {value}</h2>
          <p class="pickers">
            <label>Position <input type="number" min={1} max={256} value={r} onInput={(event) => pick(whole(event.currentTarget.value, r, 1, 256), value)} /></label>
            <label>Value <input type="number" min={0} max={255} value={value} onInput={(event) => pick(r, whole(event.currentTarget.value, value, 0, 255))} /></label>
          </p>
          {found.length === 0 && <p>{r === 2 ? "0 comes twice as often here, so that every other value must come a little less." : "No published bias is known to this page for this cell."}</p>}
          {found.map(({ text, source, published, measured }) => (
            <>
              <p>{text}</p>
              <p class="note">Source: {source}.{published !== undefined && ` Published probability ${published.toPrecision(6)}, measured ${(measured as number).toPrecision(6)}, chance ${(1 / 256).toPrecision(6)}.`}</p>
            </>
          ))}
          {known && <p class="note">Recorded: {thousands(known[at])} of {thousands(firstBytes.keystreams)}, which is {sigmas(known[at], firstBytes.keystreams).toFixed(1)} standard deviations from chance.</p>}
          {progress && done > 0 && <p class="note">Here: {thousands(progress.counts[at])} of {thousands(done)}, {sigmas(progress.counts[at], done).toFixed(1)} standard deviations.</p>}
          <p class="worth">Worth a look: {worth.map(([position, held]) => <button type="button" aria-pressed={r === position && value === held} onClick={() => pick(position, held)}>Z<sub>{position}</sub> = {held}</button>)}</p>
        </div>
      </div>
      <p class="note">Recorded by <code>{firstBytes.command}</code> on {firstBytes.date}. A million keystreams show the second byte at once and little else; the other biases take what the
        right-hand map took.</p>
    </section>
  );
}

/** Is it a key after whose schedule S[2] = 0 and S[1] ≠ 2? Then the second byte is 0. */
export function givesZero(key: Uint8Array): boolean {
  const s = new Uint8Array(256);
  schedule(s, key);
  return s[2] === 0 && s[1] !== 2;
}

function firstWithZero(): Field {
  for (let n = 1; ; n++) if (givesZero(new TextEncoder().encode(`Key ${n}`))) return textField(`Key ${n}`);
}

function anotherWithZero(): Field {
  for (;;) {
    const key = random(5);
    if (givesZero(key)) return { kind: "hex", value: toHex(key) };
  }
}

/** Mantin and Shamir's path, walked. */
function SecondByte({ params, onParams }: Props) {
  const [field, setField] = useState(() => parseField(params.key, firstWithZero()));
  const key = useMemo(() => bytesOf(field, "The key", 1, 256), [field]);
  const [timeline, setTimeline] = useState(() => new Timeline(machine("rc4", key.bytes ?? Uint8Array.of(1))));
  useMemo(() => key.bytes && setTimeline(new Timeline(machine("rc4", key.bytes))), [key]);
  const player = usePlayer(whole(params.at, 0, 0, 2), 2, { speed: 0.5 });
  useEffect(() => onParams({ key: formatField(field), at: String(player.at) }), [field, player.at]);

  const start = useMemo(() => timeline.moment(256).machine.tables[0], [timeline]);
  const { machine: shown, trace, words } = useMemo(() => timeline.moment(256 + player.at), [timeline, player.at]);
  const a = start[1];
  const holds = start[2] === 0 && a !== 2;
  const says = [
    holds ? `After the key schedule S[2] = 0, and S[1] = ${a}, which is not 2. Follow the zero.` : `With this key S[1] = ${a} and S[2] = ${start[2]}: the path needs S[2] = 0 and S[1] ≠ 2. About one key in 256 has it.`,
    `i = 1, so j = S[1] = ${a}. The swap carries ${a} from cell 1 to cell ${a}.${holds ? " Cell 2 is left alone: it still holds 0." : ""}`,
    holds ? `i = 2, and j = ${a} + S[2] = ${a} + 0 = ${a}: j stays where it was! The swap brings ${a} into cell 2 and 0 into cell ${a}. So t = S[2] + S[${a}] = ${a} + 0 = ${a}, and Z = S[${a}] = 0. Always.`
      : `i = 2, and j = ${shown.registers.j}. The second byte is ${words[1]}: nothing forces it.`,
  ][player.at];
  const { measured = 0, source = "" } = recorded.firstChecks.find(({ event }) => event === "Z2 = 0") ?? {};
  return (
    <section>
      <p>One byte in 256 should be 0. The second byte of RC4 is 0 twice as often: chance gives one key in 256, and keys that leave S[2] = 0 add another.
        Measured on {power(recorded.firstBytes.keystreams)} keys: {percent(measured, 3)} where chance gives {percent(1 / 256, 3)} ({source}). An attacker who sees one message under some
        8,000 keys can usually read its second byte: the most frequent ciphertext byte.</p>
      <div class="setup">
        <ByteBox label="Key" field={field} parsed={key} onChange={setField} />
        <p class="counting"><button type="button" onClick={() => { setField(anotherWithZero()); player.go(0); }}>Another key with S[2] = 0</button> <button type="button" onClick={() => { setField({ kind: "hex", value: toHex(random(5)) }); player.go(0); }}>Any key</button></p>
      </div>
      <Transport player={player} />
      <div class="stage">
        <Grid name="S" table={shown.tables[0]} base={10} moment={player.at} pace={700} glowing={new Set([shown.tables[0].indexOf(0)])}
          marks={player.at ? trace?.marks : [{ cell: 1, name: "i+1" }, { cell: 2, name: "i+2" }]} swaps={player.at ? trace?.swaps : []} />
        <div class="doing">
          <h2>{["After the key schedule", "The first byte", "The second byte"][player.at]}</h2>
          <p>{says}</p>
          {player.at > 0 && trace && <Arithmetic trace={trace} base={10} size={256} />}
          {player.at > 0 && <p class="output">Byte {player.at}: <b>{words[player.at - 1]}</b></p>}
          <p class="note">The cell that holds 0 glows.</p>
        </div>
      </div>
      <Spoken text={player.at && trace ? `${says} ${spoken(trace, 256 + player.at, words[player.at - 1], 256)}` : says} />
    </section>
  );
}

/** Roos: after the schedule, many cells hold a sum of the key's bytes. */
function Roos({ params, onParams }: Props) {
  const [field, setField] = useState(() => parseField(params.key, textField("Sixteen byte key")));
  const key = useMemo(() => bytesOf(field, "The key", 1, 256), [field]);
  const [last, setLast] = useState<Uint8Array>(() => key.bytes ?? Uint8Array.of(1));
  const [cell, setCell] = useState(whole(params.cell, 2, 0, 255));
  const { running, progress, start, stop } = useWorker();
  useMemo(() => key.bytes && setLast(key.bytes), [key]);
  useEffect(() => onParams({ key: formatField(field), cell: String(cell) }), [field, cell]);

  const table = useMemo(() => {
    const s = new Uint8Array(256);
    schedule(s, last);
    return s;
  }, [last]);
  const guess = roosGuess(last, 256);
  const glowing = new Set(Array.from(table.keys()).filter((y) => table[y] === guess[y]));
  const early = [...glowing].filter((y) => y < 32).length;
  const measured = new Map(recorded.stateChecks.flatMap(({ event, measured }) => {
    const [, y] = event.match(/^S\[(\d+)\] = /) ?? [];
    return y === undefined ? [] : [[Number(y), measured] as const];
  }));
  const shares = Array.from({ length: 64 }, (_, y) => (progress?.done ? progress.counts[y] / progress.done : 0));
  const terms = cell < last.length ? `K[0…${cell}]` : `K, ${cell + 1} bytes of it, from the start again after ${last.length}`;
  return (
    <section>
      <p>The table should not reveal the key. But a cell that only its own step swapped still holds the value of that step: S[y] = y(y+1)/2 + K[0] + … + K[y].
        The cells where this holds glow. For the first cells that is more than one key in three (A. Roos, 1995), and an attacker who learns S learns the sums of the key.</p>
      <div class="setup">
        <ByteBox label="Key" field={field} parsed={key} onChange={setField} />
        <p class="counting"><button type="button" onClick={() => setField({ kind: "hex", value: toHex(random(16)) })}>Another random key</button></p>
      </div>
      <div class="stage">
        <Grid name="S after the key schedule" table={table} base={10} glowing={glowing} marks={[{ cell, name: "y" }]} onCell={setCell} />
        <div class="doing">
          <h2>With this key: {early} of the first 32 cells</h2>
          <p>and {glowing.size} of all 256. By chance it would be one of all 256.</p>
          <p class="pickers"><label>Cell y <input type="number" min={0} max={255} value={cell} onInput={(event) => setCell(whole(event.currentTarget.value, cell, 0, 255))} /></label></p>
          <p>S[{cell}] = {table[cell]}. The guess: {cell}·{cell + 1}/2 + sum of {terms} = <b>{guess[cell]}</b>. {table[cell] === guess[cell] ? "Right: this sum of the key's bytes is there to be read." : "Not this time: j came by later."}</p>
          <h3>How often, cell by cell</h3>
          <p class="counting">{running ? <button type="button" onClick={stop}>Stop</button> : <button type="button" class="main" onClick={() => start({ kind: "roos", keys: 100_000 })}>Count 100,000 keys</button>} <span class="done">{thousands(progress?.done ?? 0)}</span></p>
          <Bars label={`Share of keys for which the guess is right, cells 0 to 63, after ${progress?.done ?? 0} keys`} values={shares} points={measured} chance={1 / 256} most={0.4} axis="cell y" unit={(v) => percent(v, 0)} />
          <p class="note">Bars: counted here. Points: recorded on {power(recorded.stateChecks[0].trials)} keys ({recorded.stateChecks[0].source}). Line: chance.</p>
        </div>
      </div>
    </section>
  );
}

/** Jenkins: every byte gives a glimpse of the table. */
function Glimpse({ params, onParams }: Props) {
  const [size, setSize] = useState(() => [16, 64, 256].find((n) => String(n) === params.n) ?? 64);
  const { running, progress, start, stop } = useWorker();
  useEffect(() => onParams({ n: String(size) }), [size]);
  const counts = progress && progress.counts.length === size ? progress : undefined;
  const ratios = Array.from({ length: size }, (_, d) => (counts?.done ? (counts.counts[d] * size) / counts.done : 0));
  const { measured = 0, trials = 1 } = recorded.stateChecks.find(({ event }) => event.startsWith("S[j] = i")) ?? {};
  const example = useMemo(() => glimpsed(), []);
  return (
    <section>
      <p>An attacker who sees Z and counts i can guess a cell of the hidden table: S[j] = i − Z holds two times in N, and chance gives one (R. Jenkins, 1996).
        This never ends, however much keystream is dropped.</p>
      <div class="stage">
        <div class="doing">
          <h2>Why</h2>
          <p>Z is the cell at t = S[i] + S[j]. If t happens to be i, then Z = S[i] = t − S[j] = i − S[j]: certain. That is one time in N. In all other cases Z is as good as random, and
            hits i − S[j] by chance: once more in N. Two in N together.</p>
          <Arithmetic trace={example.trace} base={10} size={256} />
          <p class="note">A word of RC4 under the key “Key” where t = i = {example.i}: S[j] = {example.sj}, and i − Z = {example.i} − {example.z} gives it away{example.i < example.z ? " (modulo 256)" : ""}.</p>
        </div>
        <div>
          <p class="counting">
            <span class="kinds" role="group" aria-label="Cells of the table, N">{[16, 64, 256].map((n) => <button type="button" aria-pressed={size === n} onClick={() => { stop(); setSize(n); }}>N = {n}</button>)}</span>
            {running ? <button type="button" onClick={stop}>Stop</button> : <button type="button" class="main" onClick={() => start({ kind: "glimpse", size, words: 5_000_000 })}>Count five million words</button>}
            <span class="done">{thousands(counts?.done ?? 0)}</span>
          </p>
          <Bars label={`How often Z + S[j] − i is each value, against chance; 0 is the Glimpse: ${ratios[0].toFixed(2)} times chance`} values={ratios} chance={1} most={2.2} axis="Z + S[j] − i, modulo N" unit={(v) => `${v.toFixed(1)}×`} strong={new Set([0])} />
          <p class="note">How often Z + S[j] − i is each value, against chance (the line). The bar at 0 is the Glimpse{counts?.done ? `: ${ratios[0].toFixed(3)} times chance` : ""}. Recorded with N = 256 on {power(trials)} words: {(measured * 256).toFixed(3)} times.</p>
        </div>
      </div>
    </section>
  );
}

/** The first word after the key "Key" for which t = i. */
function glimpsed() {
  const rc4 = machine("rc4", new TextEncoder().encode("Key"));
  for (;;) {
    const trace = new Trace();
    const z = rc4.step(trace);
    const t = trace.lines.find(({ name }) => name === "t");
    const { i, j } = rc4.registers;
    if (z !== undefined && t?.value === i) return { trace, z, i, sj: rc4.tables[0][j] };
  }
}
