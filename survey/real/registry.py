"""What arcfour survey says of settings of the Windows registry that other programs wrote.

    registry.py PROGRAM

Wine sets values by its `reg add`, and exports them by `reg export`. Samba writes the same values as a group policy. Needs Debian's wine64
and python3-samba, which only Debian's own Python finds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from samba.dcerpc import misc, preg
from samba.ndr import ndr_pack

WINE = "/usr/lib/wine/wine64"
QUIET = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}

CONTROL = r"SYSTEM\CurrentControlSet\Control"
SERVICES = r"SYSTEM\CurrentControlSet\Services"
POLICIES = r"SOFTWARE\Policies\Microsoft"
SUITES = ["TLS_AES_256_GCM_SHA384", "TLS_RSA_WITH_RC4_128_SHA"]
# Key, name, data, and the rule that finds it.
VALUES: list[tuple[str, str, int | str | list[str], str | None]] = [
    (rf"{CONTROL}\SecurityProviders\SCHANNEL\Ciphers\RC4 128/128", "Enabled", 0xFFFFFFFF, "schannel"),
    (rf"{CONTROL}\SecurityProviders\SCHANNEL\Ciphers\RC4 56/128", "Enabled", 0, None),
    (rf"{CONTROL}\SecurityProviders\SCHANNEL\Ciphers\AES 128/128", "Enabled", 0xFFFFFFFF, None),
    (rf"{CONTROL}\Cryptography\Configuration\Local\SSL\00010002", "Functions", SUITES, "schannel"),
    (rf"{POLICIES}\Cryptography\Configuration\SSL\00010002", "Functions", ",".join(SUITES), "schannel"),
    (rf"{SERVICES}\KDC", "DefaultDomainSupportedEncTypes", 0x1C, "kerberos-policy"),
    (rf"{CONTROL}\Lsa\Kerberos\Parameters", "SupportedEncryptionTypes", 0x7FFFFFF8, None),
    (rf"{SERVICES}\Netlogon\Parameters", "RejectMD5Clients", 0, "netlogon"),
    (rf"{SERVICES}\Netlogon\Parameters", "RejectMD5Servers", 1, None),
    (rf"{CONTROL}\Terminal Server\WinStations\RDP-Tcp", "SecurityLayer", 0, "rdp-policy"),
    (rf"{POLICIES}\Windows NT\Terminal Services", "MinEncryptionLevel", 4, None),
    (rf"{POLICIES}\Windows NT\Terminal Services", "SecurityLayer", 1, None),
    (r"SOFTWARE\Microsoft\.NETFramework\v4.0.30319", "SchUseStrongCrypto", 0, "dotnet-tls"),
]


def exports(folder: Path) -> list[Path]:
    """The exports of Wine."""
    place = {**os.environ, **QUIET, "WINEPREFIX": str(folder / "wine")}

    def reg(*words: str) -> None:
        subprocess.run([WINE, "reg", *words], env=place, check=True, timeout=600, stdout=subprocess.DEVNULL)

    paths = []
    try:
        for key, name, data, _ in VALUES:
            if isinstance(data, list):
                kind, text = "REG_MULTI_SZ", r"\0".join(data)
            else:
                kind, text = "REG_DWORD" if isinstance(data, int) else "REG_SZ", str(data)
            reg("add", rf"HKLM\{key}", "/v", name, "/t", kind, "/d", text, "/f")
        for branch in ("SYSTEM", "SOFTWARE"):
            paths.append(folder / f"{branch}.reg")
            reg("export", rf"HKLM\{branch}", f"Z:{paths[-1]}")
    finally:
        subprocess.run(["/usr/lib/wine/wineserver64", "-k", "-w"], env=place, check=False, timeout=60)
    return paths


def policy(folder: Path) -> Path:
    """The group policy of Samba."""
    entries = []
    for key, name, data, _ in VALUES:
        entry = preg.entry()
        entry.keyname, entry.valuename = key, name
        if isinstance(data, list):
            entry.type, entry.data = misc.REG_MULTI_SZ, "\0".join([*data, "", ""]).encode("utf-16-le")
        else:
            entry.type, entry.data = misc.REG_DWORD if isinstance(data, int) else misc.REG_SZ, data
        entries.append(entry)
    file = preg.file()
    file.header.signature, file.header.version = "PReg", 1
    file.num_entries, file.entries = len(entries), entries
    path = folder / "Registry.pol"
    path.write_bytes(ndr_pack(file))
    return path


def found(program: str, paths: list[Path]) -> list[tuple[str, str, str]]:
    """Rule, key and name of each finding, sorted. Wine shows a key of policies in Wow6432Node too."""
    done = subprocess.run([program, "survey", "--json", *paths], check=True, capture_output=True, text=True)
    *findings, end = [json.loads(line) for line in done.stdout.splitlines()]
    if end["unread"]:
        raise SystemExit(f"not read: {end}")
    rows = set()
    for each in findings:
        evidence = each["evidence"].lower().replace("wow6432node\\", "")
        key, name = next((key, name) for key, name, *_ in VALUES if evidence.startswith(name.lower()) and evidence.endswith(key.lower()))
        rows.add((each["rule"], key, name))
    return sorted(rows)


def main() -> None:
    """Compares the findings in both formats with the values that were set."""
    expected = sorted((rule, key, name) for key, name, _, rule in VALUES if rule)
    with tempfile.TemporaryDirectory() as folder:
        for paths in (exports(Path(folder)), [policy(Path(folder))]):
            rows = found(sys.argv[1], paths)
            if rows != expected:
                raise SystemExit(f"{paths}: found {rows}, expected {expected}")
            print(f"{' and '.join(path.name for path in paths)}: {len(rows)} findings, as expected")


if __name__ == "__main__":
    main()
