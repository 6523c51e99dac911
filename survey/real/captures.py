"""Captures and files of real programs that use RC4, and what `arcfour survey` says of them.

Runs as root on Linux, in separate network namespaces: GnuTLS and Java for TLS, MIT Kerberos, Samba
for NTLM, asyncssh for SSH. tcpdump captures. Kerberos leaves a keytab and a credential cache too. A
program that is not here fails the test: nothing is skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

REALM = "OLD.EXAMPLE"


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
        for _ in range(200):
            if f":{port} " in self.run("ss", "-Hlntu").stdout:
                return
            time.sleep(0.05)
        logs = "".join(path.read_text(errors="replace") for path in self.folder.glob("*.log"))
        sys.exit(f"nothing listens on port {port}: {logs}")

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


def gnutls(folder: Path) -> list[Path]:
    """TLS 1.0 with an RC4 cipher suite, by GnuTLS on both sides."""
    template, key, certificate = folder / "template", folder / "key.pem", folder / "cert.pem"
    template.write_text("cn = old.example\nexpiration_days = 2\ntls_www_server\nencryption_key\nsigning_key\n")
    priority = "NONE:+VERS-TLS1.0:+ARCFOUR-128:+RSA:+SHA1:+COMP-NULL:+SIGN-ALL:%VERIFY_ALLOW_SIGN_WITH_SHA1"
    with Namespace(folder) as space:
        space.run("certtool", "--generate-privkey", "--outfile", key)
        words = ["--generate-self-signed", "--load-privkey", str(key), "--template", str(template)]
        space.run("certtool", *words, "--outfile", certificate)
        files = ["--x509keyfile", str(key), "--x509certfile", str(certificate)]
        space.start("gnutls-serv", "--echo", "--port", "4433", "--priority", priority, *files)
        space.listens(4433)
        with space.captured() as path:
            for _ in range(2):
                words = ["--no-ca-verification", "--port", "4433", "--priority", priority, "127.0.0.1"]
                space.run("gnutls-cli", *words, text="letter\n")
    return [path]


JAVA = """
import java.io.*;
import java.security.*;
import javax.net.ssl.*;

