import { type Family, FamilyCipher, families } from "arcfour";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { catalogue } from "../catalogue.js";
import { bytesOf, formatField, parseField, textField, toHex } from "../input.js";
import { ByteBox } from "../parts/bytebox.js";
import { type Params, formatRoute } from "../route.js";

const NAMES = Object.keys(families) as Family[];
const BYTES = 20;

interface Props {
  params: Params;
  onParams: (params: Params) => void;
}

/** Every family under one key, with its difference from RC4 and its known attacks. */
export function Families({ params, onParams }: Props) {
  const [key, setKey] = useState(() => parseField(params.key, textField("Key")));
  const parsed = useMemo(() => bytesOf(key, "The key", 1, 256), [key]);
  const last = useRef<Uint8Array>(new TextEncoder().encode("Key"));
  if (parsed.bytes) last.current = parsed.bytes;
  useEffect(() => onParams({ key: formatField(key) }), [key]);
  const iv = textField("IV");
  const streams = useMemo(() => NAMES.map((family) => new FamilyCipher(family, last.current, families[family].iv ? { iv: new TextEncoder().encode(iv.value) } : {}).keystream(BYTES)), [last.current]);
  const rc4 = streams[NAMES.indexOf("rc4")];
  const kept = Object.fromEntries(["theme", "size", "tour"].filter((name) => params[name]).map((name) => [name, params[name]]));
  return (
    <>
      <h1>The families</h1>
      <p>RC4's simplicity invited repairs, and each has its own weakness. Here all of them get one key, with the IV “IV” where there is one. Bytes that RC4 gives too are set in bold.</p>
      <div class="setup"><ByteBox label="Key" field={key} parsed={parsed} onChange={setKey} /></div>
      <ul class="families">
        {NAMES.map((family, n) => {
          const { title, paper, idea, broken } = catalogue[family];
          const quadruple = family.startsWith("parc4i");
          const twin = family === "rc4a-equal-keys";
          const size = families[family].sizes ? "16" : "256";
          const link = formatRoute({ view: "steps", params: { family, n: size, key: formatField(key), at: quadruple ? "16" : "0", ...kept } });
          return (
            <li>
              <h2>{title}</h2>
              <p class="note">{paper}</p>
              <p>{idea}</p>
              <p class="stream"><span class="unseen">Keystream: </span>{Array.from(streams[n], (byte, at) => {
                const same = byte === rc4[quadruple ? at >> 2 : twin ? at >> 1 : at];
                return <code class={same ? "same" : ""}>{toHex([byte])}</code>;
              })}</p>
              <p class="note"><strong>Known attacks:</strong> {broken}</p>
              <p><a href={link}>Step through it{size === "16" ? ", with 16 cells" : ""}</a></p>
            </li>
          );
        })}
      </ul>
    </>
  );
}
