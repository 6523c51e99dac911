import { ARC4 } from "arcfour";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { type Parsed, bytesOf, formatField, parseField, textField, toHex } from "../input.js";
import { ByteBox } from "../parts/bytebox.js";
import { type Params, whole } from "../route.js";

const FIRST = "Attack the east gate at dawn tomorrow.";
const SECOND = "Meet me under the old bridge at nine.";
const MOST = 200;

const printed = (byte: number) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·");
const readable = (byte: number) => (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || [32, 39, 44, 46].includes(byte);

function useLast(parsed: Parsed): Uint8Array {
  const last = useRef<Uint8Array>(new Uint8Array(1));
  if (parsed.bytes) last.current = parsed.bytes;
  return last.current;
}

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

/** Two messages under one key: their xor needs no key to be seen, and a guess at one reads the other. */
export function Twice({ params, onParams }: Props) {
  const [key, setKey] = useState(() => parseField(params.key, textField("Key")));
  const [one, setOne] = useState(() => parseField(params.one, textField(FIRST)));
  const [two, setTwo] = useState(() => parseField(params.two, textField(SECOND)));
  const [crib, setCrib] = useState(params.crib ?? " the ");
  const [at, setAt] = useState(() => whole(params.at, 0, 0, MOST));
  const [shown, setShown] = useState(params.shown === "yes");
  const parsed = [bytesOf(key, "The key", 1, 256), bytesOf(one, "The first message", 1, MOST), bytesOf(two, "The second message", 1, MOST)];
  const [k, p1, p2] = parsed.map(useLast);
  const guess = useMemo(() => new TextEncoder().encode(crib), [crib]);
  useEffect(() => onParams({ key: formatField(key), one: formatField(one), two: formatField(two), crib, at: String(at), ...(shown && { shown: "yes" }) }), [key, one, two, crib, at, shown]);

  const [c1, c2] = useMemo(() => [p1, p2].map((message) => new ARC4(k).encrypt(message)), [k, p1, p2]);
  const length = Math.min(c1.length, c2.length);
  const both = c1.slice(0, length).map((byte, n) => byte ^ c2[n]);
  const last = Math.max(0, length - guess.length);
  const place = Math.min(at, last);
  const found = Array.from(guess, (byte, n) => byte ^ (both[place + n] ?? 0));
  const share = guess.length ? found.filter(readable).length / guess.length : 0;
  const fits = Array.from({ length: last + 1 }, (_, offset) =>
    guess.length > 1 && guess.every((byte, n) => readable(byte ^ both[offset + n]))).flatMap((fit, offset) => (fit ? [offset] : []));

  const strip = useRef<HTMLDivElement>(null);
  const drag = (event: PointerEvent) => {
    const cell = strip.current?.querySelector("td");
    if (!event.buttons || !cell || !strip.current) return;
    const { left, width } = cell.getBoundingClientRect();
    setAt(Math.max(0, Math.min(last, Math.floor((event.clientX - left) / width - guess.length / 2 + 0.5))));
  };
  const columns = Array.from({ length }, (_, n) => n);
  const inCrib = (n: number) => n >= place && n < place + guess.length;
  const row = (name: string, cells: (n: number) => string | undefined, className = "") => (
    <tr class={className}><th scope="row">{name}</th>{columns.map((n) => <td class={inCrib(n) ? "now" : ""}>{cells(n)}</td>)}</tr>
  );
  const hex = (byte: number) => toHex([byte]);
  return (
    <>
      <h1>One key twice</h1>
      <p>The same key gives the same keystream. Xor two ciphertexts and the keystream is gone: what is left is one message xored with the other, whatever the cipher. Then guess a
        word of one, a <em>crib</em>, and drag it along: where it is right, the other message shows.</p>
      <div class="setup">
        <ByteBox label="Key" field={key} parsed={parsed[0]} onChange={setKey} />
        <ByteBox label="First message" field={one} parsed={parsed[1]} onChange={setOne} />
        <ByteBox label="Second message" field={two} parsed={parsed[2]} onChange={setTwo} />
      </div>
      <div class="setup">
        <div class="box"><label for="crib">Crib: a word you guess</label><input id="crib" type="text" value={crib} maxLength={40} aria-describedby="crib-note" onInput={(event) => setCrib(event.currentTarget.value)} />
          <p id="crib-note" class={guess.length > length || !guess.length ? "wrong" : "note"} role={guess.length > length || !guess.length ? "alert" : undefined}>{!guess.length ? "The crib is empty; guess a letter or more." : guess.length > length ? `The crib has ${guess.length} bytes, more than both messages share: ${length}.` : "Spaces count."}</p></div>
        <div class="box"><label for="place">Where: drag it, or ← and →</label><input id="place" type="range" min={0} max={last} value={place} onInput={(event) => setAt(Number(event.currentTarget.value))} />
          <p class="note">byte {place + 1} of {length}</p></div>
        <p class="counting"><button type="button" aria-pressed={shown} onClick={() => setShown(!shown)}>Show what an attacker does not see</button></p>
      </div>
      <div class="strip crib" ref={strip} tabIndex={0} role="region" aria-label="The ciphertexts, their xor, and the crib" onPointerDown={drag} onPointerMove={drag}>
        <table>
          <tbody>
            {shown && row("message 1", (n) => printed(p1[n]))}
            {shown && row("message 2", (n) => printed(p2[n]))}
            {row("ciphertext 1", (n) => hex(c1[n]))}
            {row("ciphertext 2", (n) => hex(c2[n]))}
            {row("their xor", (n) => hex(both[n]), "cipher")}
            {row("crib", (n) => (inCrib(n) ? printed(guess[n - place]) : ""), "guess")}
            {row("gives", (n) => (inCrib(n) ? printed(found[n - place]) : ""), share === 1 ? "gives fits" : "gives")}
          </tbody>
        </table>
      </div>
      <p role="status" class="verdict">{guess.length === 0 || guess.length > length ? "" : share === 1 ? <>“{crib}” at byte {place + 1} gives “<b>{found.map(printed).join("")}</b>”: letters all the way. Does it make sense?</>
        : <>“{crib}” at byte {place + 1} gives “{found.map(printed).join("")}”: {Math.round(share * 100)} % letters.</>}</p>
      {fits.length > 0 && fits.length < 30 && <p class="worth">Where it gives letters only: {fits.map((offset) => <button type="button" aria-pressed={offset === place} onClick={() => setAt(offset)}>byte {offset + 1}</button>)}</p>}
      <p class="note">When “ the ” fits, extend the crib by the letters that must come before and after it, in either message. Each message then reveals more of the other. Microsoft's PPTP of
        1998 (B. Schneier & Mudge) and Word and Excel up to 2003 (H. Wu, 2005) used a key twice like this. It needs no weakness of RC4: no stream cipher survives it.</p>
    </>
  );
}
