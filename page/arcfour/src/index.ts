/** RC4 and its relatives. RC4 is broken (RFC 7465): for reading old data, and for teaching. */
export { ARC4, schedule, type Options } from "./arc4.js";
export { MAX_KEY, MIN_KEY, type Bytes, type BytesLike } from "./bytes.js";
export { FamilyCipher, SIZES, families, machine, type Family, type MachineOptions, type Size, type Takes } from "./family.js";
export { Spritz } from "./families/spritz.js";
export { Machine } from "./machine.js";
export { StreamCipher, type Source } from "./stream.js";
export { Trace, type Line, type Mark, type Swap } from "./trace.js";
