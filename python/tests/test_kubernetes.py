"""The manifest for Kubernetes is what its API takes, and its pods count each shard once."""

from __future__ import annotations

import copy
import os
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from arcfour.campaign import Campaign, Counts, merge, run_shard

ROOT = Path(__file__).parents[2]
# The first version of the API in which indexes that fail are counted one by one.
VERSION = "1.33"
JOB, CLAIM = yaml.safe_load_all((ROOT / "python" / "kubernetes.yaml").read_text("utf-8"))
PLAN = Campaign(bytes(32), shards=3, keystreams=1000, single=3)


def test_the_api_takes_the_manifest() -> None:
    for document in (JOB, CLAIM):
        kubernetes_validate.validate(document, VERSION, strict=True)
    wrong: Any = copy.deepcopy(JOB)
    wrong["spec"]["completion"] = wrong["spec"].pop("completions")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSION, strict=True)


def test_the_pods_count_each_shard_once(tmp_path: Path) -> None:
    """Each pod's command runs here, the last twice, as where a node is lost."""
    release = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release"
    (container,) = JOB["spec"]["template"]["spec"]["containers"]
    (mount,) = container["volumeMounts"]
    (tmp_path / "campaign.toml").write_text(PLAN.toml)
    for index in (0, 1, 2, 2):
        words = [
            word.replace("$(JOB_COMPLETION_INDEX)", str(index)).replace(
                mount["mountPath"], str(tmp_path)
            )
            for word in container["command"]
        ]
        program = Path(os.environ.get("ARCFOUR_PROGRAMS", release)) / words[0]
        subprocess.run([program, *words[1:]], check=True, capture_output=True)
    counted = [Counts.load(path) for path in tmp_path.glob("*.cnt")]
    assert merge(counted) == merge(run_shard(PLAN, index) for index in range(3))
