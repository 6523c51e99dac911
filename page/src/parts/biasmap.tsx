import { useEffect, useRef } from "preact/hooks";

import { sigmas } from "../biases.js";

interface Props {
  title: string;
  counts: ArrayLike<number> | undefined;
  trials: number;
  r: number;
  value: number;
  onPick: (r: number, value: number) => void;
}

/** Number of standard deviations with the full colour. */
const FULL = 12;
const CELLS = 256;
/** Numbers of cells across and up that are shown large around the picked cell. */
const NEAR = 21;

type Colour = [number, number, number];

/** The 256 values of the first 256 bytes as a map: the deviation of each cell from chance. */
export function BiasMap({ title, counts, trials, r, value, onPick }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const near = useRef<HTMLCanvasElement>(null);
  const inks = useRef<HTMLSpanElement>(null);

  // The part of the map around the picked cell.
  const within = (at: number) => Math.min(CELLS - NEAR, Math.max(0, at - (NEAR - 1) / 2));
  const [left, top] = [within(r - 1), within(CELLS - 1 - value)];

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !inks.current) return;
    // The page's own colours, resolved by the browser for day or night.
    const [none, more, less] = Array.from(inks.current.children, (each) => {
      const [red, green, blue] = getComputedStyle(each).color.match(/[\d.]+/g)?.map(Number) ?? [];
      return [red, green, blue] as Colour;
    });
    const image = context.createImageData(CELLS, CELLS);
    for (let position = 1; position <= CELLS; position++)
      for (let held = 0; held < CELLS; held++) {
        const z = counts && trials ? sigmas(counts[(position - 1) * 256 + held], trials) : 0;
        const strength = Math.min(1, Math.abs(z) / FULL);
        const full = z > 0 ? more : less;
        const at = 4 * ((CELLS - 1 - held) * CELLS + position - 1);
        for (let part = 0; part < 3; part++) image.data[at + part] = none[part] + (full[part] - none[part]) * strength;
        image.data[at + 3] = 255;
      }
    context.putImageData(image, 0, 0);
    const closer = near.current?.getContext("2d");
    if (!closer || !canvas.current) return;
    closer.clearRect(0, 0, NEAR, NEAR);
    closer.drawImage(canvas.current, left, top, NEAR, NEAR, 0, 0, NEAR, NEAR);
  });

  const pick = (event: MouseEvent) => {
    const box = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
    const [x, y] = [(event.clientX - box.x) / box.width, (event.clientY - box.y) / box.height];
    const cell = (part: number) => Math.min(CELLS - 1, Math.max(0, Math.floor(part * CELLS)));
    onPick(cell(x) + 1, CELLS - 1 - cell(y));
  };
  return (
    <figure class="map">
      <figcaption>{title}</figcaption>
      <div class="frame">
        <canvas ref={canvas} width={CELLS} height={CELLS} role="img" aria-label={`${title}: position 1 to 256 across, value 0 to 255 up. The two boxes below pick a cell.`} onClick={pick} />
        <span class="picked" aria-hidden="true" style={{ left: `${((r - 0.5) / CELLS) * 100}%`, top: `${((CELLS - 0.5 - value) / CELLS) * 100}%` }} />
      </div>
      <p class="axis"><span>1</span><span>position of the byte →</span><span>256</span></p>
      <div class="near"><span><canvas ref={near} width={NEAR} height={NEAR} aria-hidden="true" />
        <span class="picked" aria-hidden="true" style={{ left: `${((r - 1 - left) / NEAR) * 100}%`, top: `${((CELLS - 1 - value - top) / NEAR) * 100}%` }} /></span><p class="note">The cells around Z<sub>{r}</sub> = {value}, enlarged.</p></div>
      <span class="unseen" ref={inks} aria-hidden="true"><i class="ink-none" /><i class="ink-more" /><i class="ink-less" /></span>
    </figure>
  );
}
