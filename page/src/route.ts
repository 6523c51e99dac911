/** The state in the address's hash: `#steps?family=rc4&n=16`. Links hold the whole state, so that they can be sent. */
export const VIEWS = ["start", "steps", "families", "leaks", "twice", "search", "hardware", "speed"] as const;
export type View = (typeof VIEWS)[number];

export type Params = Readonly<Record<string, string>>;
export interface Route {
  view: View;
  params: Params;
}

export function parseRoute(hash: string): Route {
  const [name, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const view = VIEWS.find((each) => each === name) ?? "start";
  return { view, params: Object.fromEntries(new URLSearchParams(query)) };
}

export function formatRoute({ view, params }: Route): string {
  const query = new URLSearchParams(params).toString();
  return `#${view}${query && `?${query}`}`;
}

/** A whole number from a link, brought into its range; `otherwise` if it is none. */
export function whole(text: string | undefined, otherwise: number, low: number, high: number): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Math.min(high, Math.max(low, Number(text))) : otherwise;
}

/** A choice from a link, if it exists. */
export function choice<T extends string>(text: string | undefined, all: readonly T[], otherwise: T): T {
  return all.find((each) => each === text) ?? otherwise;
}
