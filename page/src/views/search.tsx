import { useEffect, useId, useState } from "preact/hooks";

import { type Field, bytesOf, formatField, parseField, textField, toHex } from "../input.js";
import { maskOf, sizeOf } from "../keys.js";
import { ByteBox } from "../parts/bytebox.js";
import { type Params, choice } from "../route.js";
import { KEPT, type Searched, rateOf } from "../search.js";
import { useWorker } from "../tasks.js";

const MASK = "?? ?? ??";
const CIPHERTEXT: Field = { kind: "hex", value: "bbf316e8d940af0ad3" };
const PLAINTEXT = textField("Plaintext");
/** The padding of ISO 32000-1, algorithm 2. */
const PADDING: Field = { kind: "hex", value: "28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a" };
const MOST = 200;
/** From this expected number on, the page names the wrong keys. */
const WRONG = 0.01;

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

const thousands = (n: number) => Math.round(n).toLocaleString("en");

function printed(key: Uint8Array): string {
  const pairs = (toHex(key).match(/../g) ?? []).join(" ");
  return key.every((byte) => byte >= 32 && byte < 127) ? `${pairs} (“${String.fromCharCode(...key)}”)` : pairs;
}

function duration(seconds: number): string {
  const [unit, name] = ([[86_400, "days"], [3600, "hours"], [60, "minutes"]] as const).find(([unit]) => seconds >= 2 * unit) ?? [1, "seconds"];
  return `${thousands(Math.ceil(seconds / unit))} ${name}`;
}

/** Tries every key under a mask: on the GPU by WebGPU, or on the processor. */
export function KeySearch({ params, onParams }: Props) {
  const [maskText, setMask] = useState(params.mask ?? MASK);
  const [ciphertext, setCiphertext] = useState(() => parseField(params.cipher, CIPHERTEXT));
  const [plaintext, setPlaintext] = useState(() => parseField(params.plain, PLAINTEXT));
  const [device, setDevice] = useState(() => choice(params.device, ["gpu", "cpu"], "gpu"));
  const { running, progress, start, stop } = useWorker<Searched>();
  const id = useId();
  useEffect(() => onParams({ mask: maskText, cipher: formatField(ciphertext), plain: formatField(plaintext), device }), [maskText, ciphertext, plaintext, device]);

  const { mask, error } = maskOf(maskText);
  const cipher = bytesOf(ciphertext, "The ciphertext", 1, MOST);
  const plain = bytesOf(plaintext, "The plaintext", 1, MOST);
  const text = plain.bytes;
  const known = text && cipher.bytes?.slice(0, text.length).map((byte, n) => byte ^ text[n]);
  const keys = mask && sizeOf(mask);
  const wrong = keys && known ? keys / 256 ** known.length : 0;
  const { done = 0, found = 0 } = progress ?? {};
  const rate = progress && rateOf(progress);
  return (
    <>
      <h1>Key search</h1>
      <p>A short key falls to a search: try each key, and compare the first bytes. Products for export had keys of 40 bits until 2000. A GPU tries many keys at the same
        time. It runs the same kernel here as in <code>arcfour find --device gpu</code>.</p>
      <div class="setup wide">
        <div class="box"><label for={id}>Key mask</label>
          <input id={id} type="text" value={maskText} spellcheck={false} autocomplete="off" autocapitalize="off" disabled={running} aria-invalid={error ? true : undefined} aria-describedby={`${id}-note`}
            onInput={(event) => setMask(event.currentTarget.value)} />
          <p id={`${id}-note`} class={error ? "wrong" : "note"} role={error ? "alert" : undefined}>{error ?? `${mask?.length} bytes, ${thousands(keys as number)} keys; ? is an unknown hex digit`}</p></div>
        <ByteBox label="Ciphertext" field={ciphertext} parsed={cipher} onChange={setCiphertext} />
        <ByteBox label="Its plaintext" field={plaintext} parsed={plain} onChange={setPlaintext} />
        <div class="box"><label for={`${id}-device`}>Device</label>
          <select id={`${id}-device`} value={device} disabled={running} onChange={(event) => setDevice(event.currentTarget.value as "gpu" | "cpu")}>
            <option value="gpu">the GPU, by WebGPU</option><option value="cpu">the processor</option>
          </select>
          <p class="note">Without a GPU, the processor searches.</p></div>
      </div>
      <p class="counting">
        {running ? <button type="button" class="main" onClick={stop}>Stop</button>
          : <button type="button" class="main" disabled={!mask || !known} onClick={() => mask && known && start({ kind: "search", search: { mask, known }, gpu: device === "gpu" })}>Search</button>}
        <progress max={keys ?? 1} value={done} aria-label="Keys tried" /> <span class="done">{thousands(done)}</span> keys tried
      </p>
      <p role="status" class="verdict">{progress && <>{progress.failure} {rate ? `${thousands(rate)} keys a second on` : "Tried on"} {progress.device}
        {progress.finished ? `. ${found === 1 ? "One key fits" : found ? `${thousands(found)} keys fit` : "No key fits"}.` : running ? (keys && rate ? `; about ${duration((keys - done) / rate)} left.` : ".") : "; stopped."}</>}</p>
      {found > 0 && <ul class="found">{progress?.keys.map((key) => <li><code>{printed(key)}</code></li>)}</ul>}
      {found > KEPT && <p class="note">These are the first {KEPT} of {thousands(found)}.</p>}
      {wrong > WRONG && <p class="note">About {wrong < 1 ? wrong.toFixed(2) : thousands(wrong)} wrong keys fit too. More known bytes reject them.</p>}
      <p class="note">A PDF file with R 2: the ciphertext is its U, and the plaintext is the padding of ISO 32000-1, algorithm 2. The found key is the key of the file.{" "}
        <button type="button" onClick={() => setPlaintext(PADDING)}>Fill in the padding</button></p>
    </>
  );
}
