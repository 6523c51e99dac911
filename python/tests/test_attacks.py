"""`arcfour.attacks`: keys from states, from memory and from captures."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from arcfour import Cipher, attacks
from scapy.layers.dot11 import Dot11, Dot11WEP
from scapy.layers.l2 import ARP, LLC, SNAP
from scapy.utils import rdpcap

if TYPE_CHECKING:
    from pathlib import Path


def test_key_from_state() -> None:
    key = bytes.fromhex("1f8b42069d")
    table, _, _ = Cipher("rc4", key).state
    assert attacks.key_from_state(table, 5) == key
    assert attacks.key_from_state(bytearray(table), 5, tests=1024) == key
    assert attacks.key_from_state(table, 4, tests=16) is None
    with pytest.raises(ValueError, match="every value"):
        attacks.key_from_state(bytes(256), 5)
    with pytest.raises(ValueError, match="length is 33; it must be 1 to 32"):
        attacks.key_from_state(table, 33)


def test_memory_states() -> None:
    """OpenSSL's layout: i and j, then the table, in words of 32 bits."""
    key = bytes(range(1, 6))
    cipher = Cipher("rc4", key)
    cipher.encrypt(bytes(1000))
    table, i, j = cipher.state
    dump = b"\xee" * 4096 + struct.pack("<258I", i, j, *table) + b"\xee" * 4096
    (state,) = attacks.memory_states(dump)
    assert state == {
        "offset": 4104, "layout": "OpenSSL", "table": table, "i": i, "j": j, "key": key,
        "produced": 1000,
    }  # fmt: skip
    (state,) = attacks.memory_states(dump, produced=10)
    assert state["key"] is None
    assert attacks.memory_states(bytes(10_000)) == []


@pytest.mark.parametrize(("key", "packets"), [(b"Quentin Uzel!", 60_000), (b"seven", 50_000)])
def test_wep(key: bytes, packets: int) -> None:
    capture = attacks.wep_capture(key, packets, seed=7)
    assert capture == attacks.wep_capture(key, packets, seed=7)
    assert attacks.wep_key(capture, key_length=len(key)) == key
    assert attacks.wep_key(capture[: len(capture) // 40], beginnings=10) is None


def test_wep_captures_are_what_scapy_reads(tmp_path: Path) -> None:
    """Its decryption with the key gives ARP requests, whose checksum is right."""
    capture = tmp_path / "capture.pcap"
    capture.write_bytes(attacks.wep_capture(b"seven", 5))
    for packet in rdpcap(str(capture)):
        frame = packet[Dot11]
        assert (frame.type, frame.addr2) == (2, "02:00:00:00:00:aa")
        wep = frame[Dot11WEP]
        text = Cipher("rc4", wep.iv + b"seven").decrypt(wep.wepdata + struct.pack(">I", wep.icv))
        arp = LLC(text[:-4])
        assert arp[SNAP].code == 0x0806
        assert (arp[ARP].op, arp[ARP].psrc) == (1, "192.0.2.1")


@pytest.mark.parametrize(
    ("capture", "message"),
    [
        (b"", "not a pcap"),
        (b"\0" * 100, "not a pcap"),
        (attacks.wep_capture(b"seven", 1)[:24], "no ARP"),
    ],
)
def test_what_is_no_capture(capture: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        attacks.wep_key(capture)


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="must be 5 or 13"):
        attacks.wep_capture(b"four", 10)
    with pytest.raises(ValueError, match="must be 5 or 13"):
        attacks.wep_key(b"", key_length=6)
    with pytest.raises(ValueError, match="packets is 0"):
        attacks.wep_capture(b"seven", 0)
