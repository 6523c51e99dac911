"""`arcfour.survey`: the RC4 that is still there."""

from __future__ import annotations

import json
import signal
import threading
import zipfile
from pathlib import Path

import pytest
from arcfour import Finding, survey
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

VECTORS = Path(__file__).parents[2] / "vectors"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with a document, a configuration and a capture; nothing else has RC4."""
    (tmp_path / "old.pdf").write_bytes((VECTORS / "pdf/v1-r2.pdf").read_bytes())
    (tmp_path / "plain.doc").write_bytes((VECTORS / "office/plain.doc").read_bytes())
    (tmp_path / "sshd_config").write_text("Ciphers aes256-ctr\nCiphers arcfour256,aes128-ctr\n")
    # A client of TLS 1.2 that offers RC4 beside AES.
    body = b"\x03\x03" + bytes(32) + b"\0" + b"\0\4\xc0\x2f\0\5" + b"\1\0"
    hello = b"\1\0\0" + bytes([len(body)]) + body
    record = b"\x16\3\1\0" + bytes([len(hello)]) + hello
    packet = Ether() / IP(src="10.0.0.5", dst="10.0.0.7") / TCP(sport=40000, dport=443, flags="PA")
    wrpcap(str(tmp_path / "old.pcap"), packet / record)
    return tmp_path


def test_findings_are_typed(planted: Path) -> None:
    found = survey(planted)
    assert [finding.rule for finding in found] == ["pdf-40", "tls-offered", "ssh-config"]
    pdf, tls, ssh = found
    assert (pdf.severity, pdf.what, pdf.path, pdf.within) == (
        "high", "PDF, 40-bit key", planted / "old.pdf", None,
    )  # fmt: skip
    assert pdf.command == f"arcfour find --pdf {planted / 'old.pdf'}"
    assert pdf.facts["key bits"] == "40"
    assert tls.within == "10.0.0.5 to 10.0.0.7:443, frame 1"
    assert tls.evidence == "offered: TLS_RSA_WITH_RC4_128_SHA"
    assert (tls.count, tls.sources) == (1, ["RFC 7465"])
    assert (ssh.within, ssh.command) == ("line 2", None)
    assert ssh.remedy.endswith(".")
    assert repr(ssh).startswith("<arcfour.Finding: SSH configuration, ")
    assert (len(found), found.files, found.unread) == (3, 4, [])
    assert found.read == {"PDF": 1, "Office": 1, "SSH": 1, "capture": 1}
    assert all(isinstance(finding, Finding) for finding in found.findings)
    assert found.findings[0] == survey(planted / "old.pdf").findings[0]
    assert found.findings[0] != found.findings[1]


def test_paths_of_every_kind_and_archives(planted: Path) -> None:
    names: list[str | Path] = [str(planted / "old.pdf"), planted / "sshd_config"]
    assert [finding.rule for finding in survey(names)] == ["pdf-40", "ssh-config"]
    assert [finding.rule for finding in survey(iter(names[:1]))] == ["pdf-40"]
    assert list(survey([])) == []
    with zipfile.ZipFile(planted / "box.zip", "w", zipfile.ZIP_DEFLATED) as box:
        box.write(planted / "old.pdf", "a/old.pdf")
    (member,) = survey(planted / "box.zip")
    assert (member.within, member.command) == ("member a/old.pdf", None)
    assert list(survey(planted / "box.zip", archive_depth=0)) == []


def test_reports(planted: Path) -> None:
    found = survey(planted)
    (run,) = json.loads(found.sarif())["runs"]
    assert [result["ruleId"] for result in run["results"]] == [finding.rule for finding in found]
    assert json.loads(found.cyclonedx())["specVersion"] == "1.6"
    assert found.html().startswith("<!doctype html>")
    assert all(line.endswith(".") for line in found.not_seen)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    found = survey(tmp_path)
    ((place, reason),) = found.unread
    assert (place, list(found)) == (str(tmp_path / "broken.pdf"), [])
    assert reason.startswith("PDF: ")
    with pytest.raises(FileNotFoundError) as raised:
        survey([tmp_path, tmp_path / "missing"])
    assert raised.value.filename == str(tmp_path / "missing")
    with pytest.raises(ValueError, match="archive_depth is 17; it must be 0 to 16"):
        survey(tmp_path, archive_depth=17)
    with pytest.raises(TypeError):
        survey(7)  # type: ignore[arg-type]


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    """A dump of a terabyte, most of it holes: no test waits for its end."""
    with (tmp_path / "ram.vmem").open("wb") as dump:
        dump.truncate(1 << 40)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        survey(tmp_path)
    timer.join()
