// Our packed package beside crypto-js and arc4: every length of key, data of many lengths, in two pieces.
import { ARC4 } from "arcfour";
import arc4 from "arc4";
import cryptoJs from "crypto-js";
import { readFileSync } from "node:fs";

const version = (name) => `${name} ${JSON.parse(readFileSync(`node_modules/${name}/package.json`)).version}`;
const same = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;

const theirs = {
  "crypto-js": (key, data) => {
    const words = (bytes) => cryptoJs.lib.WordArray.create(Uint8Array.from(bytes));
    return Buffer.from(cryptoJs.RC4.encrypt(words(data), words(key)).ciphertext.toString(), "hex");
  },
  arc4: (key, data) => arc4("arc4", Buffer.from(key)).encodeBuffer(Buffer.from(data)),
};

const results = [];
for (const [name, encrypt] of Object.entries(theirs)) {
  let run = 0, failed = 0;
  for (let length = 1; length <= 256; length += 1) {
    const key = Uint8Array.from({ length }, (_, n) => (length + 7 * n) % 251);
    const data = Uint8Array.from({ length: 3 * length }, (_, n) => (5 * n + length) % 256);
    const cipher = new ARC4(key);
    const pieces = [cipher.encrypt(data.subarray(0, length)), cipher.encrypt(data.subarray(length))];
    run += 1;
    failed += same(Buffer.concat(pieces), encrypt(key, data)) ? 0 : 1;
  }
  results.push([version(name), run, failed]);
}
console.log(JSON.stringify(results));
