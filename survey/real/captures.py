"""Captures and files of real programs that use RC4, and what `arcfour survey` says of them.

Runs as root on Linux, in separate network namespaces. tcpdump captures. Kerberos leaves a keytab and a
credential cache too. A program that is not here fails the test. Nothing is skipped, but PPTP where its kernel
does not start.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from domain import REALM, kerberos, samba
from remote import pptp, rdp, ssh
from tls import gnutls, java, ssl2
from wifi import wifi

#: What each capture shows: rule, part of the place, part of the evidence and count.
EXPECTED: dict[Callable[[Path], list[Path]], set[tuple[str, str, str, int]]] = {
    gnutls: {
        ("tls-chosen", "127.0.0.1:4433", "TLS 1.0, chosen: TLS_RSA_WITH_RC4_128_SHA", 2),
        ("tls-offered", "127.0.0.1 to 127.0.0.1:4433", "offered: TLS_RSA_WITH_RC4_128_SHA", 2),
    },
    java: {
        ("tls-chosen", "127.0.0.1:4434", "TLS 1.2, chosen: TLS_ECDHE_RSA_WITH_RC4_128_SHA", 1),
        (
            "tls-offered",
            "127.0.0.1 to 127.0.0.1:4434",
            "offered: TLS_ECDHE_RSA_WITH_RC4_128_SHA, TLS_RSA_WITH_RC4_128_MD5",
            1,
        ),
    },
    ssl2: {
        (
            "ssl2",
            "127.0.0.1 to 127.0.0.1:4435",
            "offered: SSL_CK_RC4_128_WITH_MD5, SSL_CK_RC4_128_EXPORT40_WITH_MD5",
            1,
        ),
        ("ssl2-chosen", "127.0.0.1:4435", "chosen: SSL_CK_RC4_128_WITH_MD5", 1),
    },
    samba: {
        ("ntlm-key-exchange", "127.0.0.1 to 127.0.0.1:445", "session key encrypted with RC4, no sealing", 2),
        ("ntlm-sealing", "127.0.0.1 to 127.0.0.1:445", "sealing with a key of 128 bits", 1),
    },
    # tshark finds the same. The answers to quentin's two requests are encrypted with his RC4 key,
    # and so are both tickets for the old service. Six requests show a ticket again.
    kerberos: {
        ("kerberos-account", f"account quentin@{REALM}", "arcfour-hmac (23)", 2),
        ("kerberos-ticket", f"service http/old.example@{REALM}", "arcfour-hmac (23), 2 of 14 tickets", 2),
        ("kerberos-export", f"service http/export.example@{REALM}", "arcfour-hmac-exp (24)", 2),
        ("kerberos-offered", "127.0.0.1 to 127.0.0.1:88", "offered: arcfour-hmac (23), arcfour-hmac-exp (24)", 9),
        # As klist says of the same files.
        ("keytab-rc4-only", "entry 2", f"http/old.example@{REALM}: arcfour-hmac, no AES entry", 1),
        ("keytab-rc4-only", "entry 3", f"http/export.example@{REALM}: arcfour-hmac-exp, no AES entry", 1),
        ("ccache-ticket", "credential 3", f"http/old.example@{REALM}, ticket: arcfour-hmac", 1),
        ("ccache-ticket", "credential 5", f"http/export.example@{REALM}, ticket: arcfour-hmac-exp", 1),
    },
    ssh: {
        ("ssh-chosen", "127.0.0.1:2222", "chosen to the server: arcfour256", 1),
        ("ssh-chosen", "127.0.0.1:2222", "chosen to the client: arcfour256", 1),
        ("ssh-offered", "127.0.0.1:2222", "server offers arcfour256", 1),
        ("ssh-offered", "127.0.0.1 to 127.0.0.1:2222", "client offers arcfour256", 1),
    },
    rdp: {
        ("rdp-standard", "127.0.0.1:3389", "server chose RC4 with a key of 128 bits", 1),
        ("rdp-standard", "127.0.0.1:3390", "server chose RC4 with a key of 40 bits", 1),
    },
    # Each side acknowledges what the other asks for.
    pptp: {("pptp-mppe", "127.0.0.1 and 127.0.0.2", "MPPE agreed on, a key of 128 bits", 2)},
    wifi: {
        ("wifi-wep", "network 02:00:00:00:00:01", "announces WEP", 1),
        ("wifi-wep", "network 02:00:00:00:00:01", "frames with WEP", 3),
        ("wifi-tkip", "network 02:00:00:00:00:02", "announces TKIP", 1),
        ("wifi-tkip", "network 02:00:00:00:00:02", "announces TKIP for groups", 1),
        ("wifi-tkip", "network 02:00:00:00:00:02", "frames with TKIP", 3),
    },
}


def findings(program: Path, paths: list[Path]) -> set[tuple[str, str, str, int]]:
    done = subprocess.run([program, "survey", "--json", *paths], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    end = lines.pop()
    assert not end["unread"], end
    place = [line["within"].split(", frame ")[0] for line in lines]
    return {(line["rule"], where, line["evidence"], line["count"]) for line, where in zip(lines, place, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path, help="arcfour")
    parser.add_argument("--keep", type=Path, help="put the captures into this folder")
    names = ", ".join(make.__name__ for make in EXPECTED)
    parser.add_argument("only", nargs="*", help=f"of {names}")
    words = parser.parse_args()
    failed = 0
    for make, expected in EXPECTED.items():
        if words.only and make.__name__ not in words.only:
            continue
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, make.__name__)
            folder.mkdir()
            paths = make(folder)
            if not paths:
                continue
            if words.keep:
                for path in paths:
                    shutil.copy(path, words.keep / f"{make.__name__}-{path.name}")
            found = findings(words.program.resolve(), paths)
        for sign, rows in [("-", expected - found), ("+", found - expected)]:
            for row in sorted(rows):
                failed += 1
                print(f"{make.__name__}: {sign} {row}")
        if found == expected:
            print(f"{make.__name__}: {len(found)} of {len(expected)} findings, and no other")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
