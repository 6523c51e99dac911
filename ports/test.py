#!/usr/bin/env python3
"""Runs the five ports and the Rust program side by side: vectors, transcripts, streams.

    test.py BUILD RC4 [UNITTEST ARGUMENT]...

BUILD is the folder with the compiled ports, RC4 the Rust program. Standard library only.
"""

import fcntl
import os
import pty
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "python"))
import rc4 as model

if len(sys.argv) < 3:
    sys.exit(__doc__)
BUILD, RUST = Path(sys.argv[1]), Path(sys.argv[2])
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"]
JAVA += ["-cp", str(BUILD / "java"), "RC4"]

# Each program, and its versions of the paper.
PROGRAMS = {
    "rust": [str(RUST)],
    "c": [str(BUILD / "c/rc4")],
    "asm": [str(BUILD / "asm/rc4")],
    "java": JAVA,
    "perl": ["perl", str(HERE / "perl/rc4.pl")],
    "python": [sys.executable, str(HERE / "python/rc4.py")],
}
# The fewest keys and rows of vectors that can be arguments of a command line.
PASSABLE_KEYS, PASSABLE_ROWS = 73, 355

TRANSLATED = Path("/usr/share/locale/tr/LC_MESSAGES/libc.mo")  # glibc's messages in Turkish
F_SETPIPE_SZ = 1031  # fcntl has it from Python 3.10 on
FAST = ["rust", "c", "asm", "java"]
STARTS_AT_ONCE = ["rust", "c", "asm"]
VERSIONS = {
    **{f"c {v}": PROGRAMS["c"] + [f"--paper-version={v}"] for v in ("V0", "V1", "V2", "V3", "V4")},
    **{f"java {v}": JAVA + [f"--paper-version={v}"] for v in ("V1", "V2", "V3", "V4")},
}


def run(command, *args, stdin=b"", **more):
    """Returns status, stdout and stderr, without the error numbers that only Rust prints."""
    if isinstance(stdin, bytes):
        more["input"] = stdin
    else:
        more["stdin"] = stdin
    more.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([*command, *args], stderr=subprocess.PIPE, timeout=120, **more)
    stderr = re.sub(r" \(os error \d+\)$", "", done.stderr.decode("latin-1"), flags=re.MULTILINE)
    return done.returncode, done.stdout, stderr


def rows(name):
    """Yields the rows of a file of vectors: key, offset or text, bytes."""
    for line in (HERE.parent / "vectors" / name).read_text().splitlines():
        if line and not line.startswith("#"):
            key, second, value = line.split()
            yield bytes.fromhex(key), second, bytes.fromhex(value)


def can_be_argument(key):
    """Returns true if `rc4` takes the key: ASCII without a zero byte, which ends an argument."""
    return key.isascii() and 0 not in key


def expected(key, text):
    return bytes(model.RC4(key).crypt(text))


