import { useEffect, useRef, useState } from "preact/hooks";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 60, 250, 1000] as const;

export interface Player {
  at: number;
  /** Where playing ends. */
  total: number;
  /** The last step there is: by hand one may go beyond the end. */
  most: number;
  playing: boolean;
  speed: number;
  /** Goes to a step, or from the step it is at, which may be ahead of what is drawn when keys come fast. */
  go: (to: number | ((at: number) => number)) => void;
  toggle: () => void;
  setSpeed: (speed: number) => void;
}

/** Goes from step to step, by hand up to `most`, or by itself up to `end`. */
export function usePlayer(first: number, end: number, { most = end, speed: firstSpeed = 2 } = {}): Player {
  const [at, setAt] = useState(Math.min(first, most));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(firstSpeed);
  const exact = useRef(at);
  const total = Math.max(end, at);

  const go: Player["go"] = (to) => {
    const wanted = typeof to === "number" ? to : to(Math.floor(exact.current));
    exact.current = Math.max(0, Math.min(most, wanted));
    setAt(exact.current);
  };
  // Another key or family may have fewer steps.
  const ended = useRef(end);
  useEffect(() => {
    if (ended.current !== end && at > end) go(end);
    ended.current = end;
  }, [end]);

  useEffect(() => {
    if (!playing) return;
    let frame = 0;
    let before = performance.now();
    exact.current = at;
    const tick = (now: number) => {
      exact.current = Math.min(total, exact.current + ((now - before) * speed) / 1000);
      before = now;
      setAt(Math.floor(exact.current));
      if (exact.current >= total) setPlaying(false);
      else frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, total]);

  const toggle = () => {
    if (!playing && at >= total) go(0);
    setPlaying(!playing);
  };
  return { at, total, most, playing, speed, toggle, setSpeed, go: (to) => { setPlaying(false); go(to); } };
}

/** Is the key for the page, and not for a box that is being filled in or a button that it presses? */
export function forPage(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (target.closest("input, textarea, select, [role=application], dialog")) return false;
  return !(event.key === " " && target.closest("button, a, summary"));
}

interface Props {
  player: Player;
  /** Steps worth a button, by name. */
  places?: readonly (readonly [name: string, at: number])[];
  /** What a step is called: "step", "clock". */
  unit?: string;
}

/** The buttons, the slider, and their keys. */
export function Transport({ player, places = [], unit = "step" }: Props) {
  const { at, total, most, playing, speed, go, toggle, setSpeed } = player;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!forPage(event)) return;
      const slower = SPEEDS.filter((each) => each < speed).at(-1);
      const faster = SPEEDS.find((each) => each > speed);
      const jump = event.shiftKey ? 16 : 1;
      const actions: Record<string, (() => void) | undefined> = {
        " ": toggle, ArrowRight: () => go((now) => now + jump), ArrowLeft: () => go((now) => now - jump), Home: () => go(0), End: () => go(total),
        "+": faster ? () => setSpeed(faster) : undefined, "-": slower ? () => setSpeed(slower) : undefined,
        n: () => go((now) => places.map(([, place]) => place).find((place) => place > now) ?? total),
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <div class="transport" role="group" aria-label={`Go from ${unit} to ${unit}`}>
      <div class="buttons">
        <button type="button" onClick={() => go(0)} disabled={at === 0} aria-label="To the start" title="To the start (Home)">|◀</button>
        <button type="button" onClick={() => go((now) => now - 1)} disabled={at === 0} title={`One ${unit} back (←)`}>◀ Back</button>
        <button type="button" class="main" onClick={toggle} title="Play or pause (space)">{playing ? "Pause" : "▶ Play"}</button>
        <button type="button" onClick={() => go((now) => now + 1)} disabled={at === most} title={`One ${unit} on (→)`}>Step ▶</button>
        <button type="button" onClick={() => go(total)} disabled={at === total} aria-label="To the end" title="To the end (End)">▶|</button>
        {places.map(([name, place]) => <button type="button" onClick={() => go(place)} disabled={at === place}>{name}</button>)}
      </div>
      <input type="range" min={0} max={total} value={at} aria-label={`Which ${unit}`} onInput={(event) => go(Number(event.currentTarget.value))} />
      <label class="jump">{unit[0].toUpperCase() + unit.slice(1)} <input type="number" min={0} max={most} value={at} onChange={(event) => go(Math.floor(Number(event.currentTarget.value)) || 0)} /> of {total.toLocaleString("en")}</label>
      <label class="speed">Speed <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
        {SPEEDS.map((each) => <option value={each}>{each} a second</option>)}
      </select></label>
    </div>
  );
}
