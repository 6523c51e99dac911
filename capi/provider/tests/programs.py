"""Tries programs that use OpenSSL with the provider: programs.py FOLDER [--write].

FOLDER holds arcfour-provider.so, and takes what is made here. Each program runs twice, with a configuration file and
without, and each time without the legacy provider, which some distributions do not install. The program must fail
without the file; what it does with it is compared with EXPECTED, and with --write the table of README.md is written.
`make provider-programs` installs the programs.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
BEGIN, END = "<!-- written by make provider-programs -->\n", "<!-- as far as here -->\n"

# RFC 6229, key of 128 bits, offset 0.
KEY, KEYSTREAM = "0102030405060708090a0b0c0d0e0f10", "9ac7cc9a609d1ef7b2932899cde41b97"
SUBJECT = "arcfour.example"

CONFIGURATION = """openssl_conf = start
[start]
providers = list
[list]
default = on
arcfour-provider = ours
[on]
activate = 1
[ours]
module = {module}
activate = 1
"""
VERSION = re.compile(r"\d+(?:\.\d|:\d|\d{7})[\w.:+~-]*")
SYSTEM = "the system's, {}"


@dataclass
class Program:
    name: str
    version: list[str]  # a command whose first number is the version
    openssl: str  # which OpenSSL, {} its version
    did: str
    command: list[str]
    needs: str = "the file"
    expected: str = KEYSTREAM  # what it must print
    own_openssl: list[str] = field(default_factory=lambda: ["openssl", "version"])
    variables: dict[str, str] = field(default_factory=dict)
    text: str = CONFIGURATION
    works: bool = True  # known failures are tried too


def package(name):
    return ["dpkg-query", "--show", "--showformat=${Version}", name]


def programs(folder, python):
    container = str(folder / "rc4.p12")
    rc4 = str(HERE / "rc4.c")
    for name, flags in ("C, libcrypto.a", ["-l:libcrypto.a"]), ("C, `-static`", ["-static", "-lcrypto"]):
        built = folder / ("static" if "-static" in flags else "archive")
        subprocess.run(["gcc", "-w", rc4, "-o", built, *flags], check=True, capture_output=True)
        yield Program(name, package("libssl-dev"), "its own, linked in, {}", "`EVP_rc4`", [str(built)])
    yield Program(
        "cryptography, a wheel", [python, "-c", "import cryptography; print(cryptography.__version__)"],
        "its own, linked in, {}", "`ARC4`",
        [python, "-W", "ignore", "-c",
         "from cryptography.exceptions import UnsupportedAlgorithm\n"
         "from cryptography.hazmat.decrepit.ciphers.algorithms import ARC4\n"
         "from cryptography.hazmat.primitives.ciphers import Cipher\n"
         "try:\n"
         f"    print(Cipher(ARC4(bytes.fromhex('{KEY}')), None).encryptor().update(bytes(16)).hex())\n"
         "except UnsupportedAlgorithm:\n"
         "    print('UnsupportedAlgorithm', 'arcfour-provider.so' in open('/proc/self/maps').read())"],
        "it loads the module and does not ask it: UnsupportedAlgorithm. Use `arcfour.compat.cryptography`",
        "UnsupportedAlgorithm True",
        [python, "-c", "from cryptography.hazmat.backends.openssl import backend; print(backend.openssl_version_text())"],
        {"CRYPTOGRAPHY_OPENSSL_NO_LEGACY": "1"}, works=False)
    yield Program(
        "cryptography, Debian's", package("python3-cryptography"), SYSTEM, "`ARC4`",
        ["/usr/bin/python3", "-W", "ignore", "-c",
         "from cryptography.hazmat.primitives.ciphers import Cipher, algorithms\n"
         f"print(Cipher(algorithms.ARC4(bytes.fromhex('{KEY}')), None).encryptor().update(bytes(16)).hex())"],
        "it needs `legacy.so` itself, and cannot be imported without", "InternalError", works=False)
    yield Program(
        "curl", package("curl"), SYSTEM, "PKCS#12 with PBE-SHA1-RC4, as client",
        [sys.executable, __file__, str(folder), "--curl"], expected=SUBJECT)
    yield Program(
        "Erlang", package("erlang-crypto"), SYSTEM, "`crypto:crypto_one_time`",
        ["env", "ERL_CRASH_DUMP=/dev/null", "erl", "-noshell", "-eval",
         f'io:format("~s", [string:lowercase(binary:encode_hex(crypto:crypto_one_time(rc4, '
         f'binary:decode_hex(<<"{KEY}">>), <<0:128>>, true)))]), halt().'])
    yield Program(
        "Lua, luaossl", package("lua-luaossl"), SYSTEM, "`openssl.cipher`",
        ["lua5.4", "-e",
         'local function bytes(hex) return (hex:gsub("..", function(h) return string.char(tonumber(h, 16)) end)) end\n'
         f'local c = require("openssl.cipher").new("rc4"):encrypt(bytes("{KEY}"))\n'
         'print((c:final(("\\0"):rep(16)):gsub(".", function(b) return ("%02x"):format(b:byte()) end)))'])
    yield Program(
        "M2Crypto", package("python3-m2crypto"), SYSTEM, "`EVP.Cipher`",
        ["/usr/bin/python3", "-c",
         f"from M2Crypto import EVP; print(EVP.Cipher('rc4', bytes.fromhex('{KEY}'), b'', 1).update(bytes(16)).hex())"])
    node = ["-e", f"console.log(crypto.createCipheriv('rc4', Buffer.from('{KEY}', 'hex'), null)"
                  ".update(Buffer.alloc(16)).toString('hex'))"]
    its_own = ["node", "-p", "process.versions.openssl"]
    of_node = "its own, linked in, {}" if "false" in said(["node", "-p", "process.config.variables.node_shared_openssl"])[1] else SYSTEM
    yield Program("Node.js", ["node", "--version"], of_node, "`createCipheriv`", ["node", *node],
                  "the file, with `nodejs_conf` for `openssl_conf`", own_openssl=its_own,
                  text=CONFIGURATION.replace("openssl_conf", "nodejs_conf"))
    yield Program("Node.js", ["node", "--version"], of_node, "`createCipheriv`",
                  ["node", "--openssl-shared-config", *node], "the file, and `--openssl-shared-config`",
                  own_openssl=its_own)
    yield Program("Node.js", ["node", "--version"], of_node, "`tls`, PKCS#12 with PBE-SHA1-RC4",
                  ["node", "--openssl-shared-config", "-e",
                   f"require('tls').createSecureContext({{pfx: require('fs').readFileSync('{container}'), "
                   f"passphrase: 'secret'}}); console.log('{SUBJECT}')"],
                  "the file, and `--openssl-shared-config`", SUBJECT, its_own)
    yield Program("openssl", package("openssl"), SYSTEM, "`enc`",
                  ["sh", "-c", f"head -c 16 /dev/zero | openssl enc -rc4 -K {KEY} | od -An -tx1 | tr -d ' '"])
    yield Program("openssl", package("openssl"), SYSTEM, "`pkcs12`, PBE-SHA1-RC4",
                  ["openssl", "pkcs12", "-in", container, "-passin", "pass:secret", "-nokeys"], expected=SUBJECT)
    yield Program("PHP", package("php8.*-cli"), SYSTEM, "`openssl_encrypt`",
                  ["php", "-r", f"echo bin2hex(openssl_encrypt(str_repeat(chr(0), 16), 'rc4', hex2bin('{KEY}'), OPENSSL_RAW_DATA));"])
    yield Program("PHP", package("php8.*-cli"), SYSTEM, "`openssl_pkcs12_read`, PBE-SHA1-RC4",
                  ["php", "-r", f"openssl_pkcs12_read(file_get_contents('{container}'), $all, 'secret') || exit(1);"
                                "echo openssl_x509_parse($all['cert'])['name'];"], expected=SUBJECT)
    yield Program("Ruby", package("ruby"), SYSTEM, "`OpenSSL::Cipher`",
                  ["ruby", "-ropenssl", "-e", "c = OpenSSL::Cipher.new('rc4').encrypt\n"
                   f"c.key = ['{KEY}'].pack('H*')\nputs c.update(0.chr * 16).unpack1('H*')"])
    yield Program("Ruby", package("ruby"), SYSTEM, "`OpenSSL::PKCS12`, PBE-SHA1-RC4",
                  ["ruby", "-ropenssl", "-e",
                   f"puts OpenSSL::PKCS12.new(File.binread('{container}'), 'secret').certificate.subject"],
                  expected=SUBJECT)
    settings = folder / "stunnel.conf"
    settings.write_text(f"foreground = yes\npid =\n[{SUBJECT}]\nclient = yes\naccept = 127.0.0.1:0\n"
                        f"connect = 127.0.0.1:1\ncert = {container}\n")
    yield Program("stunnel", package("stunnel4"), SYSTEM, "PKCS#12 with PBE-SHA1-RC4",
                  ["sh", "-c", f"echo secret | timeout 3 stunnel4 {settings} 2>&1"], expected="Configuration successful")


def curl(folder):
    """A server that asks for the client's certificate and says whose it is; curl takes its own from PKCS#12."""
    plain = {name: value for name, value in os.environ.items() if name not in ("OPENSSL_CONF", "OPENSSL_MODULES")}
    server = subprocess.Popen(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem", "-www", "-Verify", "1"],
        cwd=folder, env=plain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        port = next(found[1] for found in (re.match(r"ACCEPT .*:(\d+)", line) for line in server.stdout) if found)
        subprocess.run(["curl", "--insecure", "--silent", "--show-error", "--cert-type", "P12", "--cert", "rc4.p12:secret",
                        f"https://127.0.0.1:{port}/"], cwd=folder, check=True, timeout=20)
    finally:
        server.kill()


def said(command, environment=None):
    """Whether it ended with success, and all that it printed."""
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60, check=False)
    return done.returncode == 0, done.stdout


