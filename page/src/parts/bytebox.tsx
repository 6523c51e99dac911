import { useId } from "preact/hooks";

import { type Field, type Parsed, switched } from "../input.js";

interface Props {
  label: string;
  field: Field;
  parsed: Parsed;
  onChange: (field: Field) => void;
  rows?: number;
}

/** A box for bytes, as text or as hex digits, with what is wrong said beside it. */
export function ByteBox({ label, field, parsed, onChange, rows = 1 }: Props) {
  const id = useId();
  const { bytes, error } = parsed;
  const common = {
    id, value: field.value, spellcheck: false, autocomplete: "off", autocapitalize: "off",
    "aria-invalid": error ? true : undefined, "aria-describedby": `${id}-note`,
    onInput: (event: { currentTarget: { value: string } }) => onChange({ ...field, value: event.currentTarget.value }),
  } as const;
  return (
    <div class="box">
      <label for={id}>{label}</label>
      <span class="kinds" role="group" aria-label={`${label} as`}>
        {(["text", "hex"] as const).map((kind) => (
          <button type="button" aria-pressed={field.kind === kind} onClick={() => onChange(switched(field, kind))}>{kind}</button>
        ))}
      </span>
      {rows > 1 ? <textarea rows={rows} {...common} /> : <input type="text" {...common} />}
      <p id={`${id}-note`} class={error ? "wrong" : "note"} role={error ? "alert" : undefined}>
        {error ?? `${bytes?.length.toLocaleString("en")} ${bytes?.length === 1 ? "byte" : "bytes"}`}
      </p>
    </div>
  );
}
