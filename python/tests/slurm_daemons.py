"""A real Slurm for the tests: one controller and several nodes on this machine."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NODES = 3
# Debian keeps the daemons where the path of a user does not lead.
DAEMONS = os.environ["PATH"] + os.pathsep + "/usr/sbin"
CONFIGURATION = """\
ClusterName=arcfour
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={controller}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=5
KillWait=5
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count: int) -> list[int]:
    """Find ports that no other program listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    """Daemons in a folder, and the commands that speak to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "PATH": DAEMONS,
            "SLURM_CONF": str(folder / "slurm.conf"),
        }
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        for name in ("munge", "state", "spool", "jobs"):
            (folder / name).mkdir(mode=0o700)
        key = folder / "munge" / "key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o400)
        host = socket.gethostname().partition(".")[0]
        controller, *ports = free_ports(1 + NODES)
        nodes = [
            f"NodeName=node{n} NodeHostname={host} NodeAddr=127.0.0.1 Port={port}"
            " CPUs=1 RealMemory=8000"
            for n, port in enumerate(ports, 1)
        ]
        user = psutil.Process().username()
        (folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                host=host, folder=folder, user=user, controller=controller, nodes="\n".join(nodes)
            )
        )

    def start(self) -> None:
        """Start every daemon, and wait until the nodes can work."""
        munge = self.folder / "munge"
        self._daemon(
            "munged",
            "munged",
            "--foreground",
            "--force",
            *(f"--{what}-file={munge / what}" for what in ("key", "log", "pid", "seed")),
            f"--socket={munge / 'socket'}",
        )
        self.until((munge / "socket").exists)
        self._daemon("slurmctld", "slurmctld", "-D", "-i", "-c")
        for n in range(1, NODES + 1):
            self.start_node(f"node{n}")
        self.until(lambda: self.nodes("idle") == NODES)

    def _daemon(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as output:
            self.daemons[name] = subprocess.Popen(
                words, stdout=output, stderr=output, env=self.environment, start_new_session=True
            )

    def start_node(self, name: str) -> None:
        self._daemon(name, "slurmd", "-D", "-N", name)

    def kill_node(self, name: str) -> None:
        """Kill the daemon of a node and all that it runs, as a power cut does."""
        self.daemons[name].kill()
        self.daemons[name].wait()
        tasks = [
            process
            for process in self._processes()
            if process.environ().get("SLURMD_NODENAME") == name
        ]
        assert tasks, f"{name} ran no job"
        # The step's daemon goes first: it would still tell the controller that its task died.
        steps = {step for task in tasks for step in task.parents() if step.name() == "slurmstepd"}
        for process in [*steps, *tasks]:
            if process.is_running():
                process.kill()

    def _processes(self) -> list[psutil.Process]:
        """Return all processes of this Slurm: other users' Slurm may run beside the tests."""
        ours = []
        for process in psutil.process_iter():
            try:
                if process.environ().get("SLURM_CONF") == self.environment["SLURM_CONF"]:
                    ours.append(process)
            except psutil.Error:
                continue
        return [process for process in ours if process.pid != os.getpid()]

    def stop(self) -> None:
        """End every daemon and every job."""
        for process in self._processes():
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        for daemon in self.daemons.values():
            daemon.kill()
            daemon.wait()

    def run(self, *words: object) -> str:
        """Run a command of Slurm; return what it prints."""
        done = subprocess.run(
            [str(word) for word in words],
            env=self.environment,
            cwd=self.folder / "jobs",
            check=False,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def submit(self, script: str, *options: str) -> str:
        """Submit a script; return the number of its job."""
        path = self.folder / "jobs" / f"{secrets.token_hex(4)}.sh"
        path.write_text(script)
        return self.run("sbatch", "--parsable", *options, path).strip()

    def nodes(self, state: str) -> int:
        done = subprocess.run(
            ["sinfo", "--noheader", "-o", "%D", "-t", state],
            env=self.environment,
            check=False,
            capture_output=True,
            text=True,
        )
        return sum(map(int, done.stdout.split()))

    def tasks(self, job: str) -> list[dict[str, str]]:
        """Return what the controller knows of each task of a job."""
        shown = self.run("scontrol", "--oneliner", "show", "job", job)
        return [
            dict(word.split("=", 1) for word in line.split() if "=" in word)
            for line in shown.splitlines()
        ]

    def states(self, job: str) -> set[str]:
        return {task["JobState"] for task in self.tasks(job)}

    def ended(self, job: str) -> set[str]:
        """Wait until each task of a job ended; return the states in which they ended."""
        running = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "REQUEUED"}
        self.until(lambda: not self.states(job) & running)
        return self.states(job)

    def said(self, job: str) -> str:
        """Return what the tasks of a job printed."""
        files = sorted((self.folder / "jobs").glob(f"slurm-{job}_*.out"))
        return "".join(path.read_text() for path in files)

    def until(self, condition: Callable[[], Any], seconds: float = 180) -> Any:
        """Wait for something to become true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := condition():
                return found
            time.sleep(0.1)
        logs = "".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
        message = f"nothing happened for {seconds} seconds: {logs}"
        raise AssertionError(message)
