"""`arcfour.attacks`: keys from states, from memory and from captures."""

from __future__ import annotations

import random
import struct
import zlib
from typing import TYPE_CHECKING

import pytest
from arcfour import Cipher, attacks
from Crypto.Cipher import ARC4
from scapy.contrib.avs import AVSWLANHeader
from scapy.layers.dot11 import Dot11, Dot11QoS, Dot11WEP, PrismHeader, RadioTap
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import ARP, LLC, SNAP
from scapy.layers.ppi import PPI
from scapy.packet import Raw
from scapy.utils import RawPcapNgWriter, RawPcapReader, RawPcapWriter, rdpcap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_key_from_state() -> None:
    key = bytes.fromhex("1f8b42069d")
    table, _, _ = Cipher("rc4", key).state
    assert attacks.key_from_state(table, 5) == key
    assert attacks.key_from_state(bytearray(table), 5, tests=1024) == key
    assert attacks.key_from_state(table, 4, tests=16) is None
    with pytest.raises(ValueError, match="table must be a permutation of 0 to 255"):
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
    # The Linux kernel keeps the next step's i after the table.
    dump = bytes(4096) + struct.pack("<258I", *table, (i + 1) % 256, j) + b"\xee" * 4096
    (state,) = attacks.memory_states(dump)
    assert (state["layout"], state["i"], state["key"]) == ("Linux kernel from 3.7 on", i, key)
    readings = attacks.memory_states(dump, produced=10)
    assert [(state["i"], state["key"]) for state in readings] == [(i + 1, None), (i, None)]


@pytest.mark.parametrize(("key", "packets"), [(b"Quentin Uzel!", 60_000), (b"seven", 50_000)])
def test_wep(key: bytes, packets: int) -> None:
    capture = attacks.wep_capture(key, packets, seed=7)
    assert capture == attacks.wep_capture(key, packets, seed=7)
    assert attacks.wep_key(capture, key_length=len(key)) == key
    assert attacks.wep_key(capture[: len(capture) // 40], max_prefixes=10) is None


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


NETWORK, STATION, CARD = "00:12:bf:12:32:29", "00:0e:a6:6b:fb:69", "00:0d:54:a1:a0:4c"
EVERYONE = "ff:ff:ff:ff:ff:ff"
PROTECTED, FROM_NETWORK, TO_NETWORK = 0x40, 2, 1


def replayed_arp() -> tuple[bytes, bytes]:
    """The header and text of an ARP request that another card replays: ARP names the sender."""
    header = Dot11(
        type=2, FCfield=PROTECTED | FROM_NETWORK, addr1=EVERYONE, addr2=NETWORK, addr3=CARD
    )
    arp = ARP(hwsrc=STATION, psrc="10.0.0.1", pdst="10.0.0.9", hwdst="00:00:00:00:00:00")
    return bytes(header), bytes(LLC() / SNAP() / arp)


def traffic() -> tuple[bytes, bytes]:
    """The header and text of a packet of ordinary traffic, and now and then of a spanning tree."""
    if random.random() < 0.05:
        header = Dot11(
            type=2,
            FCfield=PROTECTED | FROM_NETWORK,
            addr1="01:80:c2:00:00:00",
            addr2=NETWORK,
            addr3=NETWORK,
        )
        return bytes(header), bytes.fromhex("424203" + "00" * 35)
    layer = UDP(sport=53) if random.random() < 0.2 else TCP(sport=443, flags="PA")
    ip = IP(
        src="10.0.0.1", dst="192.0.2.7", id=random.getrandbits(16), flags="DF",
        ttl=random.choice([64, 128]),
    )  # fmt: skip
    text = LLC() / SNAP() / ip / layer / Raw(bytes(random.randrange(600)))
    header = Dot11(
        type=2, subtype=8, FCfield=PROTECTED | TO_NETWORK, addr1=NETWORK, addr2=STATION, addr3=CARD
    )
    return bytes(header / Dot11QoS()), bytes(text)


@pytest.mark.parametrize(
    ("packet", "kinds", "packets", "tapped"),
    [(replayed_arp, 1, 20_000, False), (traffic, 400, 30_000, True)],
)
def test_wep_captures_that_scapy_writes(
    tmp_path: Path,
    packet: Callable[[], tuple[bytes, bytes]],
    kinds: int,
    packets: int,
    tapped: bool,  # noqa: FBT001
) -> None:
    """PyCryptodome encrypts frames of scapy. The key is found for every first sender."""
    random.seed(packets)
    key = b"\x1f\x1f\x1f\x1f\x1f"
    texts = [packet() for _ in range(kinds)]
    path = tmp_path / "capture"
    tap = bytes(RadioTap()) if tapped else b""
    writer = RawPcapWriter(str(path), linktype=127 if tapped else 105)
    with writer:
        for _ in range(packets):
            header, text = random.choice(texts)
            iv = random.randbytes(3)
            body = ARC4.new(iv + key).encrypt(text + struct.pack("<I", zlib.crc32(text)))
            writer.write(tap + header + iv + b"\0" + body)
    capture = path.read_bytes()
    assert attacks.wep_key(capture) == key
    assert attacks.wep_key(capture[: len(capture) // 100], max_prefixes=10) is None


def test_wep_captures_in_the_formats_of_scapy(tmp_path: Path) -> None:
    """The same frames behind every header that scapy knows, in both byte orders, and in pcapng."""
    own, path = tmp_path / "own", tmp_path / "capture"
    own.write_bytes(attacks.wep_capture(b"seven", 15_000))
    with RawPcapReader(str(own)) as reader:
        frames = [frame for frame, _ in reader]

    def rewritten(writer: RawPcapWriter | RawPcapNgWriter, header: bytes = b"") -> bytes:
        with writer:
            for frame in frames:
                writer.write(header + frame)
        return path.read_bytes()

    headers = {119: PrismHeader(len=144), 127: RadioTap(), 163: AVSWLANHeader(), 192: PPI(dlt=105)}
    captures = {
        f"link type {link}, {order}": rewritten(
            RawPcapWriter(str(path), linktype=link, endianness=order, nano=order == ">"),
            bytes(header),
        )
        for link, header in headers.items()
        for order in "<>"
    }
    ng = RawPcapNgWriter(str(path))
    ng.linktype = 105
    captures["pcapng"] = rewritten(ng)
    for name, capture in captures.items():
        assert attacks.wep_key(capture, key_length=5) == b"seven", name


@pytest.mark.parametrize(
    ("capture", "message"),
    [
        (b"", "not a pcap"),
        (b"\0" * 100, "not a pcap"),
        (attacks.wep_capture(b"seven", 1)[:24], "no WEP"),
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
