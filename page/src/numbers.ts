import type { Line, Trace } from "arcfour";

/** How numbers are written: decimal, or hex with as many digits as a cell can need. */
export type Base = 10 | 16;

export function written(value: number, base: Base, size = 256): string {
  return base === 10 ? String(value) : value.toString(16).padStart(size > 16 ? 2 : 1, "0");
}

/** The value of a line's terms before it is taken modulo the size, if they are a plain sum above it. */
export function unreduced({ terms, value }: Line): number | undefined {
  if (!terms.every((term) => typeof term === "number" || term === "+")) return undefined;
  const sum = terms.reduce<number>((total, term) => (typeof term === "number" ? total + term : total), 0);
  return sum === value ? undefined : sum;
}

/** A step in words, for screen readers. */
export function spoken(trace: Trace, at: number, word: number | undefined, size: number): string {
  const lines = trace.lines.map((line) => {
    const terms = line.terms.join(" ");
    const raw = unreduced(line);
    const value = raw === undefined ? `${line.value}` : `${raw}, modulo ${size} ${line.value}`;
    return terms === String(line.value) ? `${line.name} = ${terms}` : `${line.name} = ${line.formula} = ${terms} = ${value}`;
  });
  const swaps = trace.swaps.map(({ table, a, b }) => {
    const where = new Set(trace.swaps.map((swap) => swap.table)).size > 1 ? ` in table ${table + 1}` : "";
    return a === b ? `cell ${a} stays${where}` : `swap cells ${a} and ${b}${where}`;
  });
  const out = word === undefined ? [] : [`output ${word}`];
  return [`Step ${at}, ${trace.phase}`, ...lines, ...swaps, trace.remark.replace(/\.$/, ""), ...out].filter(Boolean).join("; ") + ".";
}