class Case(unittest.TestCase):
    def each(self, programs, check):
        """Runs `check(name, command)` for all programs, several at a time."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = {name: pool.submit(check, name, cmd) for name, cmd in programs.items()}
        for name, result in results.items():
            with self.subTest(program=name):
                result.result()

    def same(self, programs, args, stdin, status, stdout, stderr=""):
        def check(name, command):
            self.assertEqual(run(command, *args, stdin=stdin), (status, stdout, stderr))

        self.each(programs, check)


class Paper(Case):
    """The examples of the paper, sections 4.2 and 7.1."""

    def test_figure_4_1(self):
        self.same(PROGRAMS, ["--out-hexa", "Quentin"], b"Baptiste", 0, b"b07ce1f8d34cb924")

    def test_figure_4_2(self):
        self.same(PROGRAMS, ["--in-hexa", "Quentin"], b"b07ce1f8d34cb924", 0, b"Baptiste")

    def test_figure_4_3(self):
        def check(name, command):
            secret = run(command, "Torvalds", stdin=b"GNU/Linux\n")[1]
            self.assertNotEqual(secret, b"GNU/Linux\n")
            self.assertEqual(run(command, "Torvalds", stdin=secret), (0, b"GNU/Linux\n", ""))

        self.each(PROGRAMS, check)

    def test_section_7_1(self):
        secret = expected(b"Batumki", b"Crypto")
        self.same(PROGRAMS, ["--in-hexa", "Batumki"], b"43727970746F", 0, secret)
        self.same(PROGRAMS, ["Batumki"], b"Crypto", 0, secret)


class Vectors(Case):
    FILES = ("rc4-rfc6229.txt", "rc4-keys.txt", "rc4-drop.txt", "rc4-special.txt", "rc4-deep.txt")

    def keystreams(self):
        """Returns all rows by key, with offsets up to 2^20."""
        by_key = {}
        for name in self.FILES:
            for key, offset, stream in rows(name):
                if int(offset) <= 1 << 20:
                    by_key.setdefault(key, []).append((int(offset), stream))
        return by_key

    def check_rows(self, stream, wanted):
        for offset, part in wanted:
            self.assertEqual(stream[offset : offset + len(part)], part, f"offset {offset}")

    def test_model(self):
        """Compares the Python module with every vector. Later tests compare with this module."""
        by_key = self.keystreams()
        self.assertEqual({len(key) for key in by_key}, set(range(1, 257)))
        for key, wanted in by_key.items():
            with self.subTest(key=key.hex()):
                end = max(offset + len(part) for offset, part in wanted)
                self.check_rows(expected(key, bytes(end)), wanted)
        for key, text, secret in [*rows("rc4-classic.txt"), *rows("rc4-openssl.txt")]:
            self.assertEqual(expected(key, bytes.fromhex(text)), secret)

    def test_model_steps(self):
        """Compares `prga` word by word with `crypt`; with N cells all words are below N."""
        for key in (b"Key", bytes(range(256))):
            steps = model.RC4(key)
            self.assertEqual(bytes(steps.prga() for _ in range(1000)), expected(key, bytes(1000)))
        for n in (8, 16, 32, 64, 128):
            small = model.RC4(b"\xffKey", n)
            words = [small.prga() for _ in range(50 * n)]
            self.assertEqual(set(words), set(range(n)))
            self.assertEqual(sorted(small.S), list(range(n)))

    def test_programs(self):
        """Runs every vector whose key can be an argument."""
        by_key = {k: v for k, v in self.keystreams().items() if can_be_argument(k)}
        self.assertGreaterEqual(len(by_key), PASSABLE_KEYS)
        self.assertGreaterEqual(sum(map(len, by_key.values())), PASSABLE_ROWS)
        for key, wanted in by_key.items():
            end = max(offset + len(part) for offset, part in wanted)

            def check(name, command):
                status, stdout, stderr = run(command, "--", key, stdin=bytes(end))
                self.assertEqual((status, stderr), (0, ""))
                self.check_rows(stdout, wanted)

            self.each(PROGRAMS, check)
        for key, text, secret in rows("rc4-classic.txt"):
            self.same(PROGRAMS | VERSIONS, [key], bytes.fromhex(text), 0, secret)

    def test_key_lengths(self):
        """Compares every key length with the Python module, with ASCII keys.

        Slow programs run only the short lengths and those around the powers of two.
        """
        text = random.Random(1).randbytes(600)
        late = {*range(1, 18), *(power + n for power in (32, 64, 128, 256) for n in (-1, 0, 1))}
        for length in range(1, 257):
            key = bytes(1 + (length + n) % 127 for n in range(length))
            programs = PROGRAMS if length in late else {name: PROGRAMS[name] for name in STARTS_AT_ONCE}
            self.same(programs, ["--", key], text, 0, expected(key, text))

    def test_versions(self):
        """Runs the paper's versions at the tails of the 64-bit words and at the ends of a block."""
        lengths = [*range(18), 255, 256, 257, 65535, 65536, 65537, 200001]
        for length in lengths:
            text = random.Random(length).randbytes(length)
            self.same(VERSIONS, ["Batumki"], text, 0, expected(b"Batumki", text))
        for length in (1, 2, 16, 255, 256):
            key = bytes(1 + (length + n) % 127 for n in range(length))
            self.same(VERSIONS, ["--", key], bytes(300), 0, expected(key, bytes(300)))


