# SPDX-License-Identifier: MIT OR Apache-2.0
"""rc4_uart, RC4 on a serial line: simulated, and made into a bitstream for each board."""

import sys

import pytest
from simulate import HARDWARE, SOURCES, shapes, simulate

sys.path.append(str(HARDWARE / "boards"))
import build

UART = HARDWARE / "boards" / "rc4_uart.vhd"


# Clocks of a bit: a byte of ten takes longer than the schedule of a key, as on both boards.
@pytest.mark.parametrize("clock_hz, key_bytes, active_low", shapes([], [(78, 16, "true"), (217, 5, "false")]))
def test_line(clock_hz, key_bytes, active_low):
    generics = {"CLOCK_HZ": clock_hz, "BAUD": 1, "KEY_BYTES": key_bytes, "ACTIVE_LOW": active_low}
    simulate("rc4_uart", "uart", generics, sources=[*SOURCES, UART], n=256, k=1)


def test_host_with_a_fast_clock():
    """The shortest bits that are allowed: 16 clocks."""
    generics = {"CLOCK_HZ": 16, "BAUD": 1, "KEY_BYTES": 5, "ACTIVE_LOW": "true"}
    simulate("rc4_uart", "uart", generics, "fast_clock", sources=[*SOURCES, UART], n=256, k=1)


@pytest.mark.full
def test_bytes_come_too_fast():
    generics = {"CLOCK_HZ": 32, "BAUD": 1, "KEY_BYTES": 5, "ACTIVE_LOW": "true"}
    simulate("rc4_uart", "uart", generics, "too_fast", sources=[*SOURCES, UART], n=256, k=1)


@pytest.mark.full
@pytest.mark.parametrize("clocks, old, new, test", [
    (104, "broken   <= not line_in(1);", "broken <= '0';", "break_in_a_key"),
    (104, "unsigned(rx_byte) <= KEY_BYTES else refused", "true else refused", "wrong_lengths"),
    (104, "BIT_CLOCKS / 2 - 1;", "BIT_CLOCKS - 1;", "keys_and_text"),
    (104, "if line_in(1) = '1' then", "if false then", "disturbances"),
    (16, "BIT_CLOCKS - BIT_CLOCKS / 8;", "BIT_CLOCKS;", "fast_clock"),
])
def test_an_error_is_found(clocks, old, new, test, tmp_path):
    assert old in UART.read_text()
    file = tmp_path / UART.name
    file.write_text(UART.read_text().replace(old, new))
    generics = {"CLOCK_HZ": clocks, "BAUD": 1, "KEY_BYTES": 16, "ACTIVE_LOW": "true"}
    with pytest.raises(SystemExit):
        simulate("rc4_uart", "uart", generics, test, sources=[*SOURCES, file], n=256, k=1)


def test_synthesis(tmp_path):
    """GHDL and yosys make the netlist of a board. Its router is not among the packages of the quick set."""
    build.synthesise(build.BOARDS["icebreaker"], tmp_path)
    assert "SB_RAM40_4K" in (tmp_path / "rc4_uart.json").read_text()


@pytest.mark.full
@pytest.mark.parametrize("board", ["icebreaker", "ulx3s-12f"])
def test_bitstream(board, tmp_path):
    """GHDL, yosys, nextpnr and the packer make a bitstream, at the board's clock or more."""
    file, mhz = build.build(build.BOARDS[board], tmp_path)
    assert file.stat().st_size > 10_000 and mhz >= build.BOARDS[board].clock_mhz
