import type { Mark, Swap } from "arcfour";
import { Component } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import { type Base, written } from "../numbers.js";

interface Props {
  name: string;
  table: ArrayLike<number>;
  base: Base;
  marks?: readonly Omit<Mark, "table">[];
  swaps?: readonly Omit<Swap, "table">[];
  /** Changes with every step: then the swap is animated. */
  moment?: number;
  /** Milliseconds that the swap takes; 0 for none. */
  pace?: number;
  /** Cells that glow. */
  glowing?: ReadonlySet<number>;
  /** One of several tables beside each other: colours without numbers where there is little room. */
  small?: boolean;
  onCell?: (cell: number) => void;
}

/** Number of columns of a drawn table. */
export const columnsOf = (size: number) => (size === 8 ? 4 : Math.sqrt(size));

const colour = (name: string) => (/^[ins]$|^a$/.test(name) ? "i" : /^[jbv]/.test(name) ? "j" : "t");

interface CellProps {
  classes: string;
  /** The value as a part of the largest. */
  share: number;
  text: string;
  mark: string | undefined;
  onClick: (() => void) | undefined;
}

/** A step changes a few cells of hundreds: only those are drawn again. */
class Cell extends Component<CellProps> {
  override shouldComponentUpdate(next: CellProps): boolean {
    const { classes, share, text, mark } = this.props;
    return classes !== next.classes || share !== next.share || text !== next.text || mark !== next.mark;
  }

  override render({ classes, share, text, mark, onClick }: CellProps) {
    return <span class={classes} style={{ "--v": share }} onClick={onClick}><b>{text}</b>{mark && <i>{mark}</i>}</span>;
  }
}

/** A table as a grid, its cells shaded by their values, with what points to them. */
export function Grid({ name, table, base, marks = [], swaps = [], moment, pace = 0, glowing, small, onCell }: Props) {
  const grid = useRef<HTMLDivElement>(null);
  const size = table.length;
  const columns = columnsOf(size);
  const names = new Map<number, string[]>();
  for (const { cell, name: mark } of marks) names.set(cell, [...(names.get(cell) ?? []), mark]);

  useLayoutEffect(() => {
    if (!pace || !grid.current || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const cells = grid.current.querySelectorAll<HTMLElement>(".cell");
    const running: Animation[] = [];
    for (const { a, b } of swaps) {
      if (a === b) continue;
      for (const [from, to] of [[a, b], [b, a]]) {
        const [start, end] = [cells[from].getBoundingClientRect(), cells[to].getBoundingClientRect()];
        const move = `translate(${start.x - end.x}px, ${start.y - end.y}px)`;
        cells[to].classList.add("moving");
        const animation = cells[to].animate([{ transform: `${move} scale(1.15)` }, { transform: "none" }], { duration: pace, easing: "ease-in-out" });
        animation.onfinish = animation.oncancel = () => cells[to].classList.remove("moving");
        running.push(animation);
      }
    }
    return () => running.forEach((animation) => animation.cancel());
  }, [moment]);

  const at = [...names].map(([cell, list]) => `${list.join(" and ")} at cell ${cell}, which holds ${table[cell]}`).join("; ");
  const holds = size <= 16 ? `: ${Array.from(table).join(", ")}` : "";
  const headed = size > 16 && !small;
  const heads = Array.from({ length: columns }, (_, n) => n);
  return (
    <figure class={`table ${small ? "small" : ""} cells-${size}`}>
      <figcaption>{name}</figcaption>
      <div class={headed ? "headed" : undefined}>
        {headed && <div class="columns" aria-hidden="true" style={{ "--columns": columns }}>{heads.map((n) => <span>{written(n, base, columns)}</span>)}</div>}
        {headed && <div class="rows" aria-hidden="true">{heads.map((n) => <span>{written(n * columns, base, size)}</span>)}</div>}
        <div class="grid" ref={grid} role="img" aria-label={`Table ${name} of ${size} cells${holds}. ${at}`} style={{ "--columns": columns }}>
          {Array.from(table, (value, cell) => {
            const here = names.get(cell);
            const classes = ["cell", ...(here ? ["marked", ...new Set(here.map((each) => `mark-${colour(each)}`))] : []), ...(glowing?.has(cell) ? ["glows"] : [])];
            return <Cell classes={classes.join(" ")} share={value / (size - 1)} text={written(value, base, size)} mark={here?.join(" ")} onClick={onCell && (() => onCell(cell))} />;
          })}
          {!small && <Arrows columns={columns} size={size} marks={marks} swaps={swaps} />}
        </div>
      </div>
    </figure>
  );
}

/** The swap, drawn between its cells, and the way from them to the cell that t points to. */
function Arrows({ columns, size, marks, swaps }: Required<Pick<Props, "marks" | "swaps">> & { columns: number; size: number }) {
  const middle = (cell: number) => [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5] as const;
  const curve = (from: number, to: number, bend: number) => {
    const [[x1, y1], [x2, y2]] = [middle(from), middle(to)];
    const [cx, cy] = [(x1 + x2) / 2 + (y1 - y2) * bend, (y1 + y2) / 2 + (x2 - x1) * bend];
    return `M ${x1} ${y1} Q ${cx} ${cy} ${x2} ${y2}`;
  };
  const t = marks.find(({ name }) => name === "t")?.cell;
  return (
    <svg class="arrows" viewBox={`0 0 ${columns} ${size / columns}`} preserveAspectRatio="none" aria-hidden="true">
      {swaps.map(({ a, b }) => a !== b && <>
        <path class="swapped" d={curve(a, b, 0.25)} />
        {t !== undefined && [a, b].map((cell) => cell !== t && <path class="looked-up" d={curve(cell, t, -0.12)} />)}
      </>)}
    </svg>
  );
}
