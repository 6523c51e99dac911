import { AtWork } from "../parts/atwork.js";
import { type Params, formatRoute } from "../route.js";
import { stopLink } from "../parts/tourbar.js";
import { tour } from "../tour.js";

const cards: readonly (readonly [link: string, title: string, text: string])[] = [
  ["#steps?n=16&base=10", "Step by step", "The key schedule and the keystream, forward and back, with 8 to 256 cells and any key."],
  ["#families", "The families", "RC4A, VMPC, RC4+, Spritz, PARC4-I and its repair under one key, with the best attack on each."],
  ["#leaks", "Why it leaks", "A million keystreams counted in your browser, beside a thousand million recorded. Click a cell to read its bias."],
  ["#twice", "One key twice", "Type two messages, xor their ciphertexts, and drag a guess along until text appears."],
  ["#search", "Key search", "Every key under a mask, against a known plaintext, on your GPU or your processor."],
  ["#hardware", "In hardware", "Two pipelines from their simulation, clock by clock: the place of each byte, and each wait."],
  ["#speed", "Speed", "Megabytes a second in your browser, verified first, beside native programs."],
];

/** The front page: a small RC4 at work, the tour, and the parts by themselves. */
export function Start({ params }: { params: Params }) {
  const kept: Params = Object.fromEntries(["theme", "size"].filter((name) => params[name]).map((name) => [name, params[name]]));
  return (
    <>
      <h1>RC4: how it works, and why it leaks</h1>
      <p class="lead">RC4 shuffles a table with a key. For each byte of keystream it then swaps two cells and sends out a third. The bytes look
        random and are not: the second one is 0 twice as often as chance allows. So RC4 is broken.</p>
      {tour.length > 0 && <p><a class="begin" href={stopLink(1, kept)}>Take the tour: {tour.length} stops, 15 minutes</a></p>}
      <AtWork kept={kept} />
      <ul class="cards">
        {cards.map(([link, title, text]) => <li><a href={link + (Object.keys(kept).length ? formatRoute({ view: "start", params: kept }).replace("#start?", link.includes("?") ? "&" : "?") : "")}><strong>{title}</strong> <span>{text}</span></a></li>)}
      </ul>
      {tour.length > 0 && <><h2>The tour</h2><ol class="stops">{tour.map((stop, n) => <li><a href={stopLink(n + 1, kept)}>{stop.title}</a></li>)}</ol></>}
    </>
  );
}
