"""Our numbers beside the paper's, for reading."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd

from lab.model import Table
from lab.processes import cycles, speeds
from lab.results import Results
from lab.shapes import recorded, wide
from lab.singhal2011.measure import BYTE_PATH, CHACHA, LEVELS, RC4, cost

PAPERS = ("AES-ECB", "AES-CBC", "AES-CFB")  # the modes of the paper
COLUMNS = {"AES instructions": "with AES instructions", "no AES instructions": "without them", "tables": "by lookup tables"}


GRID = ("times-aes", "times-no-aes", "times-tables")


def grid(results: Results) -> pd.DataFrame:
    """The times on every level."""
    return pd.concat([results[name] for name in GRID], ignore_index=True)


def size_name(kb: int) -> str:
    """`100 KB`, `5 MB`: as the paper writes sizes."""
    return f"{kb} KB" if kb < 1024 else f"{kb // 1024} MB"


def by_level(table: pd.DataFrame, index: list[str], value: str, unit: str) -> pd.DataFrame:
    """A column for each level."""
    return wide(table, index, "level", value, lambda level: f"{COLUMNS[level]} ({unit})").reset_index()


def times(results: Results, way: str, claim: str) -> pd.DataFrame:
    """Table I or II: each cipher at each size, the paper's milliseconds and ours."""
    ours = grid(results).query("key_bits == 128")
    ours = ours[ours.cipher.isin((*RC4, BYTE_PATH, *PAPERS))]
    table = by_level(ours, ["size_kb", "cipher"], f"{way}_ms", "ms")
    printed = results.paper(claim).set_index("size_kb")
    table.insert(2, "paper (ms)", [printed[cipher.partition(" ")[0]][kb] for kb, cipher in zip(table.size_kb, table.cipher, strict=True)])
    table.insert(0, "file", table.pop("size_kb").map(size_name))
    return table


def keys(results: Results) -> pd.DataFrame:
    """Graphs 3 to 6: the largest file with each key."""
    ours = grid(results)
    ours = ours[(ours.size_kb == ours.size_kb.max()) & ours.cipher.isin((*RC4, *PAPERS)) & (ours.level != "no AES instructions")]
    ghz = {level: results.record(name).ghz or math.nan for level, name in zip(LEVELS, GRID, strict=True)}
    rows = [{"cipher": row.cipher, "key (bits)": row.key_bits, "AES": COLUMNS[row.level],
             "encryption (ms)": row.encrypt_ms, "decryption (ms)": row.decrypt_ms,
             **{f"{what} (cycles/byte)": ms * 1e6 / 1024 / row.size_kb * ghz[row.level] for what, ms in (("encryption", row.encrypt_ms), ("decryption", row.decrypt_ms))},
             "encryption (KB/s)": 1e3 * row.size_kb / row.encrypt_ms, "decryption (KB/s)": 1e3 * row.size_kb / row.decrypt_ms}
            for row in ours.itertuples()]
    return pd.DataFrame(rows)


def processes(results: Results) -> pd.DataFrame:
    """RC4 in cycles, process by process: at all sizes and keys, and under the conditions that could make a second speed."""
    sizes = pd.concat([cycles(results, name, lambda _, printed: cost(printed)) for name in GRID])
    few = cycles(results, "speeds", lambda _, printed: cost(printed))
    return speeds({f"{cipher}, all sizes": sizes.cycles[[cell[1] == cipher for cell in sizes.cell]] for cipher in (*RC4, BYTE_PATH)}
                  | {", ".join(cell): costs.cycles for cell, costs in few.groupby("cell", sort=False)})


def today(results: Results) -> pd.DataFrame:
    """Every cipher with its shortest and longest key, on 1 MB: in the cache, so that the cipher is what counts."""
    ours = grid(results).query("size_kb == 1024 and key_bits != 192").assign(mb_per_s=lambda t: t.size_kb * 1.024 / t.encrypt_ms)
    table = by_level(ours, ["cipher", "key_bits"], "mb_per_s", "MB/s")
    table["against Arcfour's RC4"] = table.iloc[:, 2] / table.iloc[0, 2]
    # The masks hide AES's instructions. ChaCha20 keeps its vector instructions, including AVX-512,
    # at every level.
    table["cipher"] = table.cipher.replace({name: f"{name} (vectors at every level)" for name in CHACHA})
    return table.rename(columns={"key_bits": "key (bits)"})


def memory(results: Results) -> pd.DataFrame:
    """Graph 7: the memory of a process of each cipher, and of its state."""
    ours, rows = results["memory"], ["cipher", "key_bits", "state_bytes"]
    table = wide(ours, rows, "size_kb", "whole_kib", lambda kb: f"holding {size_name(kb)} (KiB)")
    table["in pieces, any size (KiB)"] = ours.groupby(rows)["pieces_kib"].max()
    return table.reset_index().rename(columns={"key_bits": "key (bits)", "state_bytes": "state (bytes)"})


def kinds(results: Results) -> pd.DataFrame:
    """The time per byte on each kind of content."""
    table = wide(results["kinds"], "cipher", "content", "encrypt_ns_per_byte", "{} (ns/byte)")
    table["largest difference (%)"] = 100 * (table.max(axis=1) / table.min(axis=1) - 1)
    return table.reset_index()


MASKS = {"openssl_sees": "what OpenSSL sees", "aes_bit": "AES bit", "ssse3_bit": "SSSE3 bit", "mask": "OPENSSL_ia32cap", "aes128_ecb_mb_per_s": "AES-128-ECB (MB/s)"}
LEAK = {"blocks": "blocks of 16 bytes", "distinct_blocks": "different ones", "entropy_bits_per_byte": "entropy (bits/byte)"}
OPERATIONS = {"instructions_per_byte": "instructions per byte"}
ENERGY = {"key_bits": "key (bits)", "joules_per_gb": "energy (J/GB)", "cpu_s_per_gb": "CPU time (s/GB)"}


TABLES = (
    Table("table-1", "Encryption time, AES with keys of 128 bits", partial(times, way="encrypt", claim="table-1"), ("table-1", "graph-1")),
    Table("table-2", "Decryption time, AES with keys of 128 bits", partial(times, way="decrypt", claim="table-2"), ("table-2", "graph-2")),
    Table("keys", "Time and throughput by key size, largest file", keys, ("graph-3", "graph-4", "graph-5", "graph-6")),
    Table("processes", "Cycles a byte of RC4, process by process", processes, ("table-1", "table-2")),
    Table("memory", "Memory", memory, ("graph-7",)),
    Table("today", "Throughput of everything one might choose, 1 MB", today, ("conclusion",)),
    Table("masks", "The masks take effect", recorded("masks", names=MASKS), ("table-1", "table-2")),
    Table("operations", "Machine operations per byte", recorded("operations", names=OPERATIONS, more={"paper": "8 to 16"}), ("operations",)),
    Table("energy", "Energy", recorded("energy", ["counter"], ENERGY), ("energy",)),
    Table("kinds", "Text, sound, pictures and film", kinds, ("future-work",)),
    Table("media", "Compressed sound and film", recorded("media"), ("compressed-media",)),
    Table("own-file", "A file of your own", recorded("own-file"), ("conclusion",)),
    Table("leak", "What is left of a picture", recorded("leak", ["png_base64"], LEAK), ("conclusion",)),
)
