/** One line of a step's arithmetic: `name = formula = terms = value`. */
export interface Line {
  /** The computed name: `j`, `t`, `Z`. */
  name: string;
  /** The formula in the paper's notation. */
  formula: string;
  /** The same formula with its values: numbers, and the operators between them. */
  terms: readonly (number | string)[];
  /** The result. */
  value: number;
}

/** A cell of a table that a step touched, and what points to it. */
export interface Mark {
  table: number;
  cell: number;
  name: string;
}

/** Two cells of a table that a step swapped. */
export interface Swap {
  table: number;
  a: number;
  b: number;
}

/** The record of one step, for display. The machine fills it in while it runs. */
export class Trace {
  /** The part of the algorithm: "key schedule", "keystream". */
  phase = "";
  /** Other effects of the step, as a sentence. */
  remark = "";
  readonly lines: Line[] = [];
  readonly marks: Mark[] = [];
  readonly swaps: Swap[] = [];

  line(name: string, formula: string, terms: readonly (number | string)[], value: number): void {
    this.lines.push({ name, formula, terms, value });
  }

  mark(table: number, cell: number, name: string): void {
    this.marks.push({ table, cell, name });
  }

  swap(table: number, a: number, b: number): void {
    this.swaps.push({ table, a, b });
  }
}
