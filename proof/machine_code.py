"""A kernel's machine code as built, read from a program or an object file by its name."""

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
    """Returns SLEIGH's description of a processor. Loading takes a quarter of a second."""
    return Context(language)


@dataclass(frozen=True)
class Code:
    """A function's bytes and its address."""

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
        """Returns all instructions of the function, as the disassembler prints them."""
        return self.context.disassemble(self.bytes, self.base).instructions

    def patched(self, address, new):
        """Returns the function with other bytes at an address."""
        at = address - self.base
        return replace(self, bytes=self.bytes[:at] + new + self.bytes[at + len(new) :])


def family(elf_path):
    """Returns the prefix of the names of a file's kernels.

    The prefix is the machine. For the C file it is `single::`, the compiler and the machine.
    """
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
    """Returns the symbols of a file's functions.

    A program has tens of thousands of symbols, and pyelftools would take seconds to decode them.
    """
    elf, found = ELFFile(io.BytesIO(Path(elf_path).read_bytes())), []
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            names = elf.get_section(section["sh_link"]).data()
            for name, info, _, index, value, size in struct.iter_unpack("<IBBHQQ", section.data()):
                if info & 15 == STT_FUNC:
                    found.append(Symbol(names[name : names.index(b"\0", name)].decode(), index, value, size))
    return found


def extract(elf_path, function):
    """Returns the function of a path such as `x86_64::stream::xor_turns`.

    Exactly one symbol must match.
    """
    parts = function.split("::")
    # Both manglings of Rust write the length before an identifier. C has no mangling.
    name = re.compile(f"^{parts[-1]}$" if parts[0] == "single" else "".join(f"{len(part)}{part}" for part in parts) + r"(?!\w*\$)")
    elf = ELFFile(io.BytesIO(Path(elf_path).read_bytes()))
    symbols = [symbol for symbol in functions(elf_path) if name.search(symbol.name)]
    if len(symbols) != 1:
        raise LookupError(f"{len(symbols)} functions have the name {function}; the proof needs one")
    section = elf.get_section(symbols[0].section)
    base, size = symbols[0].value, symbols[0].size
    for relocations in elf.iter_sections():
        if isinstance(relocations, RelocationSection) and elf.get_section(relocations["sh_info"]) is section \
                and any(base <= entry["r_offset"] < base + size for entry in relocations.iter_relocations()):
            raise ValueError(f"{function} has a relocation: the linker will change its bytes; prove the linked program")
    start = base - section["sh_addr"]
    # In an object file every function begins at 0, and no processor runs code there.
    return Code(function, LANGUAGES[elf["e_machine"]], base or 0x1000, section.data()[start : start + size])
