import { Trace, machine, type Size } from "arcfour";
import { useEffect, useMemo, useState } from "preact/hooks";

import recorded, { type Pipeline } from "built:recorded";

import { Spoken } from "../parts/spoken.js";
import { Transport, usePlayer } from "../parts/player.js";
import { type Params, choice, whole } from "../route.js";

const CORES = ["rc4_spec", "rc4_design2"] as const;
const SIZES = ["16", "256"] as const;
/** Clocks that the diagram shows at once. */
const WINDOW = 22;

const ABOUT: Record<(typeof CORES)[number], [title: string, text: string]> = {
  rc4_spec: ["Our core rc4_spec", "Nine stages. The core reads S[i] three groups ahead, so that each j needs one addition. A hit is an earlier round that writes a cell which was already read. A hit in the next group costs one clock, a hit in the same group two."],
  rc4_design2: ["The paper's Design 2", "Sen Gupta et al., 2013: two rounds in one long clock, and the bytes read in the next. It never waits, but its clock must be long enough for two rounds one after the other."],
};

const STALLS: Record<string, string> = {
  next: "A hit: the last j points to an S[i] that the next group has already read. The core corrects the value and repeats the sum: one clock lost.",
  same: "A hit in the same group: the first j changed the S[i] of the second round. The core corrects the value: the first of two lost clocks.",
  again: "The second lost clock: the core adds the new sums.",
  full: "The output is full: the pipeline waits.",
};

/** RC4's values in each step of the keystream, counted from 1. */
function truth({ n, key, clocks }: Pipeline): Record<string, number>[] {
  const rc4 = machine("rc4", Uint8Array.from(key), { size: n as Size });
  while (rc4.steps < rc4.setup) rc4.step();
  return [{}, ...clocks.flatMap(() => [0, 0]).map(() => {
    const before = rc4.tables[0].slice();
    const trace = new Trace();
    const z = rc4.step(trace) as number;
    const { i, j } = rc4.registers;
    return { i, x: before[i], j, y: before[j], t: (before[i] + before[j]) & (n - 1), z };
  })];
}

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

