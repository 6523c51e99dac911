// Values that the build inserts: see build.mjs and recorded.mjs.
declare module "built:worker" {
  const source: string;
  export default source;
}

declare module "built:kernel" {
  const source: string;
  export default source;
}

declare module "built:recorded" {
  interface Check {
    event: string;
    source: string;
    /** Number of trials. */
    trials: number;
    published: number;
    measured: number;
  }
  /** A core's simulation, clock by clock: see pipeline/record.py. */
  export interface Pipeline {
    core: string;
    n: number;
    k: number;
    key: number[];
    /** Round r of group g makes word g k + r + shift, counted from 1. */
    shift: number;
    simulator: string;
    command: string;
    stages: [name: string, does: string][];
    clocks: { groups: (number | null)[]; stages: (Record<string, number>[] | null)[]; stall: string; z: number[] | null }[];
  }
  const recorded: {
    firstBytes: { keystreams: number; command: string; date: string; cpu: string; differences: string };
    firstChecks: Check[];
    stateChecks: Check[];
    pipelines: Pipeline[];
    /** Key, offset and keystream, of RFC 6229 and others. */
    vectors: [key: string, offset: number, keystream: string][];
    /** wasm/kernel.c, compiled, in base64. */
    wasm: string;
    bench: { run: string; engines: { engine: string; mbPerS: number; cyclesPerByte: number }[] };
  };
  export default recorded;
}
