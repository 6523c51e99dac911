"""Count a campaign or search a key: on the cores of this machine, a Dask cluster, or by Slurm."""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import sys
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from arcfour.campaign import Campaign, Folder, each, plan, search, slurm
from arcfour.campaign.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client

EXAMPLES = """\
examples:
  python -m arcfour.campaign run campaign.toml --folder shards -o all.cnt
  python -m arcfour.campaign run campaign.toml --folder /shared/c1 -o all.cnt --scheduler tcp://head:8786
  python -m arcfour.campaign slurm campaign.toml --folder /shared/c1 > job.sh && sbatch job.sh
  python -m arcfour.campaign plan --price 0.04 --cores 64 4096
  python -m arcfour.campaign find --folder keys --shards 64 -- --pdf old.pdf
"""


def positive(text: str) -> int:
    """Read a number of 1 or more."""
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        message = f"it is {text!r}; it must be 1 or more"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def amount(text: str) -> float:
    """Read a rate or a price."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        message = f"it is {text!r}; it must be a number above 0"
        raise argparse.ArgumentTypeError(message)
    return number


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
        required=True,
        help="keeps the shards; every machine that counts must see it under this name; "
        "or the URL of an object store, as in s3://bucket/c1",
    )
    actions = parser.add_subparsers(dest="action", required=True)

    where = argparse.ArgumentParser(add_help=False)
    group = where.add_mutually_exclusive_group()
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster, as in tcp://head:8786 (needs the extra dask)",
    )
    group.add_argument(
        "--threads",
        type=positive,
        metavar="N",
        help="on this machine (default: one for each of its cores)",
    )
    group.add_argument("--workers", type=positive, dest="threads", help=argparse.SUPPRESS)

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
    run.add_argument(
        "--release", action="store_true", help="free the claims of lost workers in an object store"
    )

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
    figures = actions.add_parser(
        "plan", help="print time and cost of campaigns and searches on numbers of cores"
    )
    for name, what in (("--rate", "keystreams"), ("--key-rate", "keys")):
        figures.add_argument(
            name,
            type=amount,
            metavar="N",
            help=f"{what} per second and core (default: measured here)",
        )
    figures.add_argument(
        "--price", type=amount, default=0.05, help="of a core for an hour (default: 0.05)"
    )
    figures.add_argument(
        "--cores",
        type=positive,
        nargs="+",
        default=[1, 100, 10_000],
        metavar="N",
        help="numbers of cores (default: 1 100 10000)",
    )
    try:
        return parser.parse_args()
    except SystemExit:
        say("")  # the help is still in a buffer
        raise


@contextmanager
def trying(what: str) -> Iterator[None]:
    """Name what was tried in the message of an error of the system."""
    try:
        yield
    except OSError as error:
        message = f"cannot {what}: {error.strerror or error}"
        raise OSError(message) from error


def say(text: str) -> None:
    """Write to standard output. A reader that has closed the pipe has seen enough."""
    try:
        with trying("write standard output"):
            sys.stdout.write(text)
            sys.stdout.flush()
    except OSError as error:
        # The interpreter writes what is left in the buffer once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error.__cause__, BrokenPipeError):
            raise


@contextmanager
def cluster(scheduler: str | None) -> Iterator[Client | None]:
    """Give the client of a scheduler, or None where the threads of this machine work."""
    if scheduler is None:
        yield None
        return
    try:
        from distributed import Client  # noqa: PLC0415  # an optional dependency
        from distributed.comm.core import CommClosedError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        message = f"--scheduler needs Dask ({error}); install the package with its extra dask"
        raise ValueError(message) from None
    with Client(scheduler, timeout="30s") as client:
        try:
            yield client
        except (CommClosedError, CancelledError) as error:
            message = f"lost the scheduler {scheduler}; the same command goes on from its folder"
            raise ConnectionError(message) from error


def tell(done: int, total: int, *, last: bool = False) -> None:
    """Say on a terminal how many shards are done."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total} shards" + "\n" * (last or done == total))


