"""Count a campaign, or search a key, on the cores of this machine, a Dask cluster, or by Slurm."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arcfour.campaign import Campaign, Folder, count, search, slurm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

EXAMPLES = """\
examples:
  python -m arcfour.campaign run campaign.toml --folder shards -o all.cnt
  python -m arcfour.campaign run campaign.toml --folder /shared/c1 -o all.cnt --scheduler tcp://head:8786
  python -m arcfour.campaign slurm campaign.toml --folder /shared/c1 > job.sh && sbatch job.sh
  python -m arcfour.campaign find --folder keys --shards 64 -- --pdf old.pdf
"""


def positive(text: str) -> int:
    """Read a number of 1 or more."""
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        message = f"it is {text!r}; it must be 1 or more"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def slurm_word(text: str) -> str:
    """Check a time or a size of memory as sbatch takes it."""
    if not re.fullmatch(r"[0-9A-Za-z:-]+", text):
        message = f"sbatch does not take {text!r}"
        raise argparse.ArgumentTypeError(message)
    return text


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m arcfour.campaign",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("campaign", type=Path, metavar="CAMPAIGN", help="the campaign's TOML file")
    common.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="keeps the shards; every machine that counts must see it under this name",
    )
    actions = parser.add_subparsers(dest="action", required=True)

    where = argparse.ArgumentParser(add_help=False)
    group = where.add_mutually_exclusive_group()
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a Dask cluster, as in tcp://head:8786"
    )
    group.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes on this machine (default: its cores)",
    )

    tasks = argparse.ArgumentParser(add_help=False)
    tasks.add_argument(
        "--tasks",
        type=positive,
        default=1000,
        metavar="N",
        help="tasks of the array at most (default: 1000, the usual limit of a cluster)",
    )
    tasks.add_argument(
        "--time", type=slurm_word, default="24:00:00", help="of a task (default: 24:00:00)"
    )

    run = actions.add_parser(
        "run", parents=[common, where], help="count all shards, and add them up"
    )
    run.add_argument("-o", "--output", type=Path, required=True, help="the file of all counts")
    run.add_argument("--force", action="store_true", help="replace the output if it is there")

    shard = actions.add_parser("shard", parents=[common], help="count one shard on this core")
    shard.add_argument("--index", type=int, required=True, metavar="K", help="which shard, from 0")

    array = actions.add_parser("slurm", parents=[common, tasks], help="print a script for sbatch")
    array.add_argument("--memory", type=slurm_word, default="2G", help="of a task (default: 2G)")

    find = actions.add_parser(
        "find", parents=[where, tasks], help="search a key: `arcfour find` in shards"
    )
    find.add_argument(
        "--folder",
        type=Path,
        required=True,
        help="keeps the records; every machine must see it, and the folder you are in",
    )
    find.add_argument("--shards", type=positive, required=True, metavar="N", help="1 to 10000")
    find.add_argument(
        "--program", default="arcfour", help="the command on every machine (default: arcfour)"
    )
    find.add_argument("--all", action="store_true", help="do not end with the first key found")
    find.add_argument("--slurm", action="store_true", help="print a script for sbatch instead")
    find.add_argument(
        "options", nargs="+", metavar="OPTION", help="after --: what arcfour find is told"
    )
    return parser.parse_args()


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> Iterator[Client]:
    """Give the cluster of a scheduler, or one of processes on this machine."""
    from distributed import Client, LocalCluster  # noqa: PLC0415  # an optional dependency

    if scheduler:
        with Client(scheduler, timeout="30s") as client:
            yield client
    else:
        with (
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as local,
            Client(local) as client,
        ):
            yield client


def run(folder: Folder, scheduler: str | None, workers: int | None) -> None:
    """Count the shards that are missing on a cluster."""
    missing = folder.missing(range(folder.campaign.shards))
    if missing:
        with cluster(scheduler, workers) as client:
            show(client, folder, missing)


def find(arguments: argparse.Namespace) -> None:
    """Search a key, and print it; or print the script that does."""
    plan = search.Search.prepare(
        arguments.folder, arguments.shards, arguments.program, tuple(arguments.options)
    )
    if arguments.slurm:
        sys.stdout.write(plan.slurm(arguments.tasks, arguments.time))
        return
    with cluster(arguments.scheduler, arguments.workers) as client:
        for done, _ in enumerate(search.run(client, plan, every=arguments.all), 1):
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done} of {plan.shards} shards")
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    keys = plan.merge()
    if not keys:
        message = "no key matches: every key was tried, once"
        raise ValueError(message)
    sys.stdout.write(keys)


def show(client: Client, folder: Folder, missing: list[int]) -> None:
    """Count shards, and say on a terminal how many are done."""
    total = folder.campaign.shards
    done = total - len(missing)
    for _ in count(client, folder, missing):
        done += 1
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {total} shards" + "\n" * (done == total))


def main() -> int:
    """Do what the command line says; return 0, or 1 if the work failed."""
    arguments = parse()
    try:
        if arguments.action == "find":
            find(arguments)
            return 0
        folder = Folder.prepare(arguments.folder, Campaign.load(arguments.campaign))
        if arguments.action == "run":
            if arguments.output.exists() and not arguments.force:
                message = f"'{arguments.output}' is there; --force replaces it"
                raise FileExistsError(message)
            run(folder, arguments.scheduler, arguments.workers)
            total = folder.merge(range(folder.campaign.shards))
            total.save(arguments.output, overwrite=arguments.force)
        elif arguments.action == "shard":
            folder.count(arguments.index)
        else:
            sys.stdout.write(
                slurm.script(folder, arguments.tasks, arguments.time, arguments.memory)
            )
    except (OSError, ValueError, IndexError) as error:
        sys.stderr.write(f"arcfour.campaign: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
