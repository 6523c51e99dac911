"""A campaign as a Slurm array: each task counts a run of shards, one after the other."""

from __future__ import annotations

import re
import sys
from shlex import join, quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from arcfour.campaign import Folder

__all__ = ["job_name", "script"]

SCRIPT = """\
#!/bin/bash
#SBATCH --job-name={name}
#SBATCH --array=0-{last_task}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time={time}
#SBATCH --mem={memory}
#SBATCH --requeue
# {shards} shards, {per_task} in each task. A task that is requeued goes on where its shard stopped.
# When all are done: {merge}
set -euo pipefail
folder={folder}
first=$((SLURM_ARRAY_TASK_ID * {per_task}))
last=$((first + {per_task} - 1))
((last < {shards})) || last={last_shard}
for ((index = first; index <= last; index++)); do
    {python} -m arcfour.campaign shard "$folder/campaign.toml" --folder "$folder" --index "$index"
done
"""


def job_name(folder: Path) -> str:
    """Return the name that squeue shows: it says which folder the job fills."""
    return "arcfour-" + re.sub(r"[^A-Za-z0-9._-]", "_", folder.name)


def script(folder: Folder, tasks: int, time: str, memory: str) -> str:
    """Return the script for sbatch, of at most `tasks` array tasks."""
    count = folder.campaign.shards
    per_task = -(-count // tasks)
    path = str(folder.path)
    words = [sys.executable, "-m", "arcfour.campaign", "run", f"{path}/campaign.toml"]
    return SCRIPT.format(
        name=job_name(folder.path),
        last_task=-(-count // per_task) - 1,
        last_shard=count - 1,
        shards=count,
        per_task=per_task,
        time=time,
        memory=memory,
        folder=quote(path),
        python=quote(sys.executable),
        merge=join([*words, "--folder", path, "--output", "all.cnt"]),
    )