def prepare(folder: str, campaign: Campaign) -> Folder | Store:
    """Open the folder or the object store of a campaign."""
    return Store.prepare(folder, campaign) if "://" in folder else Folder.prepare(folder, campaign)


def run(folder: Folder | Store, scheduler: str | None, threads: int | None) -> None:
    """Count the shards that are missing."""
    total = folder.campaign.shards
    missing = folder.missing(range(total))
    if missing:
        with (
            cluster(scheduler) as client,
            closing(each(client, folder.count, missing, threads=threads)) as counted,
        ):
            for done, _ in enumerate(counted, total - len(missing) + 1):
                tell(done, total)


def find(arguments: argparse.Namespace) -> None:
    """Search a key, and print it; or print the script that does."""
    with trying(f"use the folder '{arguments.folder}'"):
        shards = search.Search.prepare(
            arguments.folder, arguments.shards, arguments.program, tuple(arguments.options)
        )
    if arguments.slurm:
        say(shards.slurm(arguments.tasks, arguments.time))
        return
    with (
        cluster(arguments.scheduler) as client,
        closing(
            search.run(client, shards, threads=arguments.threads, every=arguments.all)
        ) as searched,
    ):
        for done, found in enumerate(searched, 1):
            tell(done, shards.shards, last=bool(found) and not arguments.all)
    keys = shards.merge()
    if not keys:
        message = "no key matches: every key was tried, once"
        raise ValueError(message)
    say(keys)


def print_plan(arguments: argparse.Namespace) -> None:
    """Print time and cost, from rates that are given or measured."""
    rate, key_rate = arguments.rate, arguments.key_rate
    if rate is None or key_rate is None:
        measured, key_measured, text = plan.measure()
        say(text)
        rate, key_rate = rate or measured, key_rate or key_measured
    say(plan.table(rate, key_rate, arguments.price, arguments.cores))


def interrupt(number: int, _frame: object) -> None:
    """End as Ctrl-C does: a shard keeps what it counted, and a search ends its programs."""
    raise KeyboardInterrupt(number)


def main() -> int:
    """Do what the command line says; return 0, or 1 if the work failed."""
    signal.signal(signal.SIGTERM, interrupt)
    try:
        arguments = parse()
        if arguments.action == "find":
            find(arguments)
            return 0
        if arguments.action == "plan":
            print_plan(arguments)
            return 0
        with trying(f"read the campaign '{arguments.campaign}'"):
            counted = Campaign.load(arguments.campaign)
        with trying(f"use the folder '{arguments.folder}'"):
            folder = prepare(arguments.folder, counted)
        if arguments.action == "run":
            if arguments.output.exists() and not arguments.force:
                message = f"'{arguments.output}' is there; --force replaces it"
                raise FileExistsError(message)
            if arguments.release and isinstance(folder, Store):
                folder.release()
            run(folder, arguments.scheduler, arguments.threads)
            total = folder.merge(range(folder.campaign.shards))
            with trying(f"write '{arguments.output}'"):
                total.save(arguments.output, overwrite=arguments.force)
        elif arguments.action == "shard":
            folder.count(arguments.index)
        elif isinstance(folder, Store):
            message = "the script of an array needs a folder that every node sees, not a URL"
            raise ValueError(message)  # noqa: TRY301
        else:
            say(slurm.script(folder, arguments.tasks, arguments.time, arguments.memory))
    except (OSError, ValueError, IndexError) as error:
        sys.stderr.write(f"arcfour.campaign: {error}\n")
        return 1
    except KeyboardInterrupt as error:
        sys.stderr.write("arcfour.campaign: stopped; the same command goes on from its folder\n")
        (number,) = error.args or (signal.SIGINT,)
        return 128 + int(number)
    return 0


if __name__ == "__main__":
    sys.exit(main())
