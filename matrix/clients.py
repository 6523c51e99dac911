"""Programs of others that test their RC4, with ours in its place."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import debian
from row import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
ROOT = HERE.parent
CRATE = "0.2.0"
NPM = ("arc4@3.4.0", "crypto-js@4.2.0")


def rows(programs: Path, provider: Path, *, quick: bool) -> Iterator[Row]:
    """Run every program, or those that the Python tests have installed."""
    for folder, package in (("Crypto", "pycryptodome"), ("Cryptodome", "pycryptodomex")):
        words = [sys.executable, str(HERE / "selftest.py"), folder]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        run, failed = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else (0, 1)
        name = f"{package} {metadata.version(package)}"
        yield Row("Python, `arcfour.ARC4`", "`SelfTest`", name, run, failed)
    if quick:
        return
    for package, name, file in (
        ("openssl", "OpenSSL", "test/rc4test.c"),
        ("libtomcrypt", "LibTomCrypt", "src/stream/rc4/rc4_test.c"),
    ):
        version, sources = debian.source(package)
        run, failed = in_c(programs, package, sources / file)
        tests = f"`{Path(file).name}`"
        yield Row("C, `RC4` of libarcfour", tests, f"{name} {version}", run, failed)
    version, sources = debian.source("openssl")
    yield Row("OpenSSL provider, EVP", "`evp_test`", f"OpenSSL {version}", *evp_test(provider, sources))
    yield Row("Rust, the crate `arcfour`", "`tests/lib.rs`", f"the crate rc4 {CRATE}", *in_rust())
    for package, (run, failed) in in_javascript().items():
        yield Row("npm, `ARC4`", "every key length, beside it", package, run, failed)


def evp_test(provider: Path, sources: Path) -> tuple[int, int]:
    """Compile OpenSSL's evp_test for the system's libcrypto, and run its file of RC4 on our provider."""
    program, config = debian.OUT / "evp_test", debian.OUT / "evp_test.cnf"
    words = ["cc", "-w", *(f"-I{folder}" for folder in ("include", ".", "apps/include", "test"))]
    # evp_test replaces two functions of the framework.
    words += ["-DOPENSSL_SUPPRESS_DEPRECATED", "-Wl,--allow-multiple-definition", "-o", str(program), "test/evp_test.c"]
    words += [*sorted(map(str, sources.glob("test/testutil/*.c"))), "apps/lib/opt.c", "-lssl", "-lcrypto"]
    subprocess.run(words, cwd=sources, check=True)
    # The file asks for a provider of this name.
    config.write_text(
        "openssl_conf = init\n[init]\nproviders = providers\n[providers]\nlegacy = ours\n"
        f"[ours]\nmodule = {provider / 'arcfour-provider.so'}\nactivate = 1\n"
    )
    words = [str(program), "-config", str(config), "test/recipes/30-test_evp_data/evpciph_rc4.txt"]
    done = subprocess.run(words, cwd=sources, capture_output=True, text=True, check=False)
    counts = re.search(r"Completed (\d+) tests with (\d+) errors and (\d+) skipped", done.stdout + done.stderr)
    if counts is None:
        return 0, 1
    run, failed, skipped = map(int, counts.groups())
    return run + skipped, failed + skipped


def in_c(programs: Path, package: str, file: Path) -> tuple[int, int]:
    """Compile a test as it is, from standard input: what it includes lies in shims/, not beside it."""
    program, shims = debian.OUT / package, HERE / "shims" / package
    words = ["cc", "-I", str(shims), "-I", str(ROOT / "capi/include/arcfour"), "-o", str(program)]
    words += ["-DOPENSSL_SUPPRESS_DEPRECATED", str(shims / "main.c"), "-x", "c", "-", "-x", "none"]
    words += [str(programs / "libarcfour.a"), "-lcrypto", "-lpthread", "-lm", "-ldl"]
    subprocess.run(words, cwd=shims, input=file.read_bytes(), check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    run, failed = done.stdout.split()
    return int(run), int(failed)


CARGO = """\
[workspace]
[package]
name = "matrix"
version = "0.0.0"
edition = "2024"
[dependencies]
rc4 = {{ package = "arcfour", path = "{cipher}", default-features = false }}
theirs = {{ package = "rc4", version = "={version}" }}
[dev-dependencies]
hex-literal = "=1.0.0"
"""


def in_rust() -> tuple[int, int]:
    """Compile the tests of the crate `rc4` with a dependency of that name which is ours."""
    folder = debian.OUT / "rust"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "src/lib.rs").write_text("")
    (folder / "Cargo.toml").write_text(CARGO.format(cipher=ROOT / "cipher", version=CRATE))
    shutil.copy(ROOT / "Cargo.lock", folder)
    about = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version=1"], cwd=folder))
    (theirs,) = (found for found in about["packages"] if found["name"] == "rc4")
    shutil.copy(Path(theirs["manifest_path"]).parent / "tests/lib.rs", folder / "tests")
    words = ["cargo", "test", "--test", "lib", "--target-dir", str(folder / "target")]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    counts = re.search(r"(\d+) passed; (\d+) failed", done.stdout)
    if counts is None:
        return 0, 1
    passed, failed = map(int, counts.groups())
    return passed + failed, failed


def in_javascript() -> dict[str, tuple[int, int]]:
    """Install our packed package beside theirs in an empty project, and compare them there."""
    folder = debian.OUT / "npm"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    words = ["npm", "pack", "--silent", "--pack-destination", str(folder)]
    subprocess.run(words, cwd=ROOT / "page/arcfour", check=True, stdout=sys.stderr)
    (packed,) = folder.glob("*.tgz")
    words = ["npm", "install", "--silent", "--ignore-scripts", f"./{packed.name}", *NPM]
    subprocess.run(words, cwd=folder, check=True, stdout=sys.stderr)
    shutil.copy(HERE / "compare.mjs", folder)
    words = ["node", "compare.mjs", str(ROOT / "vectors")]
    return {
        package: (run, failed)
        for package, run, failed in json.loads(
            subprocess.check_output(words, cwd=folder, text=True)
        )
    }
