"use strict";
// Pages by the address's hash, charts by Vega, and what can be saved.

document.documentElement.classList.add("js");
const pages = [...document.querySelectorAll(".page")];
const charts = [...document.querySelectorAll(".chart")].map((figure) => ({
  figure,
  page: figure.closest(".page"),
  box: figure.querySelector(".view"),
  spec: JSON.parse(figure.querySelector("script").textContent),
  width: 0, // the room it was drawn for
  view: null,
}));

function show() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1))) ?? pages[0];
  const page = target.closest(".page") ?? document.querySelector(".page.shown") ?? pages[0];
  for (const each of pages) each.classList.toggle("shown", each === page);
  for (let folded = target.closest("details"); folded; folded = folded.parentElement.closest("details")) folded.open = true;
  for (const link of document.querySelectorAll("header nav a")) {
    const here = link.hash === `#${page.id}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (here) link.parentElement.scrollLeft = link.offsetLeft - (link.parentElement.clientWidth - link.offsetWidth) / 2;
  }
  if (target === page) window.scrollTo(0, 0);
  else target.scrollIntoView();
  drawAll();
}

// Pixels: of a panel, between two, and for what stands beside them.
const [NARROWEST, GAP, MARGIN] = [200, 24, 80];
// Of the names at the ends of lines on a phone: letters in a line, and pixels from line to line.
const [LETTERS, LINE] = [9, 12];

// What the page has room for: panels under each other and legends below, rather than cut off.
function fit(spec, room, shrink) {
  const fitted = structuredClone(spec);
  const phone = room < 520;
  if (phone) {
    fitted.config.padding = 4;
    fitted.config.axis.labelFontSize = 11;
    fitted.config.axisY.titlePadding = 4;
    fitted.config.axis.titleLimit = room - MARGIN;
    Object.assign(fitted.config.legend, {
      columns: 2, labelLimit: room / 2 - 40, layout: { bottom: { anchor: "start", direction: "vertical" } },
    });
  }
  for (const view of views(fitted)) {
    if (view.hconcat && shrink) {
      view.vconcat = view.hconcat;
      delete view.hconcat;
    }
    if (view.concat && shrink) view.columns = 1;
    if (view.facet && view.columns && view.spec.width) panels(view, room);
    if (view.mark || view.layer) narrow(view, fitted.config.view.continuousWidth, shrink);
    if (phone) compact(view, room, spec);
    if (phone && (view.mark || view.layer) && !spec.usermeta?.scroll) ends(view, spec);
  }
  return fitted;
}

function views(view) {
  const inner = [...(view.hconcat ?? view.vconcat ?? view.concat ?? []), ...(view.spec ? [view.spec] : [])];
  return [view, ...inner.flatMap(views)];
}

function layers(view) {
  return [view, ...(view.layer ?? []).flatMap(layers)];
}

function panels(facet, room) {
  const columns = Math.min(facet.columns, Math.floor((room - MARGIN) / (NARROWEST + GAP)));
  if (columns === facet.columns) facet.spec.width = Math.min(facet.spec.width, Math.floor((room - MARGIN) / columns) - GAP);
  facet.columns = Math.max(1, Math.min(columns, Math.floor((room - MARGIN) / (facet.spec.width + GAP))));
}

function narrow(view, usual, shrink) {
  const stepped = typeof view.width === "object" || (view.width === undefined && /nominal|ordinal/.test(view.encoding?.x?.type));
  if (shrink && !stepped) view.width = Math.max(NARROWEST, (view.width ?? usual) - shrink);
}

function compact(view, room, spec) {
  const bars = layers(view).some((layer) => /^(bar|rect)$/.test(layer.mark?.type ?? layer.mark)); // a name would lie on them
  for (const layer of layers(view)) {
    const { x, y } = layer.encoding ?? {};
    for (const channel of Object.values(layer.encoding ?? {}))
      if (channel?.legend) Object.assign(channel.legend, { orient: "bottom", columns: 1, labelLimit: room - 60, offset: 12 });
    if (typeof x?.title === "string") x.title = wrapped(x.title, Math.floor((room - MARGIN) / 8));
    if (y?.type === "nominal" && y.axis !== null && !bars && !spec.usermeta?.scroll) above(view, y, room, rows(spec));
    const title = layer.title?.text ?? layer.title;
    const text = Array.isArray(title) ? title.join(" ") : title;
    if (typeof text === "string")
      layer.title = { ...(layer.title.text ? layer.title : {}), text: wrapped(text, Math.floor(room / 8.5)), fontSize: 12 };
  }
}

// Long names of rows stand over their rows: beside them they would leave no room for the chart.
function above(view, y, room, data) {
  const names = [...new Set(data.map((row) => row[y.field]).filter((name) => name !== undefined))];
  if (Math.max(...names.map((name) => String(name).length)) <= 14) return;
  y.axis = { ...y.axis, labelAlign: "left", labelPadding: 0, labelOffset: -13, labelLimit: room - 40, labelOverlap: false };
  view.height = typeof view.height === "number" ? Math.max(view.height, 36 * names.length) : { step: 36 };
}

// Names at the ends of lines break into short lines, none over another: else they would take the room of the chart.
function ends(view, spec) {
  const names = layers(view)
    .filter((layer) => (layer.mark?.type ?? layer.mark) === "text" && layer.encoding?.x?.value === "width" && typeof layer.encoding?.y?.value === "number")
    .map((layer) => ({ layer, lines: wrapped(spec.datasets[layer.data.name][0].name, LETTERS), y: layer.encoding.y.value }))
    .sort((one, other) => one.y - other.y);
  for (let round = 0; round < 200; round++)
    for (let at = 1; at < names.length; at++) {
      const [above, below] = [names[at - 1], names[at]];
      const short = (LINE * (above.lines.length + below.lines.length)) / 2 + 2 - (below.y - above.y);
      if (short > 0.01) [above.y, below.y] = [above.y - short / 2, below.y + short / 2];
    }
  for (const { layer, lines, y } of names) {
    layer.data = { values: [{ name: lines.join("\n") }] };
    Object.assign(layer.mark, { lineBreak: "\n", lineHeight: LINE, fontSize: 10, dx: 5 });
    layer.encoding.y = { value: y - (LINE * (lines.length - 1)) / 2 };
  }
}

function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1).length + word.length > most) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

// How wide a chart may be: the column that is read.
function room() {
  const column = document.querySelector(".page.shown .body") ?? document.getElementById("content");
  return Math.min(960, column.clientWidth - (column.id === "content" ? 32 : 0));
}

async function draw(chart) {
  chart.width = room();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  let shrink = 0;
  for (let attempt = 0; attempt < 3; attempt++) {
    chart.view?.finalize();
    const drawn = await vegaEmbed(chart.box, fit(chart.spec, chart.width, shrink), {
      mode: "vega-lite", renderer: "svg", actions: false, tooltip: { theme: dark ? "dark" : "light" },
    });
    chart.view = drawn.view;
    const over = Number(chart.box.querySelector("svg").getAttribute("width")) - chart.width;
    if (over <= 0 || chart.spec.usermeta?.scroll) break;
    shrink += Math.ceil(over);
  }
  // What is left over, names beside a chart for the most part, makes the whole a little smaller.
  const svg = chart.box.querySelector("svg");
  if (chart.spec.usermeta?.scroll) chart.box.tabIndex = 0;
  else if (Number(svg.getAttribute("width")) > chart.width) Object.assign(svg.style, { width: "100%", height: "auto" });
}

// Draws the visible page first, then the other pages, for printing and further reading.
let drawing = false;
async function drawAll() {
  if (drawing) return;
  drawing = true;
  for (let next; (next = undrawn()); await new Promise((resolve) => setTimeout(resolve))) {
    await draw(next).catch((error) => {
      console.error(next.figure.id, error);
      next.box.textContent = `This chart could not be drawn: ${error.message}`;
    });
  }
  drawing = false;
  document.documentElement.dataset.drawn = charts.length;
}

function undrawn() {
  const left = charts.filter((chart) => chart.width !== room());
  return left.find((chart) => chart.page.classList.contains("shown")) ?? left[0];
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

async function picture(chart) {
  const svg = (await chart.view.toSVG()).replaceAll("currentColor", "#1c1b1a");
  return svg.replace(/(<svg[^>]*>)/, '$1<rect width="100%" height="100%" fill="white"/>');
}

async function bitmap(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function rows(spec) {
  return Object.values(spec.datasets ?? {}).flat();
}

function csv(cells) {
  const quote = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return cells.map((row) => row.map((cell) => quote(String(cell ?? ""))).join(",")).join("\n") + "\n";
}

function cells(spec) {
  const table = rows(spec);
  const names = [...new Set(table.flatMap(Object.keys))];
  return [names, ...table.map((row) => names.map((name) => row[name]))];
}

document.addEventListener("click", async (event) => {
  const kind = event.target.dataset?.save;
  if (!kind) return;
  if (kind === "table") {
    const table = document.getElementById(event.target.dataset.of);
    const text = csv([...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)));
    return save(`${table.id}.csv`, new Blob([text], { type: "text/csv" }));
  }
  const chart = charts.find((each) => each.figure.contains(event.target));
  const name = `${chart.figure.id}.${kind}`;
  if (kind === "csv") return save(name, new Blob([csv(cells(chart.spec))], { type: "text/csv" }));
  const svg = await picture(chart);
  save(name, kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await bitmap(svg));
});

// The data behind a chart as a table, when somebody asks for it.
const MOST = 200;
for (const chart of charts) {
  const details = chart.figure.querySelector(".data");
  details.addEventListener("toggle", () => {
    if (details.querySelector("table")) return;
    const [names, ...body] = cells(chart.spec);
    const table = document.createElement("table");
    const line = (words, tag, parent) => {
      const row = parent.insertRow();
      for (const word of words) row.append(Object.assign(document.createElement(tag), { textContent: String(word ?? "–").slice(0, 80) }));
    };
    line(names, "th", table.createTHead());
    const part = table.createTBody();
    for (const row of body.slice(0, MOST)) line(row, "td", part);
    const box = Object.assign(document.createElement("div"), { className: "scroll", tabIndex: 0 });
    box.append(table);
    details.append(box);
    if (body.length > MOST) details.append(`The first ${MOST} of ${body.length} rows; the CSV has all.`);
  });
}

// The list of claims: by words, study and verdict, in the order of any of its heads.
const filter = document.querySelector(".filter");
const claims = [...document.querySelectorAll(".claims tbody tr")];
function sift() {
  const words = filter.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of claims) {
    const text = row.textContent.toLowerCase();
    row.hidden = !(words.every((word) => text.includes(word)) && (!filter.study.value || row.dataset.study === filter.study.value) &&
      (!filter.verdict.value || row.dataset.verdict === filter.verdict.value));
  }
  filter.querySelector("output").textContent = `${claims.filter((row) => !row.hidden).length} of ${claims.length}`;
}
filter.addEventListener("input", sift);
filter.addEventListener("submit", (event) => event.preventDefault());
sift();

for (const button of document.querySelectorAll("[data-sort]")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentElement.querySelectorAll("[aria-sort]")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (row) => row.cells[button.dataset.sort].dataset.key ?? row.cells[button.dataset.sort].textContent.trim();
    const sorted = claims.toSorted((a, b) => (down ? -1 : 1) * text(a).localeCompare(text(b), "en", { numeric: true }));
    document.querySelector(".claims tbody").append(...sorted);
  });
}

// The claims of a study stand open where there is room beside the text.
const beside = matchMedia("screen and (min-width: 72rem)");
function aside() {
  for (const contents of document.querySelectorAll(".contents")) contents.open = beside.matches;
}
beside.addEventListener("change", aside);
aside();

addEventListener("hashchange", show);
let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawAll, 200);
});
show();
