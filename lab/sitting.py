"""All timed experiments in one sitting, within a budget of time, to be gone on with where it was broken off."""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lab import run
from lab.bench import PROGRAMS, ROOT
from lab.clock import Clock
from lab.results import RECORDED, Results
from lab.studies import study

STATE = ROOT / "target" / "lab" / "sitting.json"
MINUTES = 90.0
UNKNOWN = 60.0  # assumed seconds of an experiment without a record

# The timed experiments, the most wanted first. `python -m lab run STUDY --full --record` records
# the others, counts and attacks.
TIMED = tuple(f"{name}:{experiment}" for name, experiments in (
    ("handa2015", "rc4a speeds parc4i parc4r seal keyed rolled openmp oversubscribed own-file"),
    ("singhal2011", "masks speeds times-aes times-no-aes times-tables kinds media own-file energy"),
    ("weerasinghe2012", "pthreads seal large-seal pools aes parallel sequential"),
    ("galvane2012", "c-sizes c-versions java-sizes java-versions java-small-versions final key-length languages-steady languages variants"),
    ("sengupta2013", "software"), ("search", "rates"),
    ("weerasinghe2012", "large-sequential large-parallel one-core"),
) for experiment in experiments.split())


@dataclass
class Sitting:
    """The state of a sitting, kept on disk after every experiment."""

    seed: int
    wanted: list[str]
    done: dict[str, float] = field(default_factory=dict)  # experiment, seconds that it took
    ghz: list[float] = field(default_factory=list)  # readings of the clock

    @property
    def left(self) -> list[str]:
        """The experiments to come, in their order."""
        return [name for name in self.wanted if name not in self.done]

    def save(self) -> None:
        """Keep it; a reader sees the old state or the new one."""
        STATE.parent.mkdir(parents=True, exist_ok=True)
        part = STATE.with_suffix(".part")
        part.write_text(json.dumps(asdict(self)), "utf-8")
        part.replace(STATE)


def begin(wanted: Iterable[str], seed: int | None, anew: bool) -> Sitting:
    """The sitting that was broken off, if it wants the same; else a new one."""
    wanted = list(wanted)
    if STATE.exists() and not anew:
        last = Sitting(**json.loads(STATE.read_text("utf-8")))
        if last.wanted == wanted and last.left and seed in (None, last.seed):
            return last
    return Sitting(by_chance() if seed is None else seed, wanted)


def by_chance() -> int:
    """A seed."""
    return random.SystemRandom().randrange(1 << 32)


def expected(name: str) -> float:
    """Seconds that an experiment took when it was recorded last."""
    of, _, experiment = name.partition(":")
    results = Results(of)
    return results.record(experiment).seconds if experiment in results else UNKNOWN


def shares(names: list[str], minutes: float) -> dict[str, float]:
    """Seconds for each experiment: of the time that there is, in proportion to its last record; none has less than UNKNOWN."""
    lasted = {name: max(expected(name), 1.0) for name in names}
    scale = minutes * 60 / sum(lasted.values())
    return {name: max(UNKNOWN, seconds * scale) for name, seconds in lasted.items()}


def plan(names: list[str], minutes: float) -> str:
    """The remaining experiments, and their duration."""
    lasted = sum(expected(name) for name in names) / 60
    return f"{len(names)} experiments; their last records took {lasted:.0f} minutes, so expect about {min(lasted, minutes):.0f} (at most {minutes:.0f} and one round)"


def measure(names: Iterable[str], minutes: float = MINUTES, seed: int | None = None, anew: bool = False,
            one: Callable[[str, run.Choice], bool] | None = None) -> list[str]:
    """Record experiments in one sitting; answers those that were disturbed or failed, which the next call tries again."""
    sitting = begin(names, seed, anew)
    left = sitting.left
    print(f"  {plan(left, minutes)}; seed {sitting.seed}", file=sys.stderr, flush=True)
    budgets, failed = shares(left, minutes) if left else {}, []
    with closing(Clock(PROGRAMS / "handa2015", sitting.ghz)) as clock:
        for name in left:
            start = time.perf_counter()
            if (one or recorded)(name, run.Choice(full=True, seed=sitting.seed, clock=clock, budget=budgets[name])):
                sitting.done[name] = round(time.perf_counter() - start, 1)
            else:
                failed.append(name)
            sitting.save()
    return failed


def recorded(name: str, choice: run.Choice) -> bool:
    """Measure an experiment into the committed results; says whether it got there."""
    of, _, experiment = name.partition(":")
    try:
        written, _ = run.measure(study(of), RECORDED, choice, experiment)
    except (RuntimeError, OSError) as error:
        print(f"    failed: {error}", file=sys.stderr, flush=True)
        return False
    for path in written:
        print(Path(path).relative_to(ROOT), flush=True)
    return bool(written)
