# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_axil, rc4_wb and rc4_search_axil: the cores and the key search behind registers."""

import re
import subprocess
import sys

import pytest
from simulate import HARDWARE, few, shapes, simulate
from test_refusals import mutated

# The entity, core, bytes a clock, bytes of the longest key, words that wait, pipelined Wishbone
SHAPES = [("rc4_axil", "bram", 1, 16, 8, 0), ("rc4_wb", "unroll", 4, 5, 3, 0)]
OF_QUICK = {"rc4_axil": None, "rc4_wb": ["data", "pace", "key_in_words", "access_given_up"]}  # what depends on the bus most
FULL = [
    ("rc4_wb", "unroll", 2, 5, 2, 1),
    ("rc4_axil", "unroll", 2, 5, 1, 0),
    ("rc4_axil", "spec", 4, 16, 16, 0),
    ("rc4_axil", "pipe", 1, 16, 8, 0),
    ("rc4_axil", "still", 2, 16, 8, 0),
    ("rc4_wb", "spec", 2, 5, 4, 0),
    ("rc4_wb", "bram", 1, 256, 255, 1),
    ("rc4_wb", "bram", 1, 5, 2, 1),
    ("rc4_wb", "bram", 1, 1, 8, 0),
]


@pytest.mark.parametrize("entity, core, k, key_bytes, words, pipelined", shapes(SHAPES, FULL))
def test_bus(entity, core, k, key_bytes, words, pipelined, keys):
    generics = {"CORE": core, "K": k, "KEY_BYTES": key_bytes, "WORDS": words}
    tests = OF_QUICK[entity] if few(keys) else None
    simulate(entity, "registers", generics, tests, n=256, pipelined=pipelined, rounds=1 if few(keys) or words > 99 else 8)


# What software would notice late, or never: the file, the text, what stands there instead, and a test that finds it.
MUTATIONS = [
    ("rc4_regs.vhd", """elsif write_i = '1' and key_keep /= "0000" then""", "elsif false then", "data"),
]
MUTATIONS_FULL = [
    ("rc4_regs.vhd", "rst_i => rst_i or wipe or stop", "rst_i => rst_i", "wipes"),
    ("rc4_axil_port.vhd", "strobe_o       <= s_axil_wstrb;", 'strobe_o       <= "1111";', "data"),
    ("rc4_regs.vhd", "aresetn => not (rst_i or stop)", "aresetn => not rst_i", "wipes"),
    ("rc4_regs.vhd", "elsif write_i = '1' and in_beats /= 0 then", "elsif false then", "wrong_use"),
    ("rc4_regs.vhd", "          claims   := claims + 1;\n", "", "wrong_use"),
    ("rc4_regs.vhd", "if write_i = '1' and key_wanted = '0' then", "if false then", "wrong_use"),
    ("rc4_regs.vhd", "key_left(2 downto 0) > ones(key_keep)", "key_left(2 downto 0) /= 0", "key_in_words"),
    ("rc4_regs.vhd", """if write_i = '1' and key_keep /= "0000" then\n        ready_o""", "if false then\n        ready_o", "key_in_words"),
    ("rc4_wb.vhd", "ack_o   <= ack and cyc_i and stb_i;", "ack_o   <= ack;", "access_given_up"),
    ("rc4_regs.vhd", "if key_last = '1' then", "if false then", "rfc6229"),
    ("rc4_regs.vhd", "and unsigned(data_i(8 downto 0)) <= KEY_BYTES else", "else", "wrong_use"),
    ("rc4_regs.vhd", "unsigned(data_i(31 downto 9)) = 0", "true", "edges"),
    ("rc4_regs.vhd", "and unsigned(data_i(31 downto 16)) = 0 else", "else", "edges"),
    ("rc4_regs.vhd", """strobe_i = "1111" and unsigned(data_i(31 downto 16))""", "unsigned(data_i(31 downto 16))", "edges"),
    ("rc4_regs.vhd", """strobe_i = "1111" and unsigned(data_i(31 downto 9))""", "unsigned(data_i(31 downto 9))", "edges"),
    ("rc4_regs.vhd", """KEY_LENGTH_ADDRESS and strobe_i /= "0000")""", "KEY_LENGTH_ADDRESS)", "edges"),
    ("rc4_regs.vhd", "room <= WORDS - claimed when", "room <= WORDS - available when", "data"),
    ("rc4_axil_port.vhd", "if ready_i = '1' then", "if true then", "data"),
    ("rc4_axil_port.vhd", "response := error_i & '0';", 'response := "00";', "description"),
]


