/** Bytes as the package takes them: a buffer, or any view of one with its offset and length. Node's Buffer is a view. */
export type BytesLike = ArrayBuffer | SharedArrayBuffer | ArrayBufferView;

/** Bytes as the package returns them: `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 calls `Uint8Array`. */
export type Bytes = ReturnType<typeof Uint8Array.of>;

/** The minimum and maximum length of a key or an IV, in bytes. */
export const [MIN_KEY, MAX_KEY] = [1, 256];

const TAKEN = "it must be an ArrayBuffer, a SharedArrayBuffer or a view of one, such as a Uint8Array or a Buffer";

/** Conversions of the values most often given by mistake. */
const REMEDIES: Readonly<Record<string, string>> = {
  "a string": "new TextEncoder().encode(text) gives the bytes of a text",
  "an Array": "Uint8Array.from(array) gives the bytes of an array",
  "a Blob": "await blob.arrayBuffer() gives the bytes of a Blob",
  "a File": "await file.arrayBuffer() gives the bytes of a File",
  "a Promise": "await gives the value of a Promise",
};

/** The type of a value for an error message: "a string", "an Array", "null". */
export function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  const name = typeof given === "object" ? Object.prototype.toString.call(given).slice(8, -1) : typeof given;
  return `${/^[aeiou]/i.test(name) && !/^uint/i.test(name) ? "an" : "a"} ${name}`;
}

/**
 * The bytes of a buffer or a view in place, as a plain Uint8Array.
 *
 * A Buffer is not returned as it is: its methods differ from those of Uint8Array. Buffers of other realms, such as
 * frames and Node's vm, are taken. Throws a TypeError that starts with `what`, the name of the argument.
 */
export function viewOf(what: string, given: BytesLike): Uint8Array {
  const isView = ArrayBuffer.isView(given);
  try {
    // DataView refuses everything but buffers.
    if (!isView) return new Uint8Array(new DataView(given).buffer);
    // A typed array outside its shrunk buffer has length 0; every method of it throws, and so does DataView's length.
    if (Object.prototype.toString.call(given) !== "[object DataView]") Uint8Array.prototype.keys.call(given as Uint8Array);
    return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  } catch {
    const kind = kindOf(given);
    if (isView || /Buffer$/.test(kind)) throw new TypeError(`${what} is ${kind} without its bytes: the buffer was transferred or shrunk`);
    const remedy = REMEDIES[kind];
    throw new TypeError(`${what} is ${kind}; ${TAKEN}${remedy ? `; ${remedy}` : ""}`);
  }
}

/** A copy of a key or an IV. Throws a TypeError if it is no bytes, and a RangeError unless it has 1 to 256 of them. */
export function keyOf(what: "key" | "IV", given: BytesLike): Uint8Array {
  const bytes = viewOf(`the ${what}`, given);
  if (bytes.length < MIN_KEY || bytes.length > MAX_KEY)
    throw new RangeError(`the ${what} has ${bytes.length} bytes; it must have ${MIN_KEY} to ${MAX_KEY}`);
  return bytes.slice();
}
