"""A campaign as a Slurm array: each task counts a run of shards, one after the other."""

from __future__ import annotations

from shlex import quote

from lab.campaign.shards import Shards

SCRIPT = """\
#!/bin/bash
#SBATCH --job-name=arcfour-bias
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
arcfour={arcfour}
first=$((SLURM_ARRAY_TASK_ID * {per_task}))
last=$((first + {per_task} - 1))
((last < {shards})) || last={last_shard}
for ((index = first; index <= last; index++)); do
    "$arcfour" bias shard "$folder/campaign.toml" --index "$index" --out "$folder/$index.cnt"
done
"""


def script(shards: Shards, tasks: int, time: str, memory: str) -> str:
    """The script for sbatch, of at most `tasks` array tasks."""
    count = shards.count
    per_task = -(-count // tasks)
    folder = quote(str(shards.folder))
    arcfour = quote(str(shards.arcfour))
    return SCRIPT.format(
        last_task=-(-count // per_task) - 1, last_shard=count - 1, shards=count, per_task=per_task,
        time=time, memory=memory, folder=folder, arcfour=arcfour,
        merge=f"{arcfour} bias merge {folder}/*.cnt --out all.cnt")