class Data(Case):
    """Random data through all of them."""

    def test_megabytes(self):
        text = random.Random(2).randbytes(5_000_001)
        fast = {name: PROGRAMS[name] for name in FAST}
        self.same(fast | VERSIONS, ["a key"], text, 0, expected(b"a key", text))

    def test_slow(self):
        text = random.Random(3).randbytes(300_001)
        slow = {name: cmd for name, cmd in PROGRAMS.items() if name not in FAST}
        self.same(slow, ["a key"], text, 0, expected(b"a key", text))

    def test_hexa(self):
        """Runs both directions at once, with both cases of digits, block ends and line ends."""
        text = random.Random(4).randbytes(70_001)
        secret = expected(b"a key", text).hex().encode()
        for digits in (text.hex(), text.hex().upper() + "\n", text.hex() + "\r\n"):
            args = ["--in-hexa", "--out-hexa", "a key"]
            self.same(PROGRAMS, args, digits.encode(), 0, secret)

    def test_empty(self):
        for args in (["K"], ["--in-hexa", "K"], ["--out-hexa", "--in-hexa", "K"]):
            self.same(PROGRAMS, args, b"", 0, b"")
        self.same(PROGRAMS, ["--in-hexa", "K"], b"\n", 0, b"")

    def test_keys_that_look_like_options(self):
        for args, key in ((["-"], b"-"), (["--", "--in-hexa"], b"--in-hexa"), (["--", "--"], b"--")):
            self.same(PROGRAMS, args, b"text", 0, expected(key, b"text"))


OPTIONS = "there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa"
KEY_ONLY = "there is one KEY, given last, and the input is read from stdin"
NOT_ASCII = "the key has a byte that is not ASCII at offset {}; `arcfour crypt` takes keys of any bytes"
RANGE_N = "N is a whole number from 2 to 9223372036854775807"
RANGE_M = "M is a whole number from 1 to 18446744073709551615"
MISUSE = [
    ([], "no KEY; it is 1 to 256 ASCII characters, given last"),
    (["--"], "no KEY; it is 1 to 256 ASCII characters, given last"),
    (["--in-hexa"], "no KEY; it is 1 to 256 ASCII characters, given last"),
    ([""], "the key has 0 bytes; it must have 1 to 256"),
    (["k" * 257], "the key has 257 bytes; it must have 1 to 256"),
    (["k" * 100_000], "the key has 100000 bytes; it must have 1 to 256"),
    (["cl\u00e9"], NOT_ASCII.format(2)),
    ([b"\xff\xfe"], NOT_ASCII.format(0)),
    (["K", "--in-hexa"], "the option --in-hexa comes after the KEY; the KEY goes last"),
    (["--in-hexa=1", "K"], "unexpected value '1' for '--in-hexa' found; no more were expected"),
    (["--in-hexa", "--in-hexa", "K"], "the argument '--in-hexa' cannot be used multiple times"),
    (["--bench", "K"], "equal sign is needed when assigning values to '--bench=<N>'"),
    (["--bench=2", "--bench=3", "K"], "the argument '--bench=<N>' cannot be used multiple times"),
    (["--bench-loop=3", "K"], "--bench-loop=M needs --bench=N, the number of bytes to encrypt"),
]
for n in ("0", "1", "x", "", "+", "-5", "0x10", "5 ", "9223372036854775808", "99999999999999999999"):
    MISUSE.append(([f"--bench={n}", "K"], f"invalid value '{n}' for '--bench=<N>': {RANGE_N}"))
for n in ("0", "x", "1.5", "18446744073709551616", "36893488147419103232"):
    MISUSE.append(
        (["--bench=10", f"--bench-loop={n}", "K"], f"invalid value '{n}' for '--bench-loop=<M>': {RANGE_M}")
    )

