import { type Family, SIZES, type Size, families, machine } from "arcfour";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { catalogue } from "../catalogue.js";
import { type Field, bytesOf, formatField, parseField, textField } from "../input.js";
import { type Base, spoken, written } from "../numbers.js";
import { Arithmetic } from "../parts/arithmetic.js";
import { ByteBox } from "../parts/bytebox.js";
import { Bytes } from "../parts/bytes.js";
import { Grid } from "../parts/grid.js";
import { SPEEDS, Transport, usePlayer } from "../parts/player.js";
import { Spoken } from "../parts/spoken.js";
import { type Params, choice, whole } from "../route.js";
import { Timeline } from "../timeline.js";

const NAMES = Object.keys(families) as Family[];
/** The maximum length of a message, and the last step. */
const [MOST_TEXT, MOST_DROP, LAST] = [4096, 100_000, 262_144];
/** Words made when there is no message. */
const WORDS = 32;
const [KEY, IV, TEXT] = [textField("Key"), textField("IV"), textField("Plaintext")];

interface State {
  family: Family;
  size: Size;
  key: Field;
  iv: Field;
  text: Field;
  drop: string;
  base: Base;
}

function readState(params: Params): State {
  const family = choice(params.family, NAMES, "rc4");
  const size = whole(params.n, 256, 8, 256);
  return {
    family,
    size: families[family].sizes ? (SIZES.find((each) => each === size) ?? 256) : 256,
    key: parseField(params.key, KEY),
    iv: parseField(params.iv, IV),
    text: parseField(params.text, TEXT),
    drop: params.drop ?? "0",
    base: params.base === "10" ? 10 : params.base === "16" ? 16 : size <= 16 ? 10 : 16,
  };
}

function parseDrop(text: string): { drop: number; error?: undefined } | { drop?: undefined; error: string } {
  const drop = Number(text);
  if (/^\d+$/.test(text.trim()) && drop <= MOST_DROP) return { drop };
  return { error: `The drop is “${text}”; it must be a whole number from 0 to ${MOST_DROP.toLocaleString("en")}.` };
}

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

