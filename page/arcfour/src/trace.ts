/** One line of a step's arithmetic: `name = formula = terms = value`. */
export interface Line {
  /** What is computed: `j`, `t`, `Z`. */
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

/** What one step did, for whoever wants to show it. A machine fills it in as it goes. */
export class Trace {
  /** The part of the algorithm: "key schedule", "keystream". */
  phase = "";
  /** What the step did besides arithmetic and swaps, as a sentence. */
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
