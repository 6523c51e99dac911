import type { Line, Trace } from "arcfour";

import { type Base, unreduced, written } from "../numbers.js";

interface Props {
  trace: Trace;
  base: Base;
  size: number;
}

/** A step's arithmetic: each formula with the value of every part under its name. */
export function Arithmetic({ trace, base, size }: Props) {
  // Tables that do the same are said once.
  const seen = new Set<string>();
  const lines = trace.lines.filter(({ name, formula, terms, value }) => {
    const key = [name.replace(/\d/g, ""), formula.replace(/[SKj]\d/g, ""), terms.join(" "), value].join();
    return !seen.has(key) && seen.add(key);
  });
  return (
    <div class="arithmetic">
      {lines.map((line) => <Equation line={line} base={base} size={size} />)}
      {trace.swaps.length > 0 && <p class="swap">{swapped(trace, base, size)}</p>}
      {trace.remark && <p class="remark">{trace.remark}</p>}
    </div>
  );
}

function swapped({ swaps }: Trace, base: Base, size: number): string {
  const [{ a, b }] = swaps;
  const [from, to] = [written(a, base, size), written(b, base, size)];
  const alike = swaps.every((swap) => swap.a === a && swap.b === b);
  const where = swaps.length === 1 ? "" : alike ? ", in every table alike" : ", and in each table its own";
  return a === b && alike ? `Both point to cell ${from}: it stays.` : `Swap cells ${from} and ${to}${where}.`;
}

function Equation({ line, base, size }: { line: Line; base: Base; size: number }) {
  const { name, formula, terms, value } = line;
  const parts = formula.split(" ");
  const sum = unreduced(line);
  const number = (n: number) => written(n, base, size);
  const trivial = terms.length === 1 && terms[0] === value;
  const aligned = parts.length === terms.length && parts.every((part, n) => (typeof terms[n] === "string") === (part === terms[n]));
  return (
    <p class="equation" aria-hidden="true">
      <span class="term"><b class={`is-${name[0]}`}>{name}</b></span>
      <span class="operator">=</span>
      {!trivial && (aligned
        ? terms.map((term, n) => typeof term === "number"
          ? <span class="term"><b>{number(term)}</b><small>{parts[n]}</small></span>
          : <span class="operator">{term}</span>)
        : <span class="term"><b>{terms.map((term) => (typeof term === "number" ? number(term) : term)).join(" ").replace(/\[ /g, "[").replace(/ \]/g, "]").replace(/\( /g, "(").replace(/ \)/g, ")")}</b><small>{formula}</small></span>)}
      {!trivial && <span class="operator">=</span>}
      {sum !== undefined && <><span class="term"><b>{number(sum)}</b><small>mod {size}</small></span><span class="operator">=</span></>}
      <span class="term result"><b>{number(value)}</b></span>
    </p>
  );
}