/** Any family, step by step. */
export function Steps({ params, onParams }: Props) {
  const [state, setState] = useState(() => readState(params));
  const change = (patch: Partial<State>) => setState((before) => ({ ...before, ...patch }));
  const { family, size, base } = state;
  const takesIv = families[family].iv;

  const key = useMemo(() => bytesOf(state.key, "The key", 1, 256), [state.key]);
  const iv = useMemo(() => bytesOf(state.iv, "The IV", 1, 256), [state.iv]);
  const text = useMemo(() => bytesOf(state.text, "The message", 0, MOST_TEXT), [state.text]);
  const drop = parseDrop(state.drop);

  // Invalid input keeps the last valid value, so that typing breaks nothing.
  const good = useRef<{ timeline: Timeline; size: Size; family: Family }>();
  const plain = useRef<Uint8Array>(new Uint8Array());
  const dropped = useRef(0);
  const fine = key.bytes && (!takesIv || iv.bytes);
  useMemo(() => {
    if (!key.bytes || (takesIv && !iv.bytes)) return;
    const start = machine(family, key.bytes, { size, iv: takesIv ? iv.bytes : undefined });
    good.current = { timeline: new Timeline(start), size, family };
  }, [family, size, key, takesIv && iv]);
  if (!good.current) good.current = { timeline: new Timeline(machine("rc4", Uint8Array.of(75, 101, 121), { size })), size, family: "rc4" };
  if (text.bytes) plain.current = text.bytes;
  if (drop.drop !== undefined) dropped.current = drop.drop;

  const { timeline } = good.current;
  const start = timeline.setup + dropped.current;
  const player = usePlayer(whole(params.at, 0, 0, LAST), start + (plain.current.length || WORDS), {
    most: LAST, speed: SPEEDS.find((each) => String(each) === params.speed),
  });
  const { at, playing, speed } = player;
  const moment = useMemo(() => timeline.moment(at), [timeline, at]);
  const before = useRef(at);
  const single = Math.abs(at - before.current) === 1 || at === before.current;
  useEffect(() => {
    before.current = at;
  }, [at]);

  useEffect(() => {
    onParams({
      family, n: String(size), key: formatField(state.key), ...(takesIv && { iv: formatField(state.iv) }), text: formatField(state.text),
      ...(state.drop !== "0" && { drop: state.drop }), base: String(base), at: String(at), speed: String(speed),
    });
  }, [state, at, speed]);

  const { machine: shown, trace, words } = moment;
  const word = words.length && at > timeline.setup ? words[words.length - 1] : undefined;
  const several = shown.tables.length > 1;
  const about = catalogue[family];
  const registers = Object.entries(shown.registers);
  const dropping = words.length > 0 && words.length <= dropped.current;
  return (
    <>
      <h1>Step by step</h1>
      <form class="setup" onSubmit={(event) => event.preventDefault()}>
        <div class="box">
          <label for="family">Family</label>
          <select id="family" value={family} onChange={(event) => {
            const next = event.currentTarget.value as Family;
            change({ family: next, size: families[next].sizes ? size : 256 });
          }}>
            {NAMES.map((name) => <option value={name}>{catalogue[name].title}</option>)}
          </select>
          <p class="note">{about.paper}</p>
        </div>
        <fieldset class="box">
          <legend>Cells of the table, N</legend>
          <span class="kinds">
            {SIZES.map((each) => (
              <button type="button" aria-pressed={size === each} disabled={!families[family].sizes && each !== 256}
                onClick={() => change({ size: each, base: each <= 16 ? 10 : 16 })}>{each}</button>
            ))}
          </span>
          <p class="note">{!families[family].sizes ? "This family is defined for 256 cells." : size === 256 ? "The cipher itself." : `A model: words of ${Math.log2(size)} bits, all sums modulo ${size}.`}</p>
        </fieldset>
        <ByteBox label="Key" field={state.key} parsed={key} onChange={(field) => change({ key: field })} />
        {takesIv && <ByteBox label="IV" field={state.iv} parsed={iv} onChange={(field) => change({ iv: field })} />}
        <ByteBox label="Message" field={state.text} parsed={text} onChange={(field) => change({ text: field })} />
        <div class="box">
          <label for="drop">Drop</label>
          <input id="drop" type="text" inputMode="numeric" value={state.drop} aria-invalid={drop.error ? true : undefined} aria-describedby="drop-note"
            onInput={(event) => change({ drop: event.currentTarget.value })} />
          <p id="drop-note" class={drop.error ? "wrong" : "note"} role={drop.error ? "alert" : undefined}>{drop.error ?? "words discarded first"}</p>
        </div>
        <fieldset class="box">
          <legend>Numbers</legend>
          <span class="kinds">
            {([10, 16] as const).map((each) => <button type="button" aria-pressed={base === each} onClick={() => change({ base: each })}>{each === 10 ? "decimal" : "hex"}</button>)}
          </span>
        </fieldset>
      </form>
      {!fine && <p class="wrong">The steps below use the last valid input.</p>}

      <Transport player={player} places={[["Keystream", timeline.setup] as const, ...(dropped.current ? [["Message", start] as const] : [])]} />

      <div class={`stage ${several ? "several" : ""}`}>
        <div class="tables">
          {shown.tables.map((table, n) => (
            <Grid name={shown.names[n]} table={table} base={base} small={several} moment={at} pace={single ? Math.min(450, playing ? 800 / speed : 450) : 0}
              marks={trace?.marks.filter((mark) => mark.table === n)} swaps={trace?.swaps.filter((swap) => swap.table === n)} />
          ))}
        </div>
        <div class="doing">
          <h2>{trace ? `${trace.phase}${dropping ? ", dropped" : ""}` : "before the first step"}</h2>
          <p class="registers">{registers.map(([name, value]) => <span><b class={`is-${name[0]}`}>{name}</b> {written(value, base, size)}</span>)}</p>
          {trace ? <Arithmetic trace={trace} base={base} size={size} /> : <p>Cell v holds v, and the shades are in order. The key schedule is going to shuffle them.</p>}
          {word !== undefined && <p class="output">{dropping ? "Dropped" : "Keystream"} word {words.length}: <b>{written(word, base, size)}</b></p>}
        </div>
      </div>
      <Bytes plain={plain.current} words={words} size={size} base={base} dropped={dropped.current} />
      {size < 256 && <p class="note">A word of {Math.log2(size)} bits hides only the low {Math.log2(size)} bits of a byte: with {size} cells this is a model of RC4, not a cipher.</p>}
      <section class="about">
        <h2>{about.title}</h2>
        <p>{about.idea} <strong>Watch:</strong> {about.watch}</p>
        <p><strong>Known attacks:</strong> {about.broken}</p>
        <p class="note">Keys: space plays and pauses, ← and → go a step (with shift, sixteen), Home and End to the ends, n to the next part, + and − change the speed. The address holds all of this: a copy of the address shows the same step.</p>
      </section>
      <Spoken text={trace ? spoken(trace, at, word, size) : "Before the first step: every cell holds its own number."} />
    </>
  );
}
