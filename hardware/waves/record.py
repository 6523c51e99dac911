# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws the waveforms of this folder: simulates, reads the VCD, writes WaveDrom's JSON and its picture, and into
README.md the table of the rotor's frames. `make -C hardware waves` runs it."""

import argparse
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import wavedrom
from vcd.reader import TokenKind, tokenize

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent / "tb"))  # simulate
sys.path.append(str(FOLDER.parents[1] / "ports" / "python"))
from simulate import simulate

from rc4 import RC4


@dataclass(frozen=True)
class Run:
    """A simulation: the entity, the test of tb/waves.py, generics, the port of the clock, the key, and how long it lasts."""

    entity: str
    test: str
    generics: tuple
    clock: str
    key: str
    clocks: int = 0


MARKS = ("<!-- record.py writes from here -->", "<!-- to here -->")

SPEC = Run("rc4_spec", "core", (("N", 16), ("K", 2), ("KEY_BYTES", 3)), "clk_i", "030a05", 140)
PIPE = Run("rc4_pipe", "core", (("N", 8), ("K", 1), ("KEY_BYTES", 3)), "clk_i", "030205", 34)
AXIS = Run("rc4_axis", "axis", (("CORE", "unroll"), ("K", 2), ("KEY_BYTES", 3)), "aclk", b"Key".hex())
AXIL = Run("rc4_axil", "axil", (("CORE", "unroll"), ("K", 4), ("KEY_BYTES", 3), ("WORDS", 4)), "aclk", b"Key".hex())


def shown(value, width):
    """Returns a vector as hexadecimal digits, or x if a bit is unknown."""
    return f"{value:0{(width + 3) // 4}X}" if isinstance(value, int) else "x"


@cache
def samples(run):
    """Returns the signals just before each rising edge of the clock, by name; parts have names such
    as part.name. Also returns the names of vectors."""
    environment = {} if dict(run.generics).get("N") else {"n": 256}
    folder = simulate(run.entity, "waves", dict(run.generics), run.test, vcd=True, key=run.key, clocks=run.clocks, **environment)
    names, widths, path, now, edges, vectors = {}, {}, [], {}, [], set()
    before, rising = {}, False
    with open(folder / "waves.vcd", "rb") as file:
        for token in tokenize(file):
            if token.kind is TokenKind.SCOPE:
                path.append(token.scope.ident)
            elif token.kind is TokenKind.UPSCOPE:
                path.pop()
            elif token.kind is TokenKind.VAR and path and path[0] == run.entity:
                name = ".".join([*path[1:], token.var.reference])
                names.setdefault(token.var.id_code, []).append(name)
                if token.var.size > 1:
                    vectors.add(name)
                widths[token.var.id_code] = token.var.size
            elif token.kind is TokenKind.CHANGE_TIME:
                if rising and before:
                    edges.append(before)
                before, rising = dict(now), False
            elif token.kind in (TokenKind.CHANGE_SCALAR, TokenKind.CHANGE_VECTOR):
                change = token.scalar_change if token.kind is TokenKind.CHANGE_SCALAR else token.vector_change
                for name in names.get(change.id_code, ()):
                    now[name] = change.value if token.kind is TokenKind.CHANGE_SCALAR else shown(change.value, widths[change.id_code])
                    rising |= name == run.clock and change.value == "1"
    return edges, vectors


@dataclass(frozen=True)
class Picture:
    """A picture: its file, its title, its run and its clocks. A row is a signal and the signals that make it valid; an empty
    row is a gap."""

    name: str
    title: str
    run: Run
    clocks: range
    rows: tuple


CORE_ROWS = (
    ("rst_i",),
    ("key_i", "key_valid_i"),
    ("key_valid_i",),
    ("key_ready_o",),
    ("busy_o",),
    ("z_o", "z_valid_o"),
    ("z_valid_o",),
    ("z_ready_i",),
)
AXIL_WRITE = (
    ("s_axil_awaddr", "s_axil_awvalid"),
    ("s_axil_awvalid",),
    ("s_axil_awready",),
    ("s_axil_wdata", "s_axil_wvalid"),
    ("s_axil_wvalid",),
    ("s_axil_wready",),
    ("s_axil_bresp", "s_axil_bvalid"),
    ("s_axil_bvalid",),
    ("s_axil_bready",),
)
AXIL_READ = (
    ("s_axil_araddr", "s_axil_arvalid"),
    ("s_axil_arvalid",),
    ("s_axil_arready",),
    ("s_axil_rdata", "s_axil_rvalid"),
    ("s_axil_rresp", "s_axil_rvalid"),
    ("s_axil_rvalid",),
    ("s_axil_rready",),
)
PICTURES = [
    Picture("key", "rc4_spec, N = 16, K = 2: a key of three words, its schedule, the first words", SPEC, range(1, 37), CORE_ROWS),
    Picture("stall", "rc4_spec: the reader stops", SPEC, range(36, 54), CORE_ROWS[5:]),
    Picture(
        "hit",
        "rc4_spec, N = 16: hits, after which a clock is lost, or two",
        SPEC,
        range(56, 76),
        (("step",), ("any0",), ("again",), ("z_o", "z_valid_o"), ("z_valid_o",), ("z_ready_i",)),
    ),
    Picture(
        "axis",
        "rc4_axis, K = 2: a packet of nine bytes; the reader stops for two clocks",
        AXIS,
        range(136, 152),
        (
            ("s_axis_tdata", "s_axis_tvalid"),
            ("s_axis_tkeep", "s_axis_tvalid"),
            ("s_axis_tlast", "s_axis_tvalid"),
            ("s_axis_tvalid",),
            ("s_axis_tready",),
            (),
            ("m_axis_tdata", "m_axis_tvalid"),
            ("m_axis_tkeep", "m_axis_tvalid"),
            ("m_axis_tlast", "m_axis_tvalid"),
            ("m_axis_tvalid",),
            ("m_axis_tready",),
        ),
    ),
    Picture(
        "axil",
        "rc4_axil: a word into DATA, and out again",
        AXIL,
        range(96, 116),
        (*AXIL_WRITE, (), *AXIL_READ),
    ),
    Picture("error", "rc4_axil: DATA is read too soon", AXIL, range(22, 36), AXIL_READ),
]


