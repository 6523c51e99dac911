"""Logins over the network: asyncssh for SSH, xrdp and rdesktop for RDP, pptpd and pptp for PPTP."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from namespace import Namespace

SSH = """
import asyncio, asyncssh

CIPHERS = {"encryption_algs": ["arcfour256", "aes128-ctr"]}


class Server(asyncssh.SSHServer):
    def begin_auth(self, username):
        return False


async def main():
    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.listen("127.0.0.1", 2222, server_host_keys=[key], server_factory=Server, **CIPHERS)
    async with asyncssh.connect("127.0.0.1", 2222, known_hosts=None, username="old", config=None, client_keys=None, **CIPHERS) as link:
        print(link.get_extra_info("send_cipher"))
    server.close()


asyncio.run(main())
"""


def ssh(folder: Path) -> list[Path]:
    """SSH with arcfour256, by asyncssh on both sides."""
    source = folder / "old.py"
    source.write_text(SSH)
    with Namespace(folder) as space, space.captured() as path:
        said = space.run(sys.executable, source).stdout
        assert "arcfour256" in said, said
    return [path]


# xrdp has RC4 from OpenSSL, which has it in its legacy provider.
LEGACY = """
openssl_conf = conf
[conf]
providers = providers
[providers]
default = on
legacy = on
[on]
activate = 1
"""


def rdp(folder: Path) -> list[Path]:
    """RDP's standard security with keys of 40 and 128 bits: rdesktop shows the login of xrdp."""
    legacy = folder / "openssl.cnf"
    legacy.write_text(LEGACY)
    settings = Path("/etc/xrdp/xrdp.ini").read_text()
    with Namespace(folder) as space, space.captured() as path:
        space.start("Xvfb", "-displayfd", "1")
        env = {"HOME": str(folder), "DISPLAY": ":" + space.says("Xvfb.log", "\n").split()[-1]}
        for port, level in [(3389, "high"), (3390, "medium")]:
            config, log = folder / f"{level}.ini", folder / f"{level}.log"
            text = settings
            for name, value in [
                ("port", port),
                ("security_layer", "rdp"),
                ("crypt_level", level),
                ("LogFile", log),
                ("EnableSyslog", "false"),
            ]:
                text = re.sub(f"^{name}=.*", f"{name}={value}", text, count=1, flags=re.MULTILINE)
            config.write_text(text)
            # Another xrdp of this machine has its number under /run.
            command = f"mount -t tmpfs tmpfs /run && exec xrdp --nodaemon --config {config}"
            space.start("sh", "-c", command, env={"OPENSSL_CONF": str(legacy)})
            space.listens(port)
            space.start("rdesktop", "-u", "quentin", f"127.0.0.1:{port}", env=env)
            # The client's answer to what the server can is encrypted.
            space.says(log.name, "client supports")
    return [path]


# The first process of a kernel that runs as a program, with this machine's files. MPPE is in the kernel.
INIT = """#!/bin/sh
trap 'echo o > /proc/sysrq-trigger; sleep 60' EXIT
set -ex
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mkdir -p /dev/pts
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /etc/ppp
mount -t hostfs none /mnt -o {folder}
mkdir -p /run/kernel/lib
ln -s /usr/lib/uml/modules /run/kernel/lib/modules
modprobe --dirname /run/kernel --all ppp_async ppp_mppe sha1_generic
echo 'quentin * letter *' > /etc/ppp/chap-secrets
ip link set lo up
ip address add 10.0.0.1/32 dev lo # pptp asks for an address that is not of the loopback
tcpdump -i lo -U -w /mnt/capture.pcap -Z root &
capture=$!
until [ -s /mnt/capture.pcap ]; do sleep 0.1; done
pptpd --fg --conf /mnt/pptpd.conf &
until grep -q :06BB /proc/net/tcp; do sleep 0.1; done
pppd pty 'pptp 127.0.0.2 --nolaunchpppd' file /mnt/client user quentin password letter updetach
sleep 1
kill $capture
wait $capture
touch /mnt/done
"""


def pptp(folder: Path) -> list[Path]:
    """PPTP with MPPE: pptpd, pptp and pppd, on a kernel of User-Mode Linux. No file where that kernel does not start."""
    options = "require-mppe-128\nrefuse-eap\nnobsdcomp\nnodeflate\nnovj\nnoipv6\n"
    (folder / "client").write_text(options + "noauth\nnoipdefault\n")
    (folder / "server").write_text(options + "auth\nrequire-mschap-v2\n")
    (folder / "pptpd.conf").write_text(
        "option /mnt/server\nlisten 127.0.0.2\nlocalip 10.9.0.1\nremoteip 10.9.0.2\n"
    )
    init = folder / "init"
    init.write_text(INIT.format(folder=folder))
    init.chmod(0o755)
    kernel = ["linux.uml", "mem=256M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", f"init={init}"]
    console = ["con=null", "con0=null,fd:1", "ssl=null", f"uml_dir={folder}"]
    done = subprocess.run([*kernel, *console], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    # The host refuses registers that are not of its size, 11,008 bytes with AMX, and the first process ends.
    if "put_fp_registers" in done.stdout:
        print("pptp: not run: this processor has registers that this User-Mode Linux does not know, such as those of AMX")
        return []
    if not (folder / "done").exists():
        sys.exit(f"no tunnel: {done.stdout}{done.stderr}")
    return [folder / "capture.pcap"]