def number(command):
    _, text = said(command)
    found = VERSION.search(text)
    if not found:
        sys.exit(f"{command[0]} does not say its version: {text.strip()[:200]}")
    return found[0]


def run(program, folder):
    """A row of the table. Ends the run if a program behaves unexpectedly."""
    outcomes = []
    for name in None, f"{program.name}.cnf".replace(" ", "-").replace("/", "-"):
        file = Path(os.devnull)
        if name:
            file = folder / name
            file.write_text(program.text.format(module=folder / "arcfour-provider.so"))
        environment = os.environ | {"OPENSSL_CONF": str(file), "OPENSSL_MODULES": str(folder / "none")} | program.variables
        ended, text = said(program.command, environment)
        outcomes.append(program.expected in text and (ended or not program.works or program.name == "stunnel"))
    without, with_file = outcomes
    if program.works and without:
        sys.exit(f"{program.name}, {program.did}: works without the module: the trial shows nothing")
    if not with_file:
        sys.exit(f"{program.name}, {program.did}: not {program.expected!r} but {text.strip()[:500]!r}")
    openssl = program.openssl.format(number(program.own_openssl))
    return f"| {program.name} | {number(program.version)} | {openssl} | {program.did} | {'yes' if program.works else '**no**'} | {program.needs} |\n"


