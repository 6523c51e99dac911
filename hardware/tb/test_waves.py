# SPDX-License-Identifier: MIT OR Apache-2.0
"""The waveforms of waves/ equal the current VHDL's."""

import sys

import pytest
from simulate import HARDWARE

sys.path.append(str(HARDWARE / "waves"))
import record
import try_it


def test_the_waveforms_are_up_to_date():
    for name, text in record.documents().items():
        assert (record.FOLDER / name).read_text() == text, f"make -C hardware waves: {name}"


@pytest.mark.full
def test_a_first_look():
    stream, expected, svg = try_it.tried(b"Key")
    assert stream == expected and len(stream) == 16 and svg.startswith("<svg")


def test_the_pictures_are_of_the_recorded_waveforms():
    for file in record.FOLDER.glob("*.json"):
        assert file.with_suffix(".svg").read_text() == record.rendered(file.read_text()), file.name
