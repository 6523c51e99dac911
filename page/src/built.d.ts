// What the build puts in: see build.mjs and recorded.mjs.
declare module "built:worker" {
  const source: string;
  export default source;
}

declare module "built:recorded" {
  interface Check {
    event: string;
    source: string;
    published: number;
    measured: number;
  }
  const recorded: {
    firstBytes: { keystreams: number; command: string; date: string; cpu: string; differences: string };
    firstChecks: Check[];
    stateChecks: Check[];
    bench: { run: string; engines: { engine: string; mbPerS: number; cyclesPerByte: number }[] };
  };
  export default recorded;
}
