interface Props {
  /** A description of the chart for screen readers. */
  label: string;
  values: readonly number[];
  /** Points beside the bars: recorded values. */
  points?: ReadonlyMap<number, number>;
  /** A horizontal line: the expectation by chance. */
  chance: number;
  most: number;
  axis: string;
  /** How a height is written. */
  unit: (value: number) => string;
  strong?: ReadonlySet<number>;
}

const [WIDTH, HEIGHT, LEFT, BELOW] = [640, 200, 52, 34];

/** Bars over the whole numbers from 0. */
export function Bars({ label, values, points, chance, most, axis, unit, strong }: Props) {
  const step = (WIDTH - LEFT) / values.length;
  const y = (value: number) => (HEIGHT - BELOW) * (1 - Math.min(1, value / most)) + 6;
  const ticks = [0, most / 2, most];
  const every = Math.ceil(values.length / 8);
  return (
    <svg class="bars" viewBox={`0 0 ${WIDTH} ${HEIGHT + 10}`} role="img" aria-label={label}>
      {ticks.map((tick) => <g><line class="tick" x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} /><text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">{unit(tick)}</text></g>)}
      {values.map((value, n) => <rect class={strong?.has(n) ? "strong" : ""} x={LEFT + n * step} width={Math.max(0.5, step - (step > 3 ? 1 : 0))} y={y(value)} height={Math.max(0, y(0) - y(value))} />)}
      <line class="chance" x1={LEFT} x2={WIDTH} y1={y(chance)} y2={y(chance)} />
      {points && [...points].map(([n, value]) => <circle cx={LEFT + (n + 0.5) * step} cy={y(value)} r="5" />)}
      {values.map((_, n) => n % every === 0 && <text x={LEFT + (n + 0.5) * step} y={HEIGHT - BELOW + 22} text-anchor="middle">{n}</text>)}
      <text x={WIDTH} y={HEIGHT + 6} text-anchor="end">{axis}</text>
    </svg>
  );
}