/** Two pipelines in hardware, clock by clock, as recorded from their simulation. */
export function Hardware({ params, onParams }: Props) {
  const [core, setCore] = useState(() => choice(params.core, CORES, "rc4_spec"));
  const [n, setN] = useState(() => choice(params.n, SIZES, "16"));
  const run = recorded.pipelines.find((each) => each.core === core && String(each.n) === n) as Pipeline;
  const right = useMemo(() => truth(run), [run]);
  const player = usePlayer(whole(params.at, 12, 0, run.clocks.length - 1), run.clocks.length - 1, { speed: 1 });
  const at = Math.min(player.at, run.clocks.length - 1);
  useEffect(() => onParams({ core, n, at: String(at) }), [core, n, at]);

  const now = run.clocks[at];
  const byte = (group: number, round: number) => group * run.k + round + run.shift;
  const bytes = (group: number) => [...Array(run.k).keys()].map((round) => byte(group, round)).filter((number) => number > 0).join(", ");
  const first = Math.max(0, Math.min(at - Math.floor(WINDOW / 2), run.clocks.length - WINDOW));
  const shown = run.clocks.slice(first, first + WINDOW);
  const out = run.clocks.slice(0, at + 1).reduce((sum, { z }) => sum + (z?.length ?? 0), 0);
  const began = run.clocks.findIndex(({ z }) => z);
  const rate = (at >= began && began >= 0 ? out / (at - began + 1) : 0).toFixed(2);
  const lost = run.clocks.slice(0, at + 1).filter(({ stall }) => stall && stall !== "full").length;
  const [title, text] = ABOUT[core];
  const inside = now.groups.map((group, stage) => (group === null ? "" : `${run.stages[stage][0]}: byte ${bytes(group)}`)).filter(Boolean).join("; ");
  return (
    <>
      <h1>In hardware</h1>
      <p>A core computes {run.k} bytes in a group, and several groups at once, each in another stage. These are recorded simulations of the VHDL in <code>hardware/rtl</code>: every
        number stood on a wire. The key is {run.key.join(", ")}.</p>
      <div class="setup">
        <fieldset class="box"><legend>Core</legend><span class="kinds">{CORES.map((each) => <button type="button" aria-pressed={core === each} onClick={() => setCore(each)}>{ABOUT[each][0]}</button>)}</span></fieldset>
        <fieldset class="box"><legend>Cells of the table, N</legend><span class="kinds">{SIZES.map((each) => <button type="button" aria-pressed={n === each} onClick={() => setN(each)}>{each}</button>)}</span>
          <p class="note">{n === "16" ? "In a small table hits are common: good to look at." : "The cipher itself: a hit is rare."}</p></fieldset>
      </div>
      <p>{text}</p>
      <Transport player={player} unit="clock" />
      <p class={`stallnote ${now.stall ? "hit" : ""}`}><strong>Clock {at}.</strong> {STALLS[now.stall] ?? (now.groups.some((group) => group !== null) ? "Every group goes on to its next stage." : "The key schedule is still in the pipeline.")} {now.z && <>At the output: {now.z.join(", ")}.</>}</p>
      <h2>In each stage, in this clock</h2>
      <ol class="stages">
        {run.stages.map(([name, does], stage) => {
          const group = now.groups[stage];
          return (
            <li class={group === null ? "empty" : `group-${group % 6} ${now.stall && now.stall !== "full" && stage < 4 ? "waits" : ""}`}>
              <h3>{name}</h3>
              <p class="note">{does}</p>
              {group !== null && now.stages[stage]?.map((known, round) => (
                <p class="round"><b>{byte(group, round) > 0 ? `byte ${byte(group, round)}` : "no byte"}</b>{" "}
                  {Object.entries(known).map(([what, value]) => {
                    const number = byte(group, round);
                    const truly = right[number]?.[what];
                    const stale = number > 0 && truly !== undefined && truly !== value;
                    return <><span class={stale ? "stale" : ""}>{what === "x" ? "S[i]" : what === "y" ? "S[j]" : what === "z" ? "Z" : what} = {value}{stale && <>, <em>not yet right</em></>}</span>{" "}</>;
                  })}</p>
              ))}
            </li>
          );
        })}
      </ol>
      <h2>Where the bytes are, clock by clock</h2>
      <div class="strip" tabIndex={0} role="region" aria-label="Which byte is in which stage">
        <table class="pipeline">
          <thead><tr><th scope="col">clock</th>{shown.map((_, m) => <th scope="col" class={first + m === at ? "now" : ""}><button type="button" onClick={() => player.go(first + m)}>{first + m}</button></th>)}</tr></thead>
          <tbody>
            {run.stages.map(([name], stage) => (
              <tr><th scope="row">{name}</th>{shown.map((clock, m) => {
                const group = clock.groups[stage];
                return <td class={`${group === null ? "" : `group-${group % 6}`} ${first + m === at ? "now" : ""} ${clock.stall && clock.stall !== "full" && stage < 4 && group !== null ? "waits" : ""}`}>{group !== null && bytes(group)}</td>;
              })}</tr>
            ))}
            <tr class="cipher"><th scope="row">output Z</th>{shown.map((clock, m) => <td class={first + m === at ? "now" : ""}>{clock.z?.join(", ")}</td>)}</tr>
          </tbody>
        </table>
      </div>
      <p>So far: {out} words in {Math.max(0, at - began + 1)} clocks since the first, {rate} a clock{core === "rc4_spec" && `; ${lost} clocks lost to hits`}. The speed
        is this rate times the clock frequency that the gates allow: <code>hardware/README.md</code> has both, measured.</p>
      <p class="note">{title}, N = {run.n}, simulated with {run.simulator}; written by <code>{run.command}</code>.{core === "rc4_spec" && " When the clocks are lost depends on the key: a small timing channel."}</p>
      <Spoken text={`Clock ${at}. ${STALLS[now.stall] ?? ""} ${inside}${now.z ? `; output ${now.z.join(", ")}` : ""}.`} />
    </>
  );
}
