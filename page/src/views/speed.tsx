import { useEffect } from "preact/hooks";

import recorded from "built:recorded";

import type { Measured } from "../measure.js";
import type { Params } from "../route.js";
import { useWorker } from "../tasks.js";

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

const megabytes = (rate: number) => rate.toLocaleString("en", { maximumFractionDigits: 0 });

/** How fast this browser is at RC4, beside recorded native programs. */
export function Speed({ onParams }: Props) {
  const { running, progress, start, stop } = useWorker<Measured>();
  useEffect(() => onParams({}), []);
  const here = (progress?.results ?? []).map(({ name, mbPerS }) => ({ name, rate: mbPerS, here: true }));
  const native = recorded.bench.engines.map(({ engine, mbPerS }) => ({ name: engine, rate: mbPerS, here: false }));
  const all = [...here, ...native].sort((a, b) => b.rate - a.rate);
  const most = Math.max(...all.map(({ rate }) => rate));
  return (
    <>
      <h1>How fast, in your browser</h1>
      <p>The same cipher in this browser's JavaScript, and our C for embedding, <code>capi/single</code>, as WebAssembly: 1 MiB xored in place, again and again for a second, the median of the passes. Before a time
        is taken, the code must give the keystream of RFC 6229 and of every key in the test vectors it carries.</p>
      <p class="counting">
        {running ? <button type="button" onClick={stop}>Stop</button> : <button type="button" class="main" onClick={() => start({ kind: "speed" })}>Measure</button>}
        <span role="status">{progress?.error ?? progress?.doing ?? ""}</span>
      </p>
      {(progress?.results ?? []).map(({ name, verified }) => <p class="note">{name}: {verified} vectors right.</p>)}
      <table class="speeds">
        <caption>Megabytes a second, one stream of 1 MiB</caption>
        <thead><tr><th scope="col">what</th><th scope="col" class="number">MB/s</th><th scope="col"><span class="unseen">as a bar</span></th></tr></thead>
        <tbody>
          {all.map(({ name, rate, here }) => (
            <tr class={here ? "here" : ""}><th scope="row">{name}{here && " (here, now)"}</th><td class="number">{megabytes(rate)}</td><td class="bar"><span style={{ width: `${(100 * rate) / most}%` }} /></td></tr>
          ))}
        </tbody>
      </table>
      <p class="note">The others are native programs, recorded on another machine: <code>bench/runs/{recorded.bench.run}</code> by <code>make bench</code>. A browser's clock is coarse, and your machine is
        another one: compare the order, not the digits.</p>
    </>
  );
}