def lasting(table):
    """The rows without the version of the program and without its OpenSSL, which differ from machine to machine."""
    return [[cell for n, cell in enumerate(line.split("|")) if n not in (2, 3)] for line in table.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the wheel of cryptography")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--curl", action="store_true")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.curl:
        return curl(folder)
    (folder / "none").mkdir(exist_ok=True)
    (folder / "trial.cnf").write_text(CONFIGURATION.format(module=folder / "arcfour-provider.so"))
    for command in (
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "certificate.pem",
         "-subj", f"/CN={SUBJECT}", "-days", "30"],
        ["openssl", "pkcs12", "-export", "-inkey", "key.pem", "-in", "certificate.pem", "-keypbe", "PBE-SHA1-RC4-128",
         "-certpbe", "PBE-SHA1-RC4-40", "-macalg", "sha1", "-passout", "pass:secret", "-out", "rc4.p12"],
    ):
        file = folder / "trial.cnf" if "pkcs12" in command else Path("/etc/ssl/openssl.cnf")
        subprocess.run(command, cwd=folder, env=os.environ | {"OPENSSL_CONF": str(file)}, check=True, capture_output=True)
    table = "| program | version | its OpenSSL | tried | RC4 comes back | what it needs |\n|---|---|---|---|---|---|\n"
    for program in programs(folder, arguments.python):
        table += run(program, folder)
    before, rest = README.read_text().split(BEGIN)
    old, after = rest.split(END)
    if arguments.write:
        README.write_text(before + BEGIN + table + END + after)
    elif lasting(old) != lasting(table):
        sys.exit(f"README.md has another table: make provider-programs\n{table}")
    print(table, end="")


if __name__ == "__main__":
    main()
