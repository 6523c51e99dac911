import { AtWork } from "../parts/atwork.js";
import { type Params, formatRoute } from "../route.js";
import { stopLink } from "../parts/tourbar.js";
import { tour } from "../tour.js";

const cards: readonly (readonly [link: string, title: string, text: string])[] = [
  ["#steps?n=16&base=10", "Step by step", "The key schedule and the keystream, forward and back, with 8 to 256 cells and any key."],
  ["#families", "The families", "RC4A, VMPC, RC4+, Spritz, PARC4-I and its repair: one key, and what became of each idea."],
  ["#leaks", "Why it leaks", "A million keystreams counted in your browser, beside a thousand million recorded: click a cell to read its bias."],
  ["#twice", "One key twice", "Type two messages, xor their ciphertexts, and drag a guess along until it reads."],
  ["#hardware", "In hardware", "Two pipelines from their simulation, clock by clock: which byte is where, and where one must wait."],
  ["#speed", "Speed", "Megabytes a second in your browser, verified first, beside native programs."],
];

/** The front page: a small RC4 at work, the tour, and the parts by themselves. */
export function Start({ params }: { params: Params }) {
  const kept: Params = Object.fromEntries(["theme", "size"].filter((name) => params[name]).map((name) => [name, params[name]]));
  return (
    <>
      <h1>RC4: watch it work, and see why it leaks</h1>
      <p class="lead">RC4 is one shuffled table, two pointers, and one swap a byte. It protected most of the Web for twenty years. Its keystream
        is biased from the first byte on, so it is broken.</p>
      {tour.length > 0 && <p><a class="begin" href={stopLink(1, kept)}>Take the tour: {tour.length} stops, 15 minutes</a></p>}
      <AtWork kept={kept} />
      <ul class="cards">
        {cards.map(([link, title, text]) => <li><a href={link + (Object.keys(kept).length ? formatRoute({ view: "start", params: kept }).replace("#start?", link.includes("?") ? "&" : "?") : "")}><strong>{title}</strong> <span>{text}</span></a></li>)}
      </ul>
      {tour.length > 0 && <><h2>The tour</h2><ol class="stops">{tour.map((stop, n) => <li><a href={stopLink(n + 1, kept)}>{stop.title}</a></li>)}</ol></>}
    </>
  );
}
