import { ARC4, type Family, FamilyCipher, Spritz, type StreamCipher } from "arcfour";


export const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text: string) => Uint8Array.from(text === "-" ? [] : (text.match(/../g) ?? []), (pair) => parseInt(pair, 16));

export const rows = (text: string): string[][] =>
  text.split("\n").filter((line) => line && !line.startsWith("#")).map((line) => line.split(" "));

/** The families whose files hold keystream, beside RC4's own. */
export const KEYSTREAM_FILES: readonly (readonly [file: string, family: Family])[] = [
  ["rc4-rfc6229", "rc4"], ["rc4-special", "rc4"], ["rc4-keys", "rc4"], ["rc4-drop", "rc4"],
  ["rc4a", "rc4a"], ["rc4a-equal-keys", "rc4a-equal-keys"], ["vmpc", "vmpc"], ["vmpc-published", "vmpc"],
  ["vmpc-ksa3", "vmpc-ksa3"], ["vmpc-ksa3-published", "vmpc-ksa3"], ["rc4plus", "rc4plus"], ["spritz", "spritz"],
  ["spritz-published", "spritz"], ["parc4i", "parc4i"], ["parc4i-text", "parc4i-text"], ["parc4r", "parc4r"],
];
export const HASH_FILES = ["spritz-hash", "spritz-hash-published"];
export const MESSAGE_FILES = ["rc4-classic", "rc4-openssl"];
/** One key, in order: to be read as far as patience goes. */
export const DEEP_FILE = "rc4-deep";

/** The faults in a file's rows, and the number of rows. `fast` takes ARC4 instead of the definition. */
export function checkKeystream(text: string, family: Family, fast = false, deepest = Infinity) {
  const wrong: string[] = [];
  let count = 0;
  let [before, position, cipher] = ["", 0n, undefined as StreamCipher | undefined];
  for (const columns of rows(text)) {
    const [key, iv] = columns.length === 4 ? columns : [columns[0], undefined];
    const [offset, expected] = columns.slice(-2);
    if (BigInt(offset) > deepest) break;
    const setup = columns.slice(0, -2).join(" ");
    if (!cipher || setup !== before || BigInt(offset) < position) {
      cipher = fast ? new ARC4(unhex(key)) : new FamilyCipher(family, unhex(key), { iv: iv && unhex(iv) || undefined });
      [before, position] = [setup, 0n];
    }
    cipher.skip(BigInt(offset) - position);
    const made = hex(cipher.keystream(expected.length / 2));
    position = BigInt(offset) + BigInt(expected.length / 2);
    count++;
    if (made !== expected) wrong.push(`${setup} ${offset}: ${made}, not ${expected}`);
  }
  return { count, wrong };
}

export function checkHashes(text: string) {
  const all = rows(text);
  const wrong = all.filter(([message, hash]) => !hex(Spritz.hash256(unhex(message))).startsWith(hash));
  return { count: all.length, wrong: wrong.map(([message]) => message) };
}

export function checkMessages(text: string) {
  const all = rows(text);
  const wrong = all.filter(([key, plain, cipher]) => hex(new ARC4(unhex(key)).encrypt(unhex(plain))) !== cipher);
  return { count: all.length, wrong: wrong.map(([key]) => key) };
}
