"""TLS and SSL: GnuTLS, Java, and OpenSSL 1.0.2 with Scapy."""

from __future__ import annotations

import sys
from pathlib import Path

from namespace import Namespace


def with_certificate(space: Namespace) -> tuple[Path, Path]:
    """Makes a key and its certificate."""
    template, key, certificate = (space.folder / name for name in ("template", "key.pem", "cert.pem"))
    template.write_text("cn = old.example\nexpiration_days = 2\ntls_www_server\nencryption_key\nsigning_key\n")
    space.run("certtool", "--generate-privkey", "--outfile", key)
    words = ["--generate-self-signed", "--load-privkey", str(key), "--template", str(template)]
    space.run("certtool", *words, "--outfile", certificate)
    return key, certificate


def gnutls(folder: Path) -> list[Path]:
    """TLS 1.0 with an RC4 cipher suite, by GnuTLS on both sides."""
    priority = "NONE:+VERS-TLS1.0:+ARCFOUR-128:+RSA:+SHA1:+COMP-NULL:+SIGN-ALL:%VERIFY_ALLOW_SIGN_WITH_SHA1"
    with Namespace(folder) as space:
        key, certificate = with_certificate(space)
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


SERVER = """
import sys
from scapy.layers.tls.automaton_srv import TLSServerAutomaton

TLSServerAutomaton(server="127.0.0.1", sport=4435, mykey=sys.argv[1], mycert=sys.argv[2]).run()
"""

# The package nassl has OpenSSL 1.0.2, the last with SSL 2.
CLIENT = """
import socket
from nassl.legacy_ssl_client import LegacySslClient
from nassl.ssl_client import OpenSslVerifyEnum, OpenSslVersionEnum

link = LegacySslClient(
    underlying_socket=socket.create_connection(("127.0.0.1", 4435)),
    ssl_version=OpenSslVersionEnum.SSLV2,
    ssl_verify=OpenSslVerifyEnum.NONE,
)
link.set_cipher_list("RC4-MD5:EXP-RC4-MD5")
link.do_handshake()
print(link.get_current_cipher_name())
link.write(b"letter\\n")
assert link.read(100) == b"letter\\n"
"""


def ssl2(folder: Path) -> list[Path]:
    """SSL 2 with RC4: the client of OpenSSL 1.0.2, and Scapy's server."""
    server, client = folder / "server.py", folder / "client.py"
    server.write_text(SERVER)
    client.write_text(CLIENT)
    with Namespace(folder) as space:
        files = with_certificate(space)
        space.start(sys.executable, server, *files)
        space.listens(4435)
        with space.captured() as path:
            said = space.run(sys.executable, client).stdout
            assert "RC4-MD5" in said, said
    return [path]