def drawn(picture):
    """WaveDrom's description of a picture."""
    edges, vectors = samples(picture.run)
    rows = [{"name": picture.run.clock, "wave": "p" + "." * (len(picture.clocks) - 1)}]
    for row in picture.rows:
        if not row:
            rows.append({})
            continue
        name, *needs = row
        wave, data, last = "", [], None
        for clock in picture.clocks:
            value = edges[clock][name]
            if any(edges[clock][need] != "1" for need in needs):
                value = "x"
            if value == last:
                wave += "."
            elif value == "x" or name not in vectors:
                wave += value
            else:
                wave += "="
                data.append(value)
            last = value
        rows.append({"name": name, "wave": wave, **({"data": data} if data else {})})
    return {"head": {"text": picture.title, "tick": picture.clocks[0]}, "signal": rows}


def frames():
    """Returns the table of the rotor's frames in a run of rc4_pipe with N = 8 and K = 1. Ends with
    an error if the run differs from the model."""
    n = dict(PIPE.generics)["N"]
    model = RC4(list(bytes.fromhex(PIPE.key)), n)
    # A clock in which the pipeline stands still is none for it.
    clocks = [edge for edge in samples(PIPE)[0] if edge["rotor.step_i"] == "1"]
    begin = next(c for c, edge in enumerate(clocks) if edge["rotor.live_i"] == edge["rotor.z_i"] == "1")
    lines = []
    for place in range(12):
        s = list(model.S)
        z = model.prga()
        i, j = model.i, model.j
        x, y = s[i], s[j]
        e, t = (j - i + 2) % n, (x + y) % n
        c = begin + 1 + place  # the first group swaps a cell with itself
        assert (clocks[c]["rotor.e_i"], clocks[c]["rotor.x_i"]) == (f"{e:X}", f"{x:X}"), f"clock {c}: e and x"
        assert (clocks[c + 5]["rotor.z_valid_o"], clocks[c + 5]["rotor.z_o"]) == ("1", f"{z:X}"), f"clock {c + 5}: z"
        lines.append(f"| {place} | {i} | {j} | {x} | **{e}** | {y} | **{(e - 3) % n}** | {t} | **{(t - i - 1) % n}** | {z} |")
    key = ", ".join(map(str, bytes.fromhex(PIPE.key)))
    return "\n".join(
        [
            f"`rc4_pipe` with N = {n}, K = 1, the key {key}: numbers of cells are bold.",
            "",
            "| clock c | i | j | x = S\\[i\\] | c: e = j − i + 2; c + 1: S\\[j\\] is read there | y = S\\[j\\] | c + 3: x goes there, y to cell 7 "
            "| t = x + y | c + 4: S\\[t\\] is read there | c + 5: z |",
            "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
            *lines,
            "",
        ]
    )


def documents():
    """The text of each file that is recorded here."""
    readme = (FOLDER / "README.md").read_text()
    before, rest = readme.split(MARKS[0])
    readme = f"{before}{MARKS[0]}\n{frames()}{MARKS[1]}{rest.split(MARKS[1])[1]}"
    files = {f"{picture.name}.json": json.dumps(drawn(picture), indent=1) + "\n" for picture in PICTURES}
    return files | {"README.md": readme}


def rendered(text):
    """The picture of WaveDrom's JSON, without the shapes of the skin that it does not use, on white."""
    picture = wavedrom.render(text).get_xml()
    used = {part.get("xlink:href", "").removeprefix("#") for part in picture.iter("use")}
    for shapes in picture.iter("defs"):
        for shape in list(shapes):
            if shape.tag == "g" and shape.get("id") not in used:
                shapes.remove(shape)
    picture.set("style", "background: white")
    return ElementTree.tostring(picture, encoding="unicode") + "\n"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    for name, text in documents().items():
        (FOLDER / name).write_text(text)
        if name.endswith(".json"):
            (FOLDER / name).with_suffix(".svg").write_text(rendered(text))
