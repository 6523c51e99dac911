"""The recorded checks have the published values and sources that `arcfour bias verify` has today."""

import json
import subprocess

import pytest

from lab.bench import PROGRAMS
from lab.results import Results

CAMPAIGN = f"""\
seed = '{'00' * 31}01'
shards = 1
keystreams = 1
key-length = 16
[count]
single = 257
digraphs = 1
equal = [[1, 2], [1, 3], [1, 4], [2, 4]]
"""


def test_first_checks_have_the_sources_and_values_of_today(tmp_path):
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    bias = [PROGRAMS / "arcfour", "bias"]
    subprocess.run([*bias, "shard", tmp_path / "campaign.toml", "--index", "0", "--output", tmp_path / "0.cnt"], check=True)
    checks = json.loads(subprocess.run([*bias, "verify", tmp_path / "0.cnt", "--json"], capture_output=True, check=False).stdout)["checks"]
    today = {check["event"]: (check["source"], pytest.approx(check["published"], rel=2e-6)) for check in checks}
    # Two zeros far on have a published probability that follows from the counts of the sample.
    recorded = Results("biases")["first-checks"].query("event != 'Z256 = Z258 = 0'")
    assert {row.event: (row.source, row.published) for row in recorded.itertuples()} == today
