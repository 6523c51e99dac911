#!/usr/bin/env python3
"""Compares the second implementation with the first: test_reader.py PATH-OF-ARCFOUR

reader.py must give every verdict of testkit/expected.txt, as `arcfour open` does on the command
line, and open what `arcfour seal` wrote.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
KIT = HERE / "testkit"
READER = [sys.executable, str(HERE / "reader.py")]
failures = []


def check(name, found, expected):
    if found != expected:
        failures.append(name)
        print(f"{name}:\n  expected {expected}\n  found    {found}")


def plaintext(length):
    return bytes(n % 251 for n in range(length))


def option(key):
    return ["--passphrase-file" if "passphrase" in key.name else "--key-file", str(key)]


def opened(command):
    """The exit code, the verdict and the plaintext."""
    run = subprocess.run(command, capture_output=True)
    message = run.stderr.decode()
    verdict = message.split(": ")[1] if message.startswith("reader.py: ") else message or "ok"
    return run.returncode, verdict, run.stdout


def testkit(arcfour):
    rows = 0
    for line in (KIT / "expected.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, key, verdict, released = line.split()
        file, key = str(KIT / f"{name}.sealed"), option(KIT / key)
        code = int(verdict != "ok")
        expected = code, verdict, plaintext(int(released))
        check(f"reader.py {name}", opened([*READER, *key, file]), expected)
        code, _, text = opened([arcfour, "open", *key, file])
        check(f"arcfour open {name}", (code, text), (expected[0], expected[2]))
        rows += 1
    check("files in the kit", len(list(KIT.glob("*.sealed"))), rows)
    return rows


def sealed(arcfour, folder):
    key, phrase = folder / "key", folder / "passphrase"
    subprocess.run([arcfour, "keygen", "-o", key], check=True)
    phrase.write_text("Ångström\n")
    lengths = [0, 1, 1023, 1024, 1025, 2048, 5 * 1024, 5 * 1024 + 1, 30_000]
    files = [(n, key, "1KiB", "rc4-drop3072") for n in lengths] + [
        (100, phrase, "256KiB", "rc4-drop3072"),
        (300_000, key, "256KiB", "rc4-drop3072"),
        (100_000, key, "32KiB", "parc4r"),
        (300_000, key, "256KiB", "parc4r"),
    ]
    for length, secret, size, cipher in files:
        (folder / "in").write_bytes(plaintext(length))
        command = [arcfour, "seal", *option(secret), "--chunk-size", size, "--force"]
        command += ["--cipher", cipher]
        subprocess.run([*command, folder / "in", "-o", folder / "out"], check=True)
        found = opened([*READER, *option(secret), str(folder / "out")])
        check(f"{length} bytes by {cipher}", found, (0, "ok", plaintext(length)))
    return len(files)


def main():
    arcfour = sys.argv[1]
    rows = testkit(arcfour)
    with tempfile.TemporaryDirectory() as folder:
        files = sealed(arcfour, pathlib.Path(folder))
    print(f"two readers, {rows} files of the kit, {files} files sealed: {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
