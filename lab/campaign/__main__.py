"""python -m lab.campaign run | slurm."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import lab.campaign
from lab.bench import ROOT
from lab.campaign import cluster, slurm
from lab.campaign.shards import Shards


def positive(text: str) -> int:
    """A number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number from 1 on")
    return int(text)


def slurm_word(text: str) -> str:
    """A time or a memory size as sbatch takes it."""
    if not re.fullmatch(r"[0-9A-Za-z:-]+", text):
        raise argparse.ArgumentTypeError(f"{text!r} is nothing that sbatch takes")
    return text


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m lab.campaign", description=lab.campaign.__doc__)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("campaign", type=Path, help="the campaign's TOML file (stats/README.md)")
    common.add_argument("--folder", type=Path, required=True,
                        help="where the shards go; every machine that counts must see it under this name")
    common.add_argument("--arcfour", type=Path, metavar="PROGRAM",
                        help="the program (default: target/release/arcfour, or the one on PATH)")
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run", parents=[common], help="count all shards on Dask and merge them")
    run.add_argument("--out", type=Path, required=True, help="the file of all counts")
    where = run.add_mutually_exclusive_group()
    where.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a Dask scheduler (default: a local cluster)")
    where.add_argument("--workers", type=positive, metavar="N", help="local workers (default: one a core)")
    array = actions.add_parser("slurm", parents=[common], help="print a script for sbatch")
    array.add_argument("--tasks", type=positive, default=1000, metavar="N",
                       help="the most tasks of the array (default: 1000, a cluster's usual limit)")
    array.add_argument("--time", type=slurm_word, default="24:00:00", help="of a task (default: 24:00:00)")
    array.add_argument("--memory", type=slurm_word, default="2G", help="of a task (default: 2G)")
    return parser.parse_args()


def program(given: Path | None) -> Path:
    """The program to run, by its full path."""
    built = ROOT / "target" / "release" / "arcfour"
    found = shutil.which(str(given)) if given else built if built.exists() else shutil.which("arcfour")
    if found is None:
        raise FileNotFoundError(f"cannot run {given or 'arcfour'}: build it with `make build`, or name it by --arcfour")
    return Path(found).resolve()


def main() -> int:
    """Run what the command line asks for; the exit code is 0, 1 (work failed) or 2 (usage)."""
    arguments = parse()
    arcfour = program(arguments.arcfour)
    if arguments.action == "run":
        cluster.count_and_merge(arguments.campaign, arguments.folder, arcfour, arguments.out,
                                scheduler=arguments.scheduler, workers=arguments.workers)
    else:
        shards = Shards.prepare(arguments.campaign, arguments.folder, arcfour)
        sys.stdout.write(slurm.script(shards, arguments.tasks, arguments.time, arguments.memory))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, ValueError) as error:
        sys.exit(f"campaign: {error}")
