"""Put the page together from results: nothing is measured here."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import altair as alt
import jinja2
import pandas as pd
import vl_convert

from lab.judge import MEANING, Status, Verdict
from lab.model import Claim, Figure, Study, Table
from lab.report import numbers, specs
from lab.report.highlights import highlights
from lab.results import NotMeasured, Record, Results
from lab.studies import NAMES, study

HERE = Path(__file__).parent
MARKS = {Status.HOLDS: "✓", Status.PARTLY: "◐", Status.FAILS: "✗", Status.UNTESTABLE: "–", Status.ARGUMENT: "¶", Status.PENDING: "…"}


class Tracing(Results):
    """Results that remember which experiments were read, so that a figure can name what made it."""

    def __init__(self, study: str, base: Path):
        super().__init__(study, base)
        self.read: list[str] = []

    def __getitem__(self, experiment: str) -> pd.DataFrame:
        if experiment not in self.read:
            self.read.append(experiment)
        return super().__getitem__(experiment)


@dataclass
class Piece:
    """A table or a chart on the page, with the commands that made it."""

    id: str
    title: str
    commands: list[str]
    table: pd.DataFrame | None = None
    spec: dict | None = None
    alt: str = ""


@dataclass
class Answer:
    """A claim, our verdict on it, and what there is to see."""

    id: str
    claim: Claim
    verdict: Verdict
    paper: pd.DataFrame | None
    pieces: list[Piece] = field(default_factory=list)
    elsewhere: list[Piece] = field(default_factory=list)


@dataclass
class Chapter:
    """The page of a study."""

    study: Study
    answers: list[Answer]
    records: dict[str, Record]

    @property
    def tally(self) -> dict[Status, int]:
        """How many claims have which verdict, in the order of the list of verdicts."""
        found = Counter(answer.verdict.status for answer in self.answers)
        return {status: found[status] for status in Status if found[status]}


def chapter(study: Study, base: Path) -> Chapter:
    """Judge, draw and gather a study."""
    results = Tracing(study.name, base)
    verdicts = {verdict.claim: verdict for verdict in study.verdicts(results)}
    answers = {}
    for claim in study.claims.values():
        printed = study.folder / "claims" / f"{claim.id}.csv"
        answers[claim.id] = Answer(f"{study.name}-{claim.id}", claim, verdicts[claim.id],
                                   results.paper(claim.id) if printed.exists() else None)
    for part in (*study.figures, *study.tables):
        try:
            made = piece(study, part, base)
        except NotMeasured:  # its claims say so
            continue
        first, *others = part.claims
        answers[first].pieces.append(made)
        for claim in others:
            answers[claim].elsewhere.append(made)
    records = {experiment.id: results.record(experiment.id) for experiment in study.experiments if experiment.id in results}
    return Chapter(study, list(answers.values()), records)


def piece(study: Study, part: Table | Figure, base: Path) -> Piece:
    """A table built or a chart drawn."""
    results = Tracing(study.name, base)
    kind = "chart" if isinstance(part, Figure) else "table"
    made = Piece(f"{study.name}-{kind}-{part.id}", part.title, [])
    if isinstance(part, Figure):
        made.spec, made.alt = specs.spec(part.draw(results), part.alt), part.alt
    else:
        made.table = part.build(results)
    made.commands = [results.record(experiment).command for experiment in results.read]
    return made


def script(code: str) -> str:
    """JavaScript that may stand in the page: no tag in it ends it early."""
    if re.search("</script|<!--", code, re.IGNORECASE):
        raise ValueError("a script that closes its own tag cannot stand in the page")
    return code


def data(spec: dict) -> str:
    """JSON that may stand in a script of the page."""
    return json.dumps(spec, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def page(base: Path) -> str:
    """The whole report as one HTML text."""
    chapters = [chapter(study(name), base) for name in NAMES]
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"shown": numbers.shown, "numeric": numbers.numeric, "spec": data}
    version = alt.SCHEMA_VERSION.rsplit(".", 1)[0]
    return environment.get_template("page.html.j2").render(
        chapters=chapters, marks=MARKS,
        highlights=highlights({each.study.name: Results(each.study.name, base) for each in chapters}), meaning=MEANING,
        quick=any(not record.full for each in chapters for record in each.records.values()),
        machines=sorted({f"{record.cpu}, {record.cores} cores, {record.system}" for each in chapters for record in each.records.values()}),
        style=(HERE / "style.css").read_text("utf-8"), behaviour=script((HERE / "report.js").read_text("utf-8")),
        vega=script(vl_convert.javascript_bundle(vl_version=version)))


def build(base: Path, out: Path) -> None:
    """Write the report of the results under `base` to a file."""
    text = page(base)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, "utf-8")