# If a word may be part of a key, the Rust program prints its place and not the word. It alone has
# --help and --version.
NO_OPTION = (
    "there are --bench=N, --bench-loop=M, --in-hexa, --out-hexa, --help and --version, "
    "and a KEY that begins with a dash goes after --"
)
ONE_KEY = "there is one KEY, given last (quote it if it has spaces), and the input is read from stdin"
WORDS = [  # the arguments, what the ports say, what the Rust program says
    (["--foo", "K"], f"unknown option '--foo'; {OPTIONS}", f"argument 1 is not an option; {NO_OPTION}"),
    (["--foo=3", "K"], f"unknown option '--foo'; {OPTIONS}", f"argument 1 is not an option; {NO_OPTION}"),
    (["--ben=3", "K"], f"unknown option '--ben'; {OPTIONS}", f"argument 1 is not an option; {NO_OPTION}"),
    (["-x", "K"], f"unknown option '-x'; {OPTIONS}", f"argument 1 is not an option; {NO_OPTION}"),
    (["K", "L"], f"unexpected 'L' after the KEY; {KEY_ONLY}", f"more than one argument for the KEY; {ONE_KEY}"),
]

NO_DIGIT = "is not a hexadecimal digit; allowed are 0-9, a-f and A-F"
BEHIND = "comes after a line end; one is allowed, as the last of the input"
ODD = "the digits end in the middle of a byte; each byte has two"
BAD_HEXA = [  # the input, how many bytes are decoded before the fault, the fault
    (b"4", 0, f"offset 1: {ODD}"),
    (b"414\n", 1, f"offset 3: {ODD}"),
    (b"41" * 40_000 + b"4", 40_000, f"offset 80001: {ODD}"),
    (b"0x1f", 0, f"offset 1: 'x' {NO_DIGIT}"),
    (b"1f,10", 1, f"offset 2: ',' {NO_DIGIT}"),
    (b"1f 10", 1, f"offset 2: ' ' {NO_DIGIT}"),
    (b"41" * 40_000 + b"g", 40_000, f"offset 80000: 'g' {NO_DIGIT}"),
    (b"41\t", 1, f"offset 2: byte 0x09 {NO_DIGIT}"),
    (b"41'", 1, f"offset 2: ''' {NO_DIGIT}"),
    (b'41"', 1, f"offset 2: '\"' {NO_DIGIT}"),
    (b"41\\", 1, f"offset 2: '\\' {NO_DIGIT}"),
    (b"41\0", 1, f"offset 2: byte 0x00 {NO_DIGIT}"),
    (b"41\x7f", 1, f"offset 2: byte 0x7f {NO_DIGIT}"),
    (b"\xe9", 0, f"offset 0: byte 0xe9 {NO_DIGIT}"),
    (b"41\r", 1, f"offset 2: byte 0x0d {NO_DIGIT}"),
    (b"41\r42", 1, f"offset 2: byte 0x0d {NO_DIGIT}"),
    (b"41\n\n", 1, f"offset 3: byte 0x0a {BEHIND}"),
    (b"41\n42", 1, f"offset 3: '4' {BEHIND}"),
]


