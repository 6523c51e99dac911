import "./style.css";

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { type Params, type Route, type View, formatRoute, parseRoute, whole } from "./route.js";
import { TourBar } from "./parts/tourbar.js";
import { tour } from "./tour.js";
import { Families } from "./views/families.js";
import { Hardware } from "./views/hardware.js";
import { Leaks } from "./views/leaks.js";
import { KeySearch } from "./views/search.js";
import { Speed } from "./views/speed.js";
import { Start } from "./views/start.js";
import { Steps } from "./views/steps.js";
import { Twice } from "./views/twice.js";

interface Page {
  name: string;
  Component: (props: { params: Params; onParams: (params: Params) => void }) => preact.JSX.Element;
}

const pages: Record<View, Page> = {
  start: { name: "Start", Component: Start },
  steps: { name: "Step by step", Component: Steps },
  families: { name: "Families", Component: Families },
  leaks: { name: "Why it leaks", Component: Leaks },
  twice: { name: "One key twice", Component: Twice },
  search: { name: "Key search", Component: KeySearch },
  hardware: { name: "Hardware", Component: Hardware },
  speed: { name: "Speed", Component: Speed },
};

/** The state that links carry from view to view: the look of the page, and the place in the tour. */
const KEPT = ["theme", "size", "tour"] as const;

function kept(params: Params): Params {
  return Object.fromEntries(KEPT.filter((name) => params[name]).map((name) => [name, params[name]]));
}

function App() {
  const [route, setRoute] = useState<Route>(() => parseRoute(location.hash));
  // Counts the times the address was changed from outside: then the view begins anew with what it says.
  const [arrival, setArrival] = useState(0);
  const latest = useRef(0);
  const main = useRef<HTMLElement>(null);
  const pending = useRef<ReturnType<typeof setTimeout>>();
  const address = useRef(location.hash); // the last one that the page has read or written
  const { view, params } = route;

  useEffect(() => {
    const arrive = () => {
      clearTimeout(pending.current);
      address.current = location.hash;
      setRoute(parseRoute(location.hash));
      setArrival(++latest.current);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", arrive);
    return () => removeEventListener("hashchange", arrive);
  }, []);

  useEffect(() => {
    document.documentElement.dataset.theme = params.theme ?? "auto";
    document.documentElement.dataset.size = params.size ?? "normal";
  }, [params.theme, params.size]);

  useEffect(() => {
    document.title = `${pages[view].name}: RC4, step by step`;
  }, [view]);

  // Browsers allow some tens of changes of the address a second. Another address than the last one is a link whose event
  // has yet to come, and stays.
  const replace = (next: Route) => {
    setRoute(next);
    clearTimeout(pending.current);
    pending.current = setTimeout(() => {
      if (location.hash !== address.current) return;
      history.replaceState(null, "", formatRoute(next));
      address.current = location.hash;
    }, 250);
  };
  const look = (patch: Params) => {
    const next = { ...params, ...patch };
    replace({ view, params: Object.fromEntries(Object.entries(next).filter(([, value]) => value)) });
  };
  // Messages of a view that was just left are ignored.
  const keep = (own: Params) => {
    if (arrival === latest.current) replace({ view, params: { ...own, ...kept(params) } });
  };
  const dark = params.theme ? params.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const stop = whole(params.tour, 0, 0, tour.length);
  const { Component } = pages[view];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>Skip to the content</a>
      <header>
        <a class="name" href={formatRoute({ view: "start", params: { ...kept(params), tour: "" } }).replace(/tour=&?/, "")}>RC4, step by step</a>
        <nav aria-label="Parts of the page">
          {(Object.entries(pages) as [View, Page][]).filter(([name]) => name !== "start").map(([name, page]) => (
            <a href={formatRoute({ view: name, params: { ...kept(params), tour: "" } }).replace(/&?tour=|\?$/g, "")} aria-current={view === name ? "page" : undefined}>{page.name}</a>
          ))}
        </nav>
        <span class="looks">
          <button type="button" aria-pressed={params.size === "large"} title="Large type, for a lecture hall" aria-label="Large type, for a lecture hall" onClick={() => look({ size: params.size === "large" ? "" : "large" })}><span aria-hidden="true">A</span></button>
          <button type="button" aria-pressed={dark} title="Dark colours" aria-label="Dark colours" onClick={() => look({ theme: dark ? "light" : "dark" })}><span aria-hidden="true">◐</span></button>
        </span>
      </header>
      {stop > 0 && <TourBar stop={stop} kept={kept(params)} />}
      <main id="main" ref={main} tabIndex={-1}>
        <Component key={`${view}-${arrival}`} params={params} onParams={keep} />
      </main>
      <footer>
        <p>RC4 is broken and must not protect anything new (RFC 7465). This page computes everything in your browser and asks no server for anything. Part of Arcfour, the RC4 workbench.</p>
      </footer>
    </>
  );
}

render(<App />, document.getElementById("page") as HTMLElement);
