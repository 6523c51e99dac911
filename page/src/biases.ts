import recorded from "built:recorded";

/** A published bias of one byte among the first 256, and our measurement. */
export interface Bias {
  text: string;
  source: string;
  published?: number;
  measured?: number;
}

const EVENT = /^Z(\d+) = (\d+)$/;

/** An explanation of some cells. */
interface Rule {
  holds(r: number, value: number): boolean;
  text: string;
  /** The source for cells without a recorded check: the record names the source of each event that it checks. */
  source?: string;
}

const RULES: Rule[] = [
  { holds: (r, value) => r === 1 && value === 0, text: "The first byte is 0 a little too seldom." },
  { holds: (r, value) => r === 1 && value === 129, text: "The first byte is 129 too seldom; it holds for keys of 16 bytes." },
  {
    holds: (r, value) => r === 2 && value === 0,
    text: "If S[2] = 0 and S[1] ≠ 2 after the key schedule, the second byte is 0 for certain. So 0 comes twice as often as it should.",
  },
  {
    holds: (r, value) => value === 0 && r >= 3 && r <= 255,
    text: "Bytes 3 to 255 are each 0 slightly too often, an after-effect of the zero entry that biases the second byte.",
    source: "Maitra, Paul, Sen Gupta 2011, theorem 1",
  },
  { holds: (r, value) => value === 0 && r === 256, text: "The 256th byte is 0 too seldom." },
  { holds: (r, value) => r === 3 && value === 131, text: "The third byte is 131 too often." },
  {
    holds: (r, value) => r % 16 === 0 && r <= 112 && value === 256 - r,
    text: "The bias of the key's length: with keys of l bytes, the bytes l, 2l, 3l … are −l, −2l, −3l … too often. Here l = 16.",
  },
  {
    holds: (r, value) => r === value && r > 2,
    text: "Each of the first bytes is its own position, Z_r = r, a little too often.",
    source: "Isobe et al. 2013, §3",
  },
];

/** The published biases of a cell of the map: the byte at position r, from 1, has this value. */
export function biasesAt(r: number, value: number): Bias[] {
  const { text = "", source } = RULES.find(({ holds }) => holds(r, value)) ?? {};
  const exact = recorded.firstChecks.flatMap(({ event, ...check }) => {
    const [, position, held] = event.match(EVENT) ?? [];
    return Number(position) === r && held !== undefined && Number(held) === value ? [{ ...check, text }] : [];
  });
  return exact.length || !source ? exact : [{ text, source }];
}

let unpacked: Promise<Float64Array> | undefined;

/** The recorded count of each cell, 256 (r − 1) + value. */
export function recordedCounts(): Promise<Float64Array> {
  unpacked ??= unpack(recorded.firstBytes.differences).then((differences) => differences.map((each) => each + recorded.firstBytes.keystreams / 256));
  return unpacked;
}

async function unpack(base64: string): Promise<Float64Array> {
  const deflated = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const numbers: number[] = [];
  let [value, scale] = [0, 1];
  for (const byte of bytes) {
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte > 127) continue;
    numbers.push(value % 2 ? -(value + 1) / 2 : value / 2);
    [value, scale] = [0, 1];
  }
  return Float64Array.from(numbers);
}

/** The z-score of a count. */
export function sigmas(count: number, trials: number): number {
  return (count - trials / 256) / Math.sqrt((trials / 256) * (255 / 256));
}