public class Old {
    public static void main(String[] words) throws Exception {
        Security.setProperty("jdk.tls.disabledAlgorithms", "");
        Security.setProperty("jdk.certpath.disabledAlgorithms", "");
        Security.setProperty("jdk.tls.legacyAlgorithms", "");
        KeyStore store = KeyStore.getInstance(new File(words[0]), "password".toCharArray());
        KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
        keys.init(store, "password".toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        String[] suites = {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", "SSL_RSA_WITH_RC4_128_MD5"};
        SSLServerSocket server = (SSLServerSocket) context.getServerSocketFactory().createServerSocket(4434);
        server.setEnabledCipherSuites(suites);
        Thread thread = new Thread(() -> {
            try (SSLSocket socket = (SSLSocket) server.accept()) {
                socket.getOutputStream().write(socket.getInputStream().read());
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        });
        thread.start();
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", 4434)) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.setEnabledCipherSuites(suites);
            socket.getOutputStream().write(7);
            if (socket.getInputStream().read() != 7) throw new IOException("another byte came back");
            System.out.println(socket.getSession().getCipherSuite());
        }
        thread.join();
    }
}
"""


def java(folder: Path) -> list[Path]:
    """TLS 1.2 with RC4, by Java's JSSE once its disabled algorithms are allowed again."""
    source, store = folder / "Old.java", folder / "store.p12"
    source.write_text(JAVA)
    with Namespace(folder) as space:
        words = ["-genkeypair", "-alias", "old", "-keyalg", "RSA", "-dname", "CN=old.example", "-storetype", "PKCS12"]
        space.run("keytool", *words, "-storepass", "password", "-keystore", store)
        with space.captured() as path:
            said = space.run("java", source, store).stdout
        assert "RC4" in said, said
    return [path]


def kerberos(folder: Path) -> list[Path]:
    """MIT Kerberos with allow_rc4: a user and a service with an RC4 key alone, one with the export cipher's, one with AES."""
    config = folder / "krb5.conf"
    config.write_text(f"""
[libdefaults]
    default_realm = {REALM}
    dns_lookup_kdc = false
    dns_canonicalize_hostname = false
    rdns = false
    allow_rc4 = true
    allow_weak_crypto = true
    permitted_enctypes = aes256-cts aes128-cts arcfour-hmac arcfour-hmac-exp
    udp_preference_limit = 1465
[realms]
    {REALM} = {{
        kdc = 127.0.0.1
    }}
""")
    (folder / "kdc.conf").write_text(f"""
[kdcdefaults]
    kdc_listen = 88
    kdc_tcp_listen = 88
[realms]
    {REALM} = {{
        database_name = {folder}/principal
        key_stash_file = {folder}/stash
        supported_enctypes = aes256-cts:normal
    }}
""")
    env = {
        "KRB5_CONFIG": str(config),
        "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
        "KRB5CCNAME": f"FILE:{folder}/cache",
    }
    with Namespace(folder) as space:
        space.run("kdb5_util", "create", "-s", "-P", "master", "-W", env=env)
        for line in [
            "addprinc -pw letter -e arcfour-hmac:normal +requires_preauth quentin",
            "addprinc -pw letter baptiste",
            "addprinc -randkey -e arcfour-hmac:normal http/old.example",
            "addprinc -randkey -e arcfour-hmac-exp:normal http/export.example",
            "addprinc -randkey http/new.example",
            f"ktadd -norandkey -k {folder}/services http/new.example http/old.example http/export.example",
        ]:
            space.run("kadmin.local", "-q", line, env=env)
        space.start("krb5kdc", "-n", env=env)
        space.listens(88)
        with space.captured() as path:
            for user in ["quentin", "baptiste"]:
                space.run("kinit", user, env=env, text="letter\n")
                space.run("kvno", *(f"http/{name}.example@{REALM}" for name in ["old", "new", "export"]), env=env)
    return [path, folder / "services", folder / "cache"]


def samba(folder: Path) -> list[Path]:
    """Samba on both sides: a share, whose session key is exchanged by RC4, and a pipe that NTLM seals."""
    config = folder / "smb.conf"
    folders = [f"{name} = {folder}" for name in ["private dir", "state directory", "cache directory", "lock directory", "pid directory", "ncalrpc dir"]]
    config.write_text("\n".join([
        "[global]", "server role = standalone server", "bind interfaces only = yes", "interfaces = lo",
        "smb ports = 445", "load printers = no", "log level = 1", f"log file = {folder}/log", *folders,
        "[share]", f"path = {folder}", "",
    ]))  # fmt: skip
    with Namespace(folder) as space:
        space.run("smbpasswd", "-c", config, "-s", "-a", "root", text="letter\nletter\n")
        space.start("smbd", "--foreground", "--debug-stdout", "-s", config)
        space.listens(445)
        user = ["-s", str(config), "-U", "root%letter"]
        with space.captured() as path:
            space.run("smbclient", *user, "//127.0.0.1/share", "-c", "ls")
            space.run("rpcclient", *user, "ncacn_np:127.0.0.1[seal]", "-c", "srvinfo")
    return [path]


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
    samba: {
        ("ntlm-key-exchange", "127.0.0.1 to 127.0.0.1:445", "session key encrypted with RC4, no sealing", 2),
        ("ntlm-sealing", "127.0.0.1 to 127.0.0.1:445", "sealing with a key of 128 bits", 1),
    },
    # tshark finds the same. The answers to quentin's two requests are encrypted with his RC4 key,
    # and so are both tickets for the old service.
    kerberos: {
        ("kerberos-account", f"account quentin@{REALM}", "arcfour-hmac (23)", 2),
        ("kerberos-ticket", f"service http/old.example@{REALM}", "arcfour-hmac (23), 2 of 8 tickets", 2),
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
    parser.add_argument("only", nargs="*", help="of gnutls, java, kerberos, samba, ssh")
    words = parser.parse_args()
    failed = 0
    for make, expected in EXPECTED.items():
        if words.only and make.__name__ not in words.only:
            continue
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, make.__name__)
            folder.mkdir()
            paths = make(folder)
            if words.keep:
                for path in paths:
                    shutil.copy(path, words.keep / f"{make.__name__}-{path.name}")
            found = findings(words.program.resolve(), paths)
        for sign, rows in [("-", expected - found), ("+", found - expected)]:
            for row in sorted(rows):
                failed += 1
                print(f"{make.__name__}: {sign} {row}")
        if found == expected:
            print(f"{make.__name__}: all {len(expected)} findings, and no other")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
