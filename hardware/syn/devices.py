"""The FPGAs that `fpga.py` maps the designs to, read from devices.toml."""

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path

FILE = Path(__file__).resolve().parent / "devices.toml"


@dataclass(frozen=True)
class Device:
    """An entry of devices.toml, which explains the fields."""

    name: str
    title: str
    designs: list[str]
    synthesis: str
    lut: str
    ff: str
    bram: str
    nextpnr: str | None = None
    outside: str = ""
    program: str = ""  # nextpnr, in place of the registry's; no entry has it
    options: list[str] = field(default_factory=list)
    copies: bool = False
    pins: str = ""
    constraint: str = ""
    seeds: int = 0
    caveat: str = ""
    own: dict[str, dict] = field(default_factory=dict)

    def of(self, design: str) -> "Device":
        """The device with the settings of a design."""
        return replace(self, **self.own.get(design, {}))


def devices() -> dict[str, Device]:
    """Every entry of devices.toml by its name, in the order of the file."""
    table = tomllib.loads(FILE.read_text())
    return {name: Device(name=name, **entry) for name, entry in table.items()}
