"""A kernel's machine code, as it was built: taken out of the program or the object file by the name of its function."""

import io
import re
import struct
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection
from pypcode import Context

STT_FUNC = 2
LANGUAGES = {"EM_X86_64": "x86:LE:64:default", "EM_AARCH64": "AARCH64:LE:64:v8A"}


@cache
def context(language):
    """SLEIGH's description of a processor; to load it takes a quarter of a second."""
    return Context(language)


@dataclass(frozen=True)
class Code:
    """A function's bytes and the address of its first."""

    name: str
    language: str
    base: int
    bytes: bytes

    @property
    def context(self):
        return context(self.language)

    def holds(self, address):
        return self.base <= address < self.base + len(self.bytes)

    def at(self, address, length=16):
        return self.bytes[address - self.base :][:length]

    def instructions(self):
        """All instructions from the first to the last byte, as the disassembler prints them."""
        return self.context.disassemble(self.bytes, self.base).instructions

    def patched(self, address, new):
        """The same function with other bytes at an address."""
        at = address - self.base
        return replace(self, bytes=self.bytes[:at] + new + self.bytes[at + len(new) :])


def family(elf_path):
    """What the names of a file's kernels begin with: the machine, or `single::` and the compiler for the C file."""
    elf = ELFFile(io.BytesIO(Path(elf_path).read_bytes()))
    machine, comment = elf["e_machine"].removeprefix("EM_").lower(), elf.get_section_by_name(".comment")
    if not any(symbol.name == "arcfour1_xor" for symbol in functions(elf_path)):
        return f"{machine}::"
    return f"single::{'clang' if b'clang' in comment.data() else 'gcc'}::{machine}::"


@dataclass(frozen=True)
class Symbol:
    """A function's name, section, address and bytes."""

    name: str
    section: int
    value: int
    size: int


@cache
def functions(elf_path):
    """The symbols of a file's functions. A program has tens of thousands of them, for which pyelftools takes seconds."""
    elf, found = ELFFile(io.BytesIO(Path(elf_path).read_bytes())), []
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            names = elf.get_section(section["sh_link"]).data()
            for name, info, _, index, value, size in struct.iter_unpack("<IBBHQQ", section.data()):
                if info & 15 == STT_FUNC:
                    found.append(Symbol(names[name : names.index(b"\0", name)].decode(), index, value, size))
    return found


def extract(elf_path, function):
    """The function of a path such as `x86_64::stream::xor_turns`, which one symbol of the file must name."""
    parts = function.split("::")
    # Both of Rust's manglings write an identifier with its length before it. C has none.
    name = re.compile(f"^{parts[-1]}$" if parts[0] == "single" else "".join(f"{len(part)}{part}" for part in parts) + r"(?!\w*\$)")
    elf = ELFFile(io.BytesIO(Path(elf_path).read_bytes()))
    symbols = [symbol for symbol in functions(elf_path) if name.search(symbol.name)]
    if len(symbols) != 1:
        raise LookupError(f"{len(symbols)} functions are named {function}, not one")
    section = elf.get_section(symbols[0].section)
    base, size = symbols[0].value, symbols[0].size
    for relocations in elf.iter_sections():
        if isinstance(relocations, RelocationSection) and elf.get_section(relocations["sh_info"]) is section \
                and any(base <= entry["r_offset"] < base + size for entry in relocations.iter_relocations()):
            raise ValueError(f"{function} has a relocation: its bytes are not yet what runs")
    start = base - section["sh_addr"]
    # In an object file every function begins at 0, where no processor would run it.
    return Code(function, LANGUAGES[elf["e_machine"]], base or 0x1000, section.data()[start : start + size])
