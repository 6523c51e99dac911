import { useEffect, useRef } from "preact/hooks";

import { type Base, written } from "../numbers.js";

interface Props {
  plain: Uint8Array;
  words: Uint8Array;
  size: number;
  base: Base;
  /** How many words were dropped before the first one. */
  dropped: number;
}

const printed = (byte: number) => (byte > 32 && byte < 127 ? String.fromCharCode(byte) : byte === 32 ? "␣" : "·");
const COLUMNS = 64;

/** The message, the keystream and their xor, byte by byte, and the last of them bit by bit. */
export function Bytes({ plain, words, size, base, dropped }: Props) {
  const strip = useRef<HTMLDivElement>(null);
  const made = Math.max(0, words.length - dropped);
  const length = Math.max(plain.length, made, 1);
  const first = Math.max(0, Math.min(made - COLUMNS / 2, length - COLUMNS));
  const shown = Array.from({ length: Math.min(COLUMNS, length - first) }, (_, n) => first + n);
  const z = (n: number) => words[dropped + n];
  useEffect(() => {
    const now = strip.current?.querySelector<HTMLElement>(".now");
    if (now && strip.current) strip.current.scrollLeft = now.offsetLeft - strip.current.clientWidth / 2;
  }, [made]);

  const last = made - 1;
  return (
    <section class="bytes" aria-label="Message, keystream and ciphertext">
      <div class="strip" ref={strip} tabIndex={0} role="region" aria-label="Byte by byte">
        <table>
          <tbody>
            <tr><th scope="row">position</th>{shown.map((n) => <td class={n === last ? "now where" : "where"}>{dropped + n + 1}</td>)}</tr>
            <tr><th scope="row">message</th>{shown.map((n) => <td class={n === last ? "now" : ""}>{n < plain.length && <><i>{printed(plain[n])}</i> {written(plain[n], base)}</>}</td>)}</tr>
            <tr class="key"><th scope="row">keystream Z</th>{shown.map((n) => <td class={n === last ? "now" : ""}>{n < made && written(z(n), base, size)}</td>)}</tr>
            <tr class="cipher"><th scope="row">ciphertext</th>{shown.map((n) => <td class={n === last ? "now" : ""}>{n < made && n < plain.length && written(plain[n] ^ z(n), base)}</td>)}</tr>
          </tbody>
        </table>
      </div>
      {last >= 0 && last < plain.length && (
        <table class="bits">
          <caption class="unseen">The xor of the last byte, bit by bit</caption>
          <tbody>
            {([["message", plain[last]], ["⊕ Z", z(last)], ["= ciphertext", plain[last] ^ z(last)]] as const).map(([name, value], row) => (
              <tr class={row === 2 ? "cipher" : row === 1 ? "key" : ""}><th scope="row">{name}</th>
                {Array.from(value.toString(2).padStart(8, "0"), (bit) => <td class={bit === "1" ? "one" : ""}>{bit}</td>)}
                <td class="value">{written(value, base)}{row !== 1 && ` ${printed(value)}`}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
