/** The contents of a box for bytes: text or hex digits. */
export interface Field {
  kind: "text" | "hex";
  value: string;
}

export type Parsed = { bytes: Uint8Array; error?: undefined } | { bytes?: undefined; error: string };

export const textField = (value: string): Field => ({ kind: "text", value });

/** A field as links write it: `text:Key` or `hex:4b6579`. */
export const formatField = ({ kind, value }: Field): string => `${kind}:${value}`;

export function parseField(text: string | undefined, otherwise: Field): Field {
  const [, kind, value] = text?.match(/^(text|hex):(.*)$/s) ?? [];
  return kind ? { kind: kind as Field["kind"], value } : otherwise;
}

/** The bytes of a field, or an error message with the value and the range. */
export function bytesOf({ kind, value }: Field, what: string, low: number, high: number): Parsed {
  const read = kind === "text" ? { bytes: new TextEncoder().encode(value) } : fromHex(value, what);
  if (!read.bytes) return read;
  const { length } = read.bytes;
  if (length >= low && length <= high) return read;
  const range = low === 0 ? `at most ${high.toLocaleString("en")}` : `${low} to ${high}`;
  return { error: length === 0 ? `${what} is empty; it must have ${range} bytes.` : `${what} has ${length.toLocaleString("en")} bytes; it must have ${range}.` };
}

function fromHex(value: string, what: string): Parsed {
  const digits = value.replace(/\s+/g, "");
  const wrong = value.match(/[^0-9a-fA-F\s]/u);
  if (wrong) return { error: `${what} has “${wrong[0]}” at place ${(wrong.index as number) + 1}, which is no hex digit.` };
  if (digits.length % 2) return { error: `${what} has ${digits.length} hex digits, an odd number; a byte has two.` };
  return { bytes: Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16)) };
}

export const toHex = (bytes: ArrayLike<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The same bytes written the other way; as hex if they are no text. */
export function switched(field: Field, kind: Field["kind"]): Field {
  if (field.kind === kind) return field;
  const read = bytesOf(field, "", 0, Infinity);
  if (!read.bytes) return { kind, value: field.value };
  if (kind === "hex") return { kind, value: toHex(read.bytes) };
  try {
    return { kind, value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes) };
  } catch {
    return field;
  }
}
