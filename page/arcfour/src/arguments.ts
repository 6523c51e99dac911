import { kindOf } from "./bytes.js";

/** Throws a TypeError unless the count is a number, and a RangeError unless it is whole and not negative. */
export function checkCount(what: string, count: number): void {
  if (typeof count !== "number") throw new TypeError(`${what} is ${kindOf(count)}; it must be a number`);
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${what} is ${count}; it must be a whole number, 0 or more and below 2^53`);
}

/** As `checkCount`, for a count that may also be a bigint. */
export function checkLongCount(what: string, count: number | bigint): void {
  if (typeof count !== "bigint") checkCount(what, count);
  else if (count < 0n) throw new RangeError(`${what} is ${count}; it must be 0 or more`);
}

/** Throws a TypeError unless the options are an object with no other names: a misspelt option must not be ignored. */
export function checkOptions(what: string, options: object, names: readonly string[]): void {
  if (Object.prototype.toString.call(options) !== "[object Object]")
    throw new TypeError(`the options of ${what} are ${kindOf(options)}; they must be an object with ${names.join(", ")}`);
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw new TypeError(`${what} has no option ${JSON.stringify(name)}; it has ${names.join(", ")}`);
}
