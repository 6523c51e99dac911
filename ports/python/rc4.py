#!/usr/bin/env python3
"""rc4: encrypt or decrypt a text with RC4. The program of Galvane & Uzel (2012) in Python.

    printf Baptiste | python3 rc4.py --out-hexa Quentin

RC4 is broken: use it to read old data and to study it, never to protect anything new.

Unlike the paper's, this program reads and writes a block at a time. It starts at once and its
memory does not grow with the input.

As a module it is the model for other implementations: `ksa` and `RC4`, for a table of 256 cells or
of any other size.
"""

import os
import re
import signal
import stat
import sys
import time

N = 256
KEY_MAX = 256
BLOCK = 65536

USAGE = """\
Usage: rc4 [OPTION]... KEY
Encrypt or decrypt a plain/cipher text using the RC4 algorithm
The input text will be read from stdin and en/decrypted using the key KEY
  --bench=N        benchmark mode, encrypts N random bytes
  --bench-loop=M   the encryption will be run M times, default is 1
  --in-hexa        input text will be interpreted as hexa, default is raw
  --out-hexa       output text will be written in hexa, default is raw
"""

# ---- The cipher ---------------------------------------------------------------------------------


def ksa(key, n=N):
    """The key-scheduling algorithm: the permutation of `n` cells that `key` makes.

    `key` is any sequence of whole numbers; all arithmetic is modulo `n`.
    """
    S = list(range(n))
    j = 0
    for i in range(n):
        j = (j + S[i] + key[i % len(key)]) % n
        S[i], S[j] = S[j], S[i]
    return S


class RC4:
    """The state of one stream: the permutation `S` of `n` cells and the two indexes `i` and `j`."""

    def __init__(self, key, n=N):
        self.S = ksa(key, n)
        self.i = self.j = 0

    def prga(self):
        """The pseudo-random generation algorithm: returns the next word of keystream, below n."""
        S, n = self.S, len(self.S)
        self.i = (self.i + 1) % n
        self.j = (self.j + S[self.i]) % n
        S[self.i], S[self.j] = S[self.j], S[self.i]
        return S[(S[self.i] + S[self.j]) % n]

    def crypt(self, text):
        """Encrypts or decrypts the bytes `text`, with a table of 256 cells.

        As `prga`, with the state in local variables, which Python reaches faster than attributes.
        """
        S, i, j = self.S, self.i, self.j
        out = bytearray(text)
        for k, byte in enumerate(text):
            i = (i + 1) & 255
            x = S[i]
            j = (j + x) & 255
            y = S[j]
            S[i] = y
            S[j] = x
            out[k] = byte ^ S[(x + y) & 255]
        self.i, self.j = i, j
        return out

    def wipe(self):
        """Overwrites the state."""
        self.S[:] = [0] * len(self.S)
        self.i = self.j = 0


# ---- The end of the program ---------------------------------------------------------------------


class End(BaseException):
    """Ends the program with a status, from the place where it is raised.

    The key cannot be wiped, because Python's strings and bytes never change. The state is wiped.
    """


def fail(status, message):
    """Prints a line on stderr, for status 2 also the usage text, and ends the program."""
    text = f"rc4: {message}\n" + (USAGE if status == 2 else "")
    try:
        os.write(2, os.fsencode(text))
    except OSError:
        pass
    raise End(status)


# ---- Input and output ---------------------------------------------------------------------------


def read_some(size):
    """Reads at most `size` bytes. Returns none at the end of the input."""
    try:
        return os.read(0, size)
    except OSError as error:
        fail(1, f"cannot read standard input: {error.strerror}")


