"""Installs Debian packages."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable

from model import Task


def wanted(tasks: Iterable[Task]) -> list[str]:
    """The packages of these tasks, without those whose command the machine has already, and those that only other releases have."""
    try:
        release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    except OSError:  # no Linux
        release = ""
    found: dict[str, None] = {}
    for task in tasks:
        found |= dict.fromkeys([*task.packages, *task.only_on.get(release, [])])
        for command, packages in task.unless.items():
            if not shutil.which(command):
                found |= dict.fromkeys(packages)
    return list(found)


def missing(packages: list[str]) -> list[str]:
    """Those that are not installed."""
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\\n", *packages]
    lines = subprocess.run(query, check=False, capture_output=True, text=True).stdout.splitlines()
    installed = {line.split()[0] for line in lines if line.endswith(" installed")}
    return [name for name in packages if name not in installed]


def services(tasks: Iterable[Task]) -> dict[str, list[str]]:
    """The services of packages that must not start as they are installed."""
    return {package: units for task in tasks for package, units in task.services.items()}


def install(packages: list[str], services: dict[str, list[str]] | None = None) -> None:
    """Installs the missing ones of these packages. Their services are masked, so that systemd starts none."""
    if not packages:
        return
    if not shutil.which("dpkg-query"):
        print(f"this system has no Debian packages; install what these contain: {' '.join(packages)}", file=sys.stderr)
        return
    lacking = missing(packages)
    if not lacking:
        return
    root = [] if os.geteuid() == 0 else ["sudo"]
    if root and not shutil.which("sudo"):
        raise SystemExit(f"make: these Debian packages are missing, and you are neither root nor have sudo: {' '.join(lacking)}")
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    masked = [unit for package in lacking for unit in (services or {}).get(package, [])]
    mask = [["systemctl", "mask", *masked]] if masked and shutil.which("systemctl") else []
    for command in (*mask, ["apt-get", "update", "-q"], [*quiet, "apt-get", "install", "-qy", "--no-install-recommends", *lacking]):
        print("$", *root, *command, flush=True)
        if subprocess.run([*root, *command], check=False).returncode:
            failed = next(word for word in command if word in ("apt-get", "systemctl"))
            raise SystemExit(f"make: {failed} failed; these Debian packages are missing: {' '.join(lacking)}")
