"""Wi-Fi: frames that Scapy makes, those with TKIP by its access point that tries KRACK."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FRAMES = """
import sys
from scapy.all import IP, LLC, SNAP, UDP, RadioTap, Raw, conf, raw, wrpcap
from scapy.layers.dot11 import AKMSuite, Dot11, Dot11Beacon, Dot11CCMP, Dot11Elt, Dot11EltRSN, Dot11WEP, RSNCipherSuite
from scapy.modules.krack.crypto import build_MIC_ICV, build_TKIP_payload

conf.wepkey = "thirteenbytes"
CLIENT = "02:00:00:00:00:99"


def beacon(ap, name, *elements):
    head = RadioTap() / Dot11(type=0, subtype=8, addr1="ff:ff:ff:ff:ff:ff", addr2=ap, addr3=ap)
    frame = head / Dot11Beacon(cap="ESS+privacy") / Dot11Elt(ID="SSID", info=name)
    for element in elements:
        frame /= element
    return frame


# Data from the network's station, protected.
def data(ap):
    return RadioTap() / Dot11(type=2, subtype=0, FCfield=0x42, addr1=CLIENT, addr2=ap, addr3=ap)


def rsn(cipher):
    suite = RSNCipherSuite(cipher=cipher)
    return Dot11EltRSN(group_cipher_suite=suite, pairwise_cipher_suites=[suite], akm_suites=[AKMSuite(suite=2)])


letter = LLC() / SNAP() / IP(src="10.0.0.1", dst="10.0.0.2") / UDP() / Raw(b"letter")
wep, tkip, ccmp = (f"02:00:00:00:00:0{n}" for n in (1, 2, 3))
frames = [beacon(wep, "wep"), beacon(tkip, "tkip", rsn(2)), beacon(ccmp, "ccmp", rsn(4))]
for n in range(1, 4):
    frames.append(data(wep) / Dot11WEP(iv=bytes([7, n, 77])) / letter)
    text = build_MIC_ICV(raw(letter), b"michael!", tkip, CLIENT)
    frames.append(data(tkip) / Raw(build_TKIP_payload(text, n, tkip, b"sixteen of bytes")))
    frames.append(data(ccmp) / Dot11CCMP(PN0=n, ext_iv=1, data=bytes(range(60))))
wrpcap(sys.argv[1], frames)
"""


def wifi(folder: Path) -> list[Path]:
    """Networks with WEP, TKIP and CCMP, and three frames of each. aircrack-ng decrypts those with WEP."""
    source, path = folder / "frames.py", folder / "capture.pcap"
    source.write_text(FRAMES)
    subprocess.run([sys.executable, "-W", "ignore", source, path], check=True)
    key = b"thirteenbytes".hex()
    done = subprocess.run(["airdecap-ng", "-w", key, path], capture_output=True, text=True, check=True)
    assert "decrypted WEP  packets         3" in done.stdout, done.stdout
    return [path]
