import { machine } from "arcfour";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { written } from "../numbers.js";
import { type Params, formatRoute } from "../route.js";
import { Timeline } from "../timeline.js";
import { Arithmetic } from "./arithmetic.js";
import { Grid } from "./grid.js";

/** Cells of the table, words of keystream before it begins anew, milliseconds for a step. */
const [SIZE, WORDS, PACE] = [16, 24, 900] as const;
const KEY = "Key";

/** A small RC4 that works without a click. It stands still if little motion is asked for, until Play is pressed. */
export function AtWork({ kept }: { kept: Params }) {
  const timeline = useMemo(() => new Timeline(machine("rc4", new TextEncoder().encode(KEY), { size: SIZE })), []);
  const end = timeline.setup + WORDS;
  const [playing, setPlaying] = useState(() => !matchMedia("(prefers-reduced-motion: reduce)").matches);
  const [at, setAt] = useState(playing ? 0 : timeline.setup + 1);
  const before = useRef(at);
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => setAt((now) => (now + 1) % (end + 1)), PACE);
    return () => clearInterval(timer);
  }, [playing]);
  useEffect(() => {
    before.current = at;
  }, [at]);

  const { machine: shown, trace, words } = useMemo(() => timeline.moment(at), [at]);
  const link = formatRoute({ view: "steps", params: { n: String(SIZE), base: "10", key: `text:${KEY}`, at: String(at), ...kept } });
  return (
    <section class="atwork" aria-label={`RC4 with ${SIZE} cells at work, with the key “${KEY}”`}>
      <div class="stage">
        <Grid name={`${shown.names[0]}, ${SIZE} cells`} table={shown.tables[0]} base={10} moment={at} pace={at === before.current + 1 ? PACE / 2 : 0}
          marks={trace?.marks} swaps={trace?.swaps} />
        <div class="doing">
          <h2>{trace?.phase ?? "before the first step"}</h2>
          {trace ? <Arithmetic trace={trace} base={10} size={SIZE} /> : <p>Cell v holds v. The key schedule shuffles the cells by the key “{KEY}”.</p>}
          <p class="made">Keystream: {Array.from(words, (word, n) => <b class={n === words.length - 1 ? "last" : undefined}>{written(word, 10, SIZE)}</b>)}</p>
        </div>
      </div>
      <p><button type="button" onClick={() => setPlaying(!playing)}>{playing ? "Pause" : "▶ Play"}</button> <a href={link}>Take it from here, step by step</a></p>
    </section>
  );
}