class Faults(Case):
    """Failures: the status, the message, and the output before the failure."""

    def test_misuse(self):
        for args, message in MISUSE:
            with self.subTest(args=args):
                self.same(PROGRAMS, args, b"", 2, b"", f"rc4: {message}\n{model.USAGE}")
        for args, ports, rust in WORDS:
            for name, program in PROGRAMS.items():
                message = rust if name == "rust" else ports
                with self.subTest(args=args):
                    self.same({name: program}, args, b"", 2, b"", f"rc4: {message}\n{model.USAGE}")

    def test_paper_version(self):
        for name, known in (("c", "V0, V1, V2, V3 and V4"), ("java", "V1, V2, V3 and V4")):
            message = f"rc4: --paper-version is one of {known}\n{model.USAGE}"
            for value in ("", "=", "=V", "=V5"):
                got = run(PROGRAMS[name], f"--paper-version{value}", "K")
                self.assertEqual(got, (2, b"", message))

    def test_bad_hexa(self):
        for text, length, message in BAD_HEXA:
            with self.subTest(text=text[-10:]):
                secret = expected(b"K", b"\x41" * length if text[:2] == b"41" else b"\x1f" * length)
                error = f"rc4: cannot decode the input: {message}\n"
                self.same(PROGRAMS, ["--in-hexa", "K"], text, 1, secret, error)

    def test_full_disk(self):
        def check(name, command):
            message = "rc4: cannot write standard output: No space left on device\n"
            with open("/dev/full", "wb") as full:
                for args in (["K"], ["--out-hexa", "K"], ["--bench=10", "K"]):
                    got = run(command, *args, stdin=b"text", stdout=full)
                    self.assertEqual(got, (1, None, message))

        self.each(PROGRAMS, check)

    def test_short_write(self):
        """Writes to a file with a limited size: exactly the limit, then the error."""
        text = bytes(200_000)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

        for name, command in PROGRAMS.items():
            with self.subTest(program=name), tempfile.TemporaryFile() as file:
                # Signals as in this process: with SIGXFSZ ignored the write fails.
                got = run(command, "K", stdin=text, stdout=file, preexec_fn=limit, restore_signals=False)
                message = "rc4: cannot write standard output: File too large\n"
                self.assertEqual(got, (1, None, message))
                file.seek(0)
                self.assertEqual(file.read(), expected(b"K", text)[:100_000])

    def test_read_error(self):
        def check(name, command):
            with open("/dev/null", "wb") as write_only:
                message = "rc4: cannot read standard input: Bad file descriptor\n"
                self.assertEqual(run(command, "K", stdin=write_only), (1, b"", message))
            if name != "python":  # its interpreter refuses a directory before the program starts
                folder = os.open("/", os.O_RDONLY)
                message = "rc4: cannot read standard input: Is a directory\n"
                self.assertEqual(run(command, "K", stdin=folder), (1, b"", message))
                os.close(folder)

        self.each(PROGRAMS, check)

    def test_same_file(self):
        def check(name, command):
            message = (
                "rc4: the output standard output is the input standard input; choose another output\n"
            )
            with tempfile.NamedTemporaryFile() as file:
                file.write(b"text")
                file.flush()
                with open(file.name, "rb") as source, open(file.name, "ab") as sink:
                    got = run(command, "K", stdin=source, stdout=sink)
                self.assertEqual(got, (2, None, message + model.USAGE))
                self.assertEqual(Path(file.name).read_bytes(), b"text")

        self.each(PROGRAMS, check)

    def test_closed_pipe(self, **more):
        def check(name, command):
            with open("/dev/zero", "rb") as zeros:
                process = subprocess.Popen(
                    [*command, "K"],
                    stdin=zeros,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    **more,
                )
            self.assertEqual(process.stdout.read(10), expected(b"K", bytes(10)))
            process.stdout.close()
            self.assertEqual((process.wait(60), process.stderr.read()), (0, b""))
            process.stderr.close()

        self.each(PROGRAMS, check)

    @unittest.skipUnless(TRANSLATED.exists(), "needs the Debian package libc-l10n")
    def test_closed_pipe_in_turkish(self):
        """The system's messages are translated."""
        self.test_closed_pipe(env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": "tr"})

    def test_no_memory(self):
        def check(name, command):
            n = 10**17
            message = f"rc4: --bench={n}: not enough memory for this many bytes\n"
            self.assertEqual(run(command, f"--bench={n}", "K"), (1, b"", message))

        self.each(PROGRAMS, check)


def unread(pipe):
    """Returns the number of unread bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


class Streams(Case):
    def wait(self, condition):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.001)

    def test_interrupted(self):
        """Stops a program in the middle of a write, which is short; the rest follows later."""
        text = random.Random(5).randbytes(300_000)

        def check(name, command):
            with tempfile.TemporaryFile() as file:
                file.write(text)
                file.seek(0)
                end, stdout = os.pipe()
                size = fcntl.fcntl(end, F_SETPIPE_SZ, 4096)
                process = subprocess.Popen([*command, "K"], stdin=file, stdout=stdout)
                os.close(stdout)
            with open(end, "rb", buffering=0) as output:
                try:
                    got = b""
                    for _ in range(20):
                        self.wait(lambda: unread(output) == size)
                        process.send_signal(signal.SIGSTOP)
                        process.send_signal(signal.SIGCONT)
                        got += output.read(size)
                    got += output.readall()
                    self.assertEqual((process.wait(30), got), (0, expected(b"K", text)))
                finally:
                    process.kill()
                    process.wait()

        self.each(PROGRAMS, check)

    def test_starts_at_once(self):
        """Reads a byte for each byte written, while the input stays open; also in hexadecimal."""

        def check(name, command):
            secret = expected(b"K", b"abcd")
            first, second = (b"%02x" % byte for byte in secret[:2])
            for args, steps in (
                (["K"], [(b"a", secret[:1]), (b"b", secret[1:2]), (b"cd", secret[2:])]),
                (["--in-hexa", "--out-hexa", "K"], [(b"61", first), (b"6", b""), (b"2", second)]),
            ):
                process = subprocess.Popen(
                    [*command, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
                for piece, want in steps:
                    process.stdin.write(piece)
                    process.stdin.flush()
                    self.wait(lambda: unread(process.stdin) == 0)
                    got = b""
                    while len(got) < len(want):
                        ready = select.select([process.stdout], [], [], 30)[0]
                        self.assertTrue(ready, "nothing came out")
                        got += os.read(process.stdout.fileno(), 100)
                    self.assertEqual(got, want)
                self.assertEqual(process.communicate(timeout=30)[0], b"")
                self.assertEqual(process.returncode, 0)

        self.each(PROGRAMS, check)

    def peak(self, command, megabytes):
        """Returns the peak memory in KiB of a program that encrypts `megabytes` megabytes."""
        block = bytes(1_000_000)
        process = subprocess.Popen([*command, "K"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with ThreadPoolExecutor(1) as pool:
            count = pool.submit(lambda: sum(iter(lambda: len(process.stdout.read1(1 << 20)), 0)))
            for _ in range(megabytes):
                process.stdin.write(block)
            process.stdin.flush()
            status = Path(f"/proc/{process.pid}/status").read_text()
            process.stdin.close()
            self.assertEqual(count.result(), megabytes * len(block))
        self.assertEqual(process.wait(), 0)
        process.stdout.close()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))

    def test_constant_memory(self):
        for name in ("c", "asm"):
            with self.subTest(program=name):
                self.assertLess(self.peak(PROGRAMS[name], 100), 4096)
        for name in ("perl", "python"):
            with self.subTest(program=name):
                self.assertLess(self.peak(PROGRAMS[name], 12), self.peak(PROGRAMS[name], 1) + 4096)
        with self.subTest(program="java"):  # in a heap of a tenth of the input
            java = ["java", "-Xmx10m", *JAVA[-3:]]
            self.assertLess(self.peak(java, 100), self.peak(java, 1) + 40_000)

    def test_terminal(self):
        """Expects a line end after the digits on a terminal."""

        def check(name, command):
            main, terminal = pty.openpty()
            status, _, stderr = run(command, "--out-hexa", "Quentin", stdin=b"Baptiste", stdout=terminal)
            os.close(terminal)
            self.assertEqual((status, stderr), (0, ""))
            shown = b""
            with suppress(OSError):  # Linux reports a terminal that no program has open as an error
                while piece := os.read(main, 100):  # one read may return less than the program wrote
                    shown += piece
            os.close(main)
            self.assertEqual(shown, b"b07ce1f8d34cb924\r\n")

        self.each(PROGRAMS, check)


NOISY = "rc4: the core was not quiet or changed its clock; repeat for better figures\n"


class Bench(Case):
    def test_output(self):
        """Expects the same two lines from all, with consistent figures."""

        def check(name, command):
            for n, m in ((2, None), (1000, 1), (1000, 2), (100_000, 3)):
                args = [f"--bench={n}"] + ([f"--bench-loop={m}"] if m else [])
                status, stdout, stderr = run(command, *args, "K")
                # The Rust program also warns of a busy machine, which the ports do not.
                if name == "rust" and stderr == NOISY:
                    stderr = ""
                self.assertEqual((status, stderr), (0, ""))
                lines = rb"encryption time = (\d+\.\d{3}) us\nthroughput      = (\d+\.\d) MB/s\n"
                match = re.match(lines, stdout)
                self.assertTrue(match, stdout)
                time, rate = map(float, match.groups())
                self.assertGreater(time, 0)
                self.assertAlmostEqual(rate, n / time, delta=0.06 + rate * 0.001 / time)

        self.each(PROGRAMS | VERSIONS, check)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