def write_all(data):
    """Writes all bytes. If the reader has closed the pipe, the program ends with status 0."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except BrokenPipeError:
        raise End(0) from None
    except OSError as error:
        fail(1, f"cannot write standard output: {error.strerror}")


class Hex:
    """The state of the hexadecimal reader between two blocks."""

    NO_DIGIT = "is not a hexadecimal digit; allowed are 0-9, a-f and A-F"
    BEHIND = "comes after a line end; one is allowed, as the last of the input"

    def __init__(self):
        self.offset = 0  # of the next character of the input
        self.digits = 0  # digits read: if odd, the last one is in `high`
        self.high = 0
        self.line_end = ""  # "\r" or "\n", if that was the last character

    @staticmethod
    def error(offset, c, what):
        """The error for an invalid character at `offset`."""
        shown = f"'{c}'" if " " <= c <= "~" else f"byte 0x{ord(c):02x}"
        return f"offset {offset}: {shown} {what}"

    def decode(self, text):
        """The bytes that the characters make, and None or the error that stopped it early.

        One line end, LF or CR LF, may close the input.
        """
        out = bytearray()
        for c in text.decode("latin-1"):
            if self.line_end == "\n":
                return out, self.error(self.offset, c, self.BEHIND)
            if self.line_end == "\r" and c != "\n":
                return out, self.error(self.offset - 1, "\r", self.NO_DIGIT)
            if c in "\r\n":
                self.line_end = c
            elif c not in "0123456789abcdefABCDEF":
                return out, self.error(self.offset, c, self.NO_DIGIT)
            elif self.digits % 2 == 0:
                self.high = int(c, 16) << 4
                self.digits += 1
            else:
                out.append(self.high | int(c, 16))
                self.digits += 1
            self.offset += 1
        return out, None

    def end(self):
        """Returns the error in an input that has ended, or None."""
        if self.line_end == "\r":
            return self.error(self.offset - 1, "\r", self.NO_DIGIT)
        if self.digits % 2 == 0:
            return None
        return f"offset {self.digits}: the digits end in the middle of a byte; each byte has two"


# ---- The two modes ------------------------------------------------------------------------------


def filter_stream(cipher, in_hexa, out_hexa):
    """Standard mode: stdin to stdout, block by block, until the input ends."""
    # If a program reads a file and appends to it, it never reaches the end.
    try:
        source, sink = os.fstat(0), os.fstat(1)
        same = stat.S_ISREG(source.st_mode) and os.path.samestat(source, sink)
    except OSError:
        same = False  # one is closed: the read or the write will fail
    if same:
        fail(2, "the output standard output is the input standard input; choose another output")

    hexa = Hex()
    error = None
    while text := read_some(BLOCK):
        if in_hexa:
            text, error = hexa.decode(text)
        text = cipher.crypt(text)
        write_all(text.hex().encode() if out_hexa else text)
        if error:
            break
    error = error or hexa.end()
    if error:
        fail(1, f"cannot decode the input: {error}")
    if out_hexa and os.isatty(1):
        write_all(b"\n")


def bench(key, length, loop):
    """Benchmark mode: `length` random bytes, key schedule and encryption, `loop` times."""
    try:
        plain = os.urandom(length)
    except (MemoryError, OverflowError):
        fail(1, f"--bench={length}: not enough memory for this many bytes")

    start = time.monotonic_ns()
    for _ in range(loop):
        text = RC4(key).crypt(plain)
    elapsed = max(time.monotonic_ns() - start, 1)

    # Checks the result before it prints a time.
    cipher = RC4(key)
    for k in range(min(length, BLOCK)):
        if text[k] != plain[k] ^ cipher.prga():
            fail(1, f"the benchmark's output is wrong at byte {k}")

    average, rate = elapsed / 1e3 / loop, length * 1e3 * loop / elapsed
    write_all(f"encryption time = {average:.3f} us\nthroughput      = {rate:.1f} MB/s\n".encode())


# ---- The command line ---------------------------------------------------------------------------


class Args:
    """The values of the arguments."""

    def __init__(self):
        self.in_hexa = self.out_hexa = False
        self.bench = self.bench_loop = 0  # 0: not given
        self.key = None


def flag(name, value, given):
    """Returns True for an option without a value."""
    if value is not None:
        fail(2, f"unexpected value '{value}' for '{name}' found; no more were expected")
    if given:
        fail(2, f"the argument '{name}' cannot be used multiple times")
    return True


def number(name, letter, value, low, high, given):
    """Returns the number of an option. `letter` is the name of the number in the usage text."""
    shown = f"{name}=<{letter}>"
    if value is None:
        fail(2, f"equal sign is needed when assigning values to '{shown}'")
    if given:
        fail(2, f"the argument '{shown}' cannot be used multiple times")
    if not re.fullmatch(r"\+?[0-9]+", value) or not low <= int(value) <= high:
        what = f"{letter} is a whole number from {low} to {high}"
        fail(2, f"invalid value '{value}' for '{shown}': {what}")
    return int(value)


def option(args, argument):
    """Takes an option: its name, and its value after the equal sign if there is one."""
    name, equal, value = argument.partition("=")
    if not equal:
        value = None
    if args.key is not None:
        fail(2, f"the option {name} comes after the KEY; the KEY goes last")
    if name == "--bench":
        args.bench = number(name, "N", value, 2, 2**63 - 1, args.bench)
    elif name == "--bench-loop":
        args.bench_loop = number(name, "M", value, 1, 2**64 - 1, args.bench_loop)
    elif name == "--in-hexa":
        args.in_hexa = flag(name, value, args.in_hexa)
    elif name == "--out-hexa":
        args.out_hexa = flag(name, value, args.out_hexa)
    else:
        known = "there are --bench=N, --bench-loop=M, --in-hexa and --out-hexa"
        fail(2, f"unknown option '{name}'; {known}")


def take_key(args, argument):
    """Takes the key, the only argument that is not an option."""
    if args.key is not None:
        only = "there is one KEY, given last, and the input is read from stdin"
        fail(2, f"unexpected '{argument}' after the KEY; {only}")
    if not argument.isascii():
        offset = next(k for k, c in enumerate(argument) if not c.isascii())
        more = "`arcfour crypt` takes keys of any bytes"
        fail(2, f"the key has a byte that is not ASCII at offset {offset}; {more}")
    if not 1 <= len(argument) <= KEY_MAX:
        fail(2, f"the key has {len(argument)} bytes; it must have 1 to 256")
    args.key = argument.encode()


def main(arguments):
    args = Args()
    options = True
    for argument in arguments:
        if options and argument == "--":
            options = False
        elif options and argument.startswith("-") and argument != "-":
            option(args, argument)
        else:
            take_key(args, argument)
    if args.key is None:
        fail(2, "no KEY; it is 1 to 256 ASCII characters, given last")
    if args.bench_loop and not args.bench:
        fail(2, "--bench-loop=M needs --bench=N, the number of bytes to encrypt")

    if args.bench:
        bench(args.key, args.bench, args.bench_loop or 1)
    else:
        cipher = RC4(args.key)
        try:
            filter_stream(cipher, args.in_hexa, args.out_hexa)
        finally:
            cipher.wipe()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback for Ctrl-C, like other filters
    try:
        main(sys.argv[1:])
    except End as end:
        sys.exit(end.args[0])
