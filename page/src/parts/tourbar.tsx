import { type Params, formatRoute, parseRoute } from "../route.js";
import { tour } from "../tour.js";

/** The address of a stop of the tour, counted from 1. */
export function stopLink(stop: number, kept: Params): string {
  const { view, params } = parseRoute(tour[stop - 1].link);
  return formatRoute({ view, params: { ...params, ...kept, tour: String(stop) } });
}

/** The guide's text, above its part of the page. */
export function TourBar({ stop, kept }: { stop: number; kept: Params }) {
  const { title, text, try: deed } = tour[stop - 1];
  const { tour: _, ...rest } = kept;
  return (
    <aside class="tour" aria-label="Guided tour">
      <p class="count">{stop} of {tour.length}</p>
      <h2 tabIndex={-1}>{title}</h2>
      {text.map((each) => <p>{each}</p>)}
      <p class="try"><strong>Try:</strong> {deed}</p>
      <p class="onward">
        {stop > 1 ? <a href={stopLink(stop - 1, kept)}>← {tour[stop - 2].title}</a> : <span />}
        <a href={formatRoute({ view: "start", params: rest })}>Leave the tour</a>
        {stop < tour.length ? <a class="main" href={stopLink(stop + 1, kept)}>Next: {tour[stop].title} →</a> : <a class="main" href={formatRoute({ view: "start", params: rest })}>The end</a>}
      </p>
    </aside>
  );
}
