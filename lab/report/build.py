"""Put the page together from results: nothing is measured here."""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import altair as alt
import jinja2
import pandas as pd
import vl_convert

from lab import charts
from lab.judge import MEANING, Status, Verdict
from lab.model import Claim, Figure, Grid, Study, Table, answers
from lab.report import diagrams, numbers, specs
from lab.report.highlights import highlights, hero
from lab.results import NotMeasured, Record, Results
from lab.steady import faults
from lab.studies import NAMES, study

HERE = Path(__file__).parent
MARKS = {Status.HOLDS: "✓", Status.PARTLY: "◐", Status.FAILS: "✗", Status.UNDECIDED: "±", Status.UNTESTABLE: "–", Status.ARGUMENT: "¶", Status.PENDING: "…", Status.DISTURBED: "≈"}


class Tracing(Results):
    """Results that remember which experiments were read, so that a figure can name its commands."""

    def __init__(self, study: str, base: Path):
        super().__init__(study, base)
        self.read: list[str] = []

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        if experiment not in self.read:
            self.read.append(experiment)
        return super().__getitem__(experiment)


@dataclass
class Piece:
    """A table, a chart or a drawing on the page, with the commands that made it."""

    id: str
    title: str
    commands: list[str] = field(default_factory=list)
    table: pd.DataFrame | None = None
    spec: dict | None = None
    svg: str = ""
    alt: str = ""
    sources: tuple[str, ...] = ()
    grid: Grid | None = None
    cells: list[tuple[str, list[Pair]]] = field(default_factory=list)
    quick: bool = False  # a quick run made it
    disturbed: bool = False  # a run made it whose times are not judged


@dataclass
class Pair:
    """A cell of a grid as text: the paper's, ours, and how the two compare."""

    head: str
    paper: str
    ours: str
    ratio: str = ""
    confirmed: bool | None = None


@dataclass
class Answer:
    """A claim, our verdict on it, and its tables and figures."""

    id: str
    claim: Claim
    verdict: Verdict
    paper: pd.DataFrame | None
    quick: bool = False  # its verdict rests on a quick run
    grids: list[Piece] = field(default_factory=list)  # the paper's table with ours in it
    pictures: list[Piece] = field(default_factory=list)  # its own charts and drawings, in sight
    pieces: list[Piece] = field(default_factory=list)  # all else, folded
    elsewhere: list[Piece] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """The subject of the claim; a table or figure of the paper keeps its number."""
        return self.claim.title or self.claim.label

    @property
    def kicker(self) -> str:
        """Where it stands in the paper, said once."""
        label, where = self.claim.label, self.claim.where
        parts = [label] if self.claim.title and not self.claim.title.startswith(label) else []
        known = label.lower().replace("§", "")
        # `§5.1.1`, whichever way the list of claims writes it.
        parts += [f"§{part}" if part[:1].isdigit() else part for part in re.split(r",\s*", where) if part.lower().replace("§", "") not in known]
        return " · ".join(parts)

    @property
    def commands(self) -> list[str]:
        """The commands that made everything shown here, each once."""
        return list(dict.fromkeys(command for piece in (*self.grids, *self.pictures, *self.pieces) for command in piece.commands))


@dataclass
class Chapter:
    """The page of a study."""

    study: Study
    answers: list[Answer]
    records: dict[str, Record]


def tally(answers: list[Answer]) -> dict[Status, int]:
    """How many of these claims have which verdict, in the order of the list of verdicts."""
    found = Counter(answer.verdict.status for answer in answers)
    return {status: found[status] for status in Status if found[status]}


def chapter(study: Study, base: Path) -> Chapter:
    """Judge, draw and gather a study."""
    results = Results(study.name, base)
    given = judged(study, base)
    found = {}
    for claim in study.claims.values():
        printed = study.folder / "claims" / f"{claim.id}.csv"
        verdict, quick = given[claim.id]
        found[claim.id] = Answer(f"{study.name}-{claim.id}", claim, verdict, results.paper(claim.id) if printed.exists() else None, quick)
    for number, one in enumerate(study.beside):
        with suppress(NotMeasured):  # its verdict says so
            found[one.claim].grids.append(beside(study, number, base))
    for drawing in study.diagrams:
        made = Piece(f"{study.name}-diagram-{drawing.id}", drawing.title, svg=diagrams.svg(drawing), alt=drawing.alt, sources=drawing.sources)
        place(made, drawing.claims, found)
    parts: tuple[Figure | Table, ...] = (*study.figures, *study.tables)
    for part in parts:
        with suppress(NotMeasured):  # its claims say so
            place(piece(study, part, base), part.claims, found)
    records = {experiment.id: results.record(experiment.id) for experiment in study.experiments if experiment.id in results}
    return Chapter(study, list(found.values()), records)


def judged(study: Study, base: Path) -> dict[str, tuple[Verdict, bool]]:
    """The verdict on each claim, and whether a quick run is among the results that it rests on."""
    found: dict[str, tuple[Verdict, bool]] = {}
    for judge in study.judges:
        results = Tracing(study.name, base)
        verdicts = answers(judge, study.sound(results))
        quick = hasty(results)
        found |= {verdict.claim: (verdict, quick) for verdict in verdicts}
    return found


