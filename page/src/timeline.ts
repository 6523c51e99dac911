import { type Machine, Trace } from "arcfour";

const EVERY = 1024;

/** A moment of a machine: its state after some steps, what the last of them did, and the words made so far. */
export interface Moment {
  at: number;
  machine: Machine;
  trace?: Trace;
  /** Every word since the key schedule, dropped ones too. */
  words: Uint8Array;
}

/**
 * A machine that goes to any step, forward and back. Going back runs forward from a checkpoint, so
 * the state is the same by construction.
 */
export class Timeline {
  private readonly checkpoints: Machine[];
  private words = new Uint8Array(EVERY);

  constructor(start: Machine) {
    this.checkpoints = [start.clone()];
  }

  /** Steps before the first word. */
  get setup(): number {
    return this.checkpoints[0].setup;
  }

  /** The moment after `at` steps. */
  moment(at: number): Moment {
    const last = Math.min(Math.floor(Math.max(0, at - 1) / EVERY), this.checkpoints.length - 1);
    const machine = this.checkpoints[last].clone();
    while (machine.steps < at - 1) this.step(machine);
    const trace = at > 0 ? new Trace() : undefined;
    if (trace) this.step(machine, trace);
    return { at, machine, trace, words: this.words.slice(0, Math.max(0, at - this.setup)) };
  }

  private step(machine: Machine, trace?: Trace): void {
    const word = machine.step(trace);
    if (word !== undefined) {
      const n = machine.steps - machine.setup - 1;
      if (n >= this.words.length) {
        const longer = new Uint8Array(2 * this.words.length);
        longer.set(this.words);
        this.words = longer;
      }
      this.words[n] = word;
    }
    if (machine.steps === this.checkpoints.length * EVERY) this.checkpoints.push(machine.clone());
  }
}