@pytest.mark.parametrize("file, old, new, test", shapes(MUTATIONS, MUTATIONS_FULL))
def test_an_error_is_found(file, old, new, test, tmp_path):
    entity = "rc4_axil" if "axil" in file else "rc4_wb"
    generics = {"CORE": "bram", "K": 1, "KEY_BYTES": 16, "WORDS": 4}
    sources = mutated(tmp_path, file, old, new)
    with pytest.raises(SystemExit) as end:
        simulate(entity, "registers", generics, test, sources=sources, n=256, rounds=1)
    assert end.value.code != 0


def test_what_is_written_from_the_description_is_up_to_date(tmp_path):
    subprocess.run([sys.executable, HARDWARE / "registers/generate.py", tmp_path], check=True)
    written = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 7
    for path in written:
        assert (tmp_path / path).read_text() == (HARDWARE / path).read_text(), f"make -C hardware registers: {path}"


# Bytes of the longest key, of the longest text, engines, bytes of found keys that wait
@pytest.mark.parametrize("key_bytes, text_bytes, engines, hit_words", shapes([(3, 4, 1, 4)], [(16, 16, 8, 64), (5, 3, 2, 2)]))
def test_search(key_bytes, text_bytes, engines, hit_words, keys):
    generics = {"KEY_BYTES": key_bytes, "TEXT_BYTES": text_bytes, "ENGINES": engines, "HIT_WORDS": hit_words}
    simulate("rc4_search_axil", "search_registers", generics, n=256, k=1, rounds=1 if few(keys) else 6)


def test_driver_in_c(tmp_path):
    """The driver compiles as it is, without a warning, and on the simulated bus it gives keystream, and what the README shows."""
    shown = re.search(r"```c\n(.*?)```", (HARDWARE / "registers/README.md").read_text(), re.DOTALL)[1]
    (tmp_path / "example.inc").write_text(shown)
    result = ", ".join(f"0x{byte}" for byte in re.search(r"/\* ([0-9A-F ]+) \*/", shown)[1].split())
    compiler = ["cc", "-std=c99", "-pedantic", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fPIC"]
    plain = '#include "rc4_driver.h"\nint check(uintptr_t base) { return rc4_is_there(base) + rc4_set_key(base, 0, 0, 0) + rc4_crypt(base, 0, 0, 0); }'
    (tmp_path / "plain.c").write_text(plain)
    subprocess.run([*compiler, f"-I{HARDWARE}/registers", "-c", "plain.c"], cwd=tmp_path, check=True)
    for header in ("rc4_regs.h", "rc4_search_regs.h"):
        for language in (["-x", "c", "-std=c99", "-pedantic"], ["-x", "c++", "-std=c++17"]):
            check = ["c++" if "c++" in language else "cc", *language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-"]
            subprocess.run(check, input=f'#include "{HARDWARE}/registers/{header}"\n', text=True, check=True)
    library = tmp_path / "driver.so"
    example = ["-I.", '-DEXAMPLE="example.inc"', f"-DRESULT={result}"]
    subprocess.run([*compiler, *example, "-shared", "-o", library, HARDWARE / "tb/c_driver.c"], cwd=tmp_path, check=True)
    generics = {"CORE": "bram", "K": 1, "KEY_BYTES": 16, "WORDS": 8}
    simulate("rc4_axil", "c_driver", generics, n=256, library=library)