def place(made: Piece, claims: tuple[str, ...], answers: dict[str, Answer]) -> None:
    """Under its first claim; the others link to it. A picture is seen at once, a table of ours is folded."""
    first, *others = claims
    (answers[first].pieces if made.table is not None else answers[first].pictures).append(made)
    for claim in others:
        answers[claim].elsewhere.append(made)


def piece(study: Study, part: Table | Figure, base: Path) -> Piece:
    """A table built or a chart drawn."""
    results = Tracing(study.name, base)
    kind = "chart" if isinstance(part, Figure) else "table"
    made = Piece(f"{study.name}-{kind}-{part.id}", part.title)
    if isinstance(part, Figure):
        chart = part.draw(results)
        made.spec, made.alt = specs.spec(chart, part.alt, hasty(results)), part.alt
    else:
        made.table = part.build(results)
    made.commands, made.quick, made.disturbed = commands(results), hasty(results), disturbed(study, results)
    return made


def hasty(results: Tracing) -> bool:
    """Whether a quick run is among the results that were read."""
    return any(not results.record(experiment).full for experiment in results.read if experiment in results)


def disturbed(study: Study, results: Tracing) -> bool:
    """Whether a disturbed run is among the results that were read."""
    rules = {experiment.id: experiment.rules for experiment in study.experiments}
    return any(faults(results[experiment], rules[experiment]) for experiment in list(results.read) if experiment in results)


def commands(results: Tracing) -> list[str]:
    """The commands that made the results that were read."""
    return [results.record(experiment).command for experiment in results.read]


def beside(study: Study, number: int, base: Path) -> Piece:
    """The paper's table, with our figure in each cell. Every column has one unit and one number of
    decimals, separately for the paper and for us."""
    part, results = study.beside[number], Tracing(study.name, base)
    grid = part.build(results)
    claim = study.claims[part.claim]
    made = Piece(f"{study.name}-beside-{number}-{part.claim}", part.title or claim.caption, grid=grid)
    write = []
    for at, column in enumerate(grid.columns):
        pairs = [cells[at] for _, cells in grid.rows]
        write.append((column, numbers.column((paper for paper, _ in pairs), column.unit, column.digits), numbers.column((ours for _, ours in pairs), column.unit, column.digits)))
    for name, cells in grid.rows:
        made.cells.append((name, [
            Pair(column.title, numbers.prose_text(theirs(paper)), numbers.prose_text(mine(ours)), numbers.ratio(paper, ours, column.unit),
                 ours if isinstance(ours, bool) else None)
            for (column, theirs, mine), (paper, ours) in zip(write, cells, strict=True)]))
    made.commands, made.quick, made.disturbed = commands(results), hasty(results), disturbed(study, results)
    return made


def script(code: str) -> str:
    """JavaScript that may stand in the page: no tag in it ends it early."""
    if re.search("</script|<!--", code, re.IGNORECASE):
        raise ValueError("a script that closes its own tag cannot stand in the page")
    return code


def data(spec: dict) -> str:
    """JSON that may stand in a script of the page."""
    return json.dumps(spec, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def machines(records: list[Record]) -> list[str]:
    """Each processor that measured something, with its system and the days."""
    found: dict[str, set[str]] = {}
    for record in records:
        system = re.sub(r"(Linux \d+\.\d+)[^,]*", r"\1", record.system)
        found.setdefault(f"{record.cpu}, {record.cores} cores, {system}", set()).add(record.date[:10])
    return [f"{machine}, {min(days)}" + (f" to {max(days)}" if len(days) > 1 else "") for machine, days in sorted(found.items())]


def night() -> str:
    """The colours of charts and drawings by night, as rules of style: what is drawn by day needs no second drawing."""
    return "\n".join(f'  :is(.view, .drawing) [{part}="{day}" i] {{ {part}: {dark}; }}' for day, dark in charts.NIGHT.items() for part in ("fill", "stroke"))


def page(base: Path) -> str:
    """The whole report as one HTML text."""
    chapters = [chapter(study(name), base) for name in NAMES]
    every = [record for each in chapters for record in each.records.values()]
    claims = [answer for each in chapters for answer in each.answers]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"quantity": numbers.quantity, "table": numbers.table, "spec": data, "prose": numbers.prose, "parted": numbers.parted, "tally": tally}
    version = alt.SCHEMA_VERSION.rsplit(".", 1)[0]
    found = {each.study.name: each.study.sound(Results(each.study.name, base)) for each in chapters}
    return environment.get_template("page.html.j2").render(
        chapters=chapters, marks=MARKS, highlights=highlights(found), hero=hero(found), meaning=MEANING,
        tally=tally(claims), quick=sum(answer.quick for answer in claims),
        machines=machines(every), day=max((record.date[:10] for record in every), default=""),
        style=(HERE / "style.css").read_text("utf-8").replace("/* the charts by night */", night()),
        behaviour=script((HERE / "report.js").read_text("utf-8")),
        vega=script(vl_convert.javascript_bundle(vl_version=version)))


def build(base: Path, out: Path) -> None:
    """Write the report of the results under `base` to a file."""
    text = page(base)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, "utf-8")
