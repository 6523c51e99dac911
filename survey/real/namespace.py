"""A network namespace in which programs talk, and a capture of what they say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self


class Namespace:
    """A network namespace with nothing but its loopback, and a capture of that."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"survey-{os.getpid()}-{folder.name}"
        self.started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        self.run("ip", "link", "set", "lo", "up")
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # What a daemon started for itself outlives it.
        left = subprocess.run(["ip", "netns", "pids", self.name], capture_output=True, text=True, check=True)
        for number in left.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(number), signal.SIGKILL)
        subprocess.run(["ip", "netns", "delete", self.name], check=True)

    def command(self, *words: str | Path) -> list[str]:
        return ["ip", "netns", "exec", self.name, *map(str, words)]

    def run(
        self, *words: str | Path, env: dict[str, str] | None = None, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        whole = {**os.environ, **(env or {})}
        done = subprocess.run(
            self.command(*words), env=whole, input=text, capture_output=True, text=True, timeout=60
        )
        if done.returncode != 0:
            sys.exit(f"{words[0]} failed: {done.stdout}{done.stderr}")
        return done

    def start(self, *words: str | Path, env: dict[str, str] | None = None) -> None:
        log = (self.folder / f"{Path(words[0]).name}.log").open("wb")
        whole = {**os.environ, **(env or {})}
        self.started.append(
            subprocess.Popen(
                self.command(*words),
                env=whole,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        )

    def listens(self, port: int) -> None:
        """Waits until a program listens on this port."""
        self.wait(lambda: f":{port} " in self.run("ss", "-Hlntu").stdout, f"nothing listens on port {port}")

    def says(self, log: str, text: str) -> str:
        """Waits until a program has written this into its log, and returns the log."""
        path = self.folder / log
        self.wait(lambda: path.exists() and text in path.read_text(errors="replace"), f"no {text!r} in {log}")
        return path.read_text(errors="replace")

    def wait(self, until: Callable[[], bool], fault: str) -> None:
        for _ in range(400):
            if until():
                return
            time.sleep(0.05)
        logs = "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))
        sys.exit(f"{fault}: {logs}")

    @contextmanager
    def captured(self, *options: str) -> Iterator[Path]:
        """Captures while the body runs."""
        path = self.folder / "capture.pcap"
        tcpdump = subprocess.Popen(
            self.command("tcpdump", "-i", "lo", "-U", "-w", path, "-Z", "root", *options),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert tcpdump.stderr
        while "listening" not in (line := tcpdump.stderr.readline()):
            if not line:
                sys.exit("tcpdump ended")
        yield path
        time.sleep(1)
        tcpdump.terminate()
        tcpdump.wait(timeout=10)
