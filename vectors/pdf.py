#!/usr/bin/env python3
"""Write `pdf.toml` and the files in `pdf/`, or compare them with the texts to write (--check).

It is an independent implementation of ISO 32000-1:2008, section 7.6, by the standard library only. It
does not test its output. It exits 1 if a file differs.
"""

import argparse
import hashlib
import struct
import sys
import zlib
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from verify import rc4

HERE = Path(__file__).parent
PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
ID = bytes(range(0xA0, 0xB0))
PERMISSIONS = -44
TITLE = "Été à l’aube"
TEXT = b"Attack at dawn"
CONTENT = b"BT /F1 24 Tf 72 72 Td (%s) Tj ET\n" % TEXT
XMP = b"<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x='adobe:ns:meta/'/><?xpacket end='w'?>"


def md5(data):
    return hashlib.md5(data).digest()


def crypt(key, data):
    return bytes(a ^ b for a, b in zip(data, rc4(key)))


def crypt_rounds(key, rounds, data):
    for i in range(rounds):
        data = crypt(bytes(byte ^ i for byte in key), data)
    return data


@dataclass
class Vector:
    """A combination, and the file of it."""

    name: str
    says: str
    version: int
    revision: int
    key_bytes: int  # n, the length of the file key
    length: int | None = None  # Length in the dictionary, as written
    filter_length: int | None = None  # Length in the crypt filter, as written
    user: bytes = b"user"
    owner: bytes = b"owner"
    encrypt_metadata: bool = True
    strings: bool = True  # encrypted; with V 4 only may they not be
    pad_key: bool = False  # the key is extended with zeros to 16 bytes for objects
    object_streams: bool = False
    length_elsewhere: bool = False  # the stream's length is in an object stream
    crypt_filter: bool = False  # a stream names the crypt filter Identity
    generation: int = 0  # of the content stream
    opened_by: tuple[str, ...] = ("qpdf", "pypdf", "pdfium")
    O: bytes = field(init=False)
    U: bytes = field(init=False)
    file_key: bytes = field(init=False)

    def __post_init__(self):
        n, rounds = self.key_bytes, 0 if self.revision == 2 else 50
        digest = md5((self.owner + PAD)[:32])
        for _ in range(rounds):
            digest = md5(digest[:n])
        times = 1 if self.revision == 2 else 20
        self.O = crypt_rounds(digest[:n], times, (self.user + PAD)[:32])
        text = (self.user + PAD)[:32] + self.O + struct.pack("<i", PERMISSIONS) + ID
        if self.revision >= 4 and not self.encrypt_metadata:
            text += b"\xff" * 4
        digest = md5(text)
        for _ in range(rounds):
            digest = md5(digest[:n])
        self.file_key = digest[:n]
        if self.revision == 2:
            self.U = crypt(self.file_key, PAD)
        else:
            self.U = crypt_rounds(self.file_key, 20, md5(PAD + ID)) + bytes(16)

    def object_key(self, number, generation=0):
        key = self.file_key.ljust(16, b"\0") if self.pad_key else self.file_key
        tail = number.to_bytes(3, "little") + generation.to_bytes(2, "little")
        return md5(key + tail)[: min(len(key) + 5, 16)]

    def string(self, number, text, literal=False):
        if self.strings:
            text = crypt(self.object_key(number), text)
        return quoted(text) if literal else b"<%s>" % text.hex().encode()

    def stream(self, number, entries, data, generation=0, plain=False, length=None):
        if not plain:
            data = crypt(self.object_key(number, generation), data)
        length = length or b"%d" % len(data)
        return b"<< %s /Length %s >>\nstream\n%s\nendstream" % (entries, length, data)

    def dictionary(self):
        text = b"<< /Filter /Standard /V %d /R %d" % (self.version, self.revision)
        if self.length is not None:
            text += b" /Length %d" % self.length
        if self.version == 4:
            of = b"" if self.filter_length is None else b" /Length %d" % self.filter_length
            text += b" /CF << /StdCF << /CFM /V2 /AuthEvent /DocOpen%s >> >>" % of
            text += b" /StmF /StdCF /StrF /%s" % (b"StdCF" if self.strings else b"Identity")
            if not self.encrypt_metadata:
                text += b" /EncryptMetadata false"
        hexes = self.O.hex().encode(), self.U.hex().encode()
        return text + b" /O <%s> /U <%s> /P %d >>" % (*hexes, PERMISSIONS)

    def file(self):
        """A page with one line of text, a title in UTF-16, metadata."""
        kept = b"/Crypt" if self.crypt_filter else b""
        title = b"\xfe\xff" + TITLE.encode("utf-16-be")
        if not self.object_streams:
            title = self.string(6, title, literal=True)
            author = self.string(6, b"Quentin")
        else:  # in the object stream, which is encrypted as a whole
            title, author = quoted(title), b"(Quentin)"
        content = b"4 %d R" % self.generation
        objects = {
            1: b"<< /Type /Catalog /Pages 2 0 R /Metadata 7 0 R /Outlines 10 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 144] /Contents %s"
            b" /Resources << /Font << /F1 5 0 R >> >> >>" % content,
            5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            6: b"<< /Title %s /Author %s >>" % (title, author),
            10: b"<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 1 >>",
            11: b"<< /Title %s /Parent 10 0 R /Dest [3 0 R /Fit] >>"
            % (b"(Dawn)" if self.object_streams else self.string(11, b"Dawn")),
            12: b"%d" % len(CONTENT),
        }
        elsewhere = b"12 0 R" if self.length_elsewhere else None
        metadata_plain = self.crypt_filter or not self.encrypt_metadata
        crypt_filter = b" /Filter [/Crypt] /DecodeParms [<< /Name /Identity >>]" if kept else b""
        streams = {
            4: self.stream(4, b"", CONTENT, self.generation, length=elsewhere),
            7: self.stream(
                7, b"/Type /Metadata /Subtype /XML" + crypt_filter, XMP, plain=metadata_plain
            ),
            8: self.dictionary(),
        }
        if not self.object_streams:
            return classic(objects | streams, {4: self.generation})
        index, body = b"", b""
        for number, text in objects.items():
            index += b"%d %d " % (number, len(body))
            body += text + b"\n"
        packed = zlib.compress(index + body, 9)
        entries = b"/Type /ObjStm /N %d /First %d /Filter /FlateDecode" % (len(objects), len(index))
        return modern(streams | {9: self.stream(9, entries, packed)}, 9, list(objects))

    def row(self):
        key = self.object_key(4, self.generation)
        cipher = crypt(key, CONTENT)
        keystream = bytes(islice(rc4(key), 16))
        lines = [
            "[[vector]]",
            f'name = "{self.name}"',
            f'says = "{self.says}"',
            f"opened_by = {list(self.opened_by)}".replace("'", '"'),
            f"V = {self.version}",
            f"R = {self.revision}",
        ]
        if self.length is not None:
            lines.append(f"Length = {self.length}")
        if self.version == 4:
            lines += ['CFM = "V2"', 'StmF = "StdCF"']
            lines.append(f'StrF = "{"StdCF" if self.strings else "Identity"}"')
            if self.filter_length is not None:
                lines.append(f"CF_Length = {self.filter_length}")
        lines += [
            f"EncryptMetadata = {str(self.encrypt_metadata).lower()}",
            f"P = {PERMISSIONS}",
            f'ID = "{ID.hex()}"',
            f'O = "{self.O.hex()}"',
            f'U = "{self.U.hex()}"',
            f'user_password = "{self.user.hex()}"',
            f'owner_password = "{self.owner.hex()}"',
            f'file_key = "{self.file_key.hex()}"',
            f"object = [4, {self.generation}]",
            f'object_key = "{key.hex()}"',
            f'keystream = "{keystream.hex()}"',
            f'ciphertext = "{cipher.hex()}"',
            f'plaintext = "{CONTENT.hex()}"',
        ]
        return "\n".join(lines) + "\n"


def quoted(data):
    """A literal string, with every escape there is."""
    text = b"("
    for byte in data:
        if byte in b"()\\":
            text += b"\\" + bytes([byte])
        elif byte in b"\r\n\t\b\f":
            text += {13: b"\\r", 10: b"\\n", 9: b"\\t", 8: b"\\b", 12: b"\\f"}[byte]
        elif byte < 32:
            text += b"\\%03o" % byte
        else:
            text += bytes([byte])
    return text + b")"


def body(objects, generations):
    text, places = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", {}
    for number, value in sorted(objects.items()):
        places[number] = len(text)
        text += b"%d %d obj\n%s\nendobj\n" % (number, generations.get(number, 0), value)
    return text, places


TRAILER = b"/Root 1 0 R /Info 6 0 R /Encrypt 8 0 R /ID [<%s> <%s>]" % ((ID.hex().encode(),) * 2)


def classic(objects, generations):
    """With a cross-reference table."""
    text, places = body(objects, generations)
    size = max(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        if number in places:
            table += b"%010d %05d n \n" % (places[number], generations.get(number, 0))
        else:
            table += b"0000000000 00000 f \n"
    trailer = b"trailer\n<< /Size %d %s >>\n" % (size, TRAILER)
    return text + table + trailer + b"startxref\n%d\n%%%%EOF\n" % len(text)


def modern(objects, container, packed):
    """With a cross-reference stream, which is never encrypted, and an object stream."""
    text, places = body(objects, {})
    size = max([*objects, *packed]) + 2
    places[size - 1] = len(text)
    table = b""
    for number in range(size):
        if number in places:
            table += struct.pack(">BIH", 1, places[number], 0)
        elif number in packed:
            table += struct.pack(">BIH", 2, container, packed.index(number))
        else:
            table += struct.pack(">BIH", 0, 0, 65535)
    data = zlib.compress(table, 9)
    entries = b"/Type /XRef /Size %d /W [1 4 2] %s /Filter /FlateDecode /Length %d"
    entries %= size, TRAILER, len(data)
    stream = b"%d 0 obj\n<< %s >>\nstream\n%s\nendstream\nendobj\n" % (size - 1, entries, data)
    return text + stream + b"startxref\n%d\n%%%%EOF\n" % len(text)


VECTORS = [
    Vector("v1-r2", "40 bits, the first handler", 1, 2, 5),
    Vector("v1-r2-empty", "opens without a password", 1, 2, 5, user=b""),
    Vector(
        "v1-r2-length-128",
        "V 1 has 40 bits, even if it carries a Length",
        1,
        2,
        5,
        length=128,
        opened_by=("qpdf", "pdfium"),
    ),
    Vector(
        "v1-r3-length-40",
        "V 1 with R 3: the key has 5 bytes everywhere, also in the 50 rounds",
        1,
        3,
        5,
        length=40,
        user=b"",
    ),
    Vector(
        "v2-r3-no-length", "V 2 without a Length has 40 bits", 2, 3, 5, opened_by=("pypdf", "pdfium")
    ),
    Vector("v2-r3-56", "keys there are between 40 and 128 bits", 2, 3, 7, length=56),
    Vector("v2-r3-128", "128 bits", 2, 3, 16, length=128),
    Vector(
        "v2-r3-length-256",
        "a Length that cannot be means 128",
        2,
        3,
        16,
        length=256,
        opened_by=("qpdf", "pypdf"),
    ),
    Vector("v2-r3-utf16", "a password in PDFDocEncoding", 2, 3, 16, length=128, user=b"\xe9t\xe9 5\xa0"),
    Vector(
        "v2-r3-generation", "the generation is in the key of the object", 2, 3, 16, 128, generation=3
    ),
    Vector(
        "v2-r3-object-streams",
        "object streams are encrypted, cross-reference streams are not",
        2,
        3,
        16,
        128,
        object_streams=True,
    ),
    Vector("v4-r4-128", "a crypt filter of 128 bits", 4, 4, 16, 128, 16),
    Vector(
        "v4-r4-no-length",
        "V 4 without a Length has 128 bits, not 40",
        4,
        4,
        16,
        opened_by=("qpdf", "pdfium"),
    ),
    Vector(
        "v4-r4-40",
        "V 4 with 40 bits: zeros extend the key to 16 bytes, as in Acrobat",
        4,
        4,
        5,
        40,
        5,
        user=b"",
        pad_key=True,
        opened_by=("pdf.js",),
    ),
    Vector("v4-r4-48", "the same with 48 bits", 4, 4, 6, 48, 6, user=b"", pad_key=True, opened_by=("pdf.js",)),
    Vector(
        "v4-r4-clear-metadata",
        "EncryptMetadata false appends FFFFFFFF to what is hashed",
        4,
        4,
        16,
        128,
        16,
        encrypt_metadata=False,
    ),
    Vector(
        "v4-r4-identity",
        "strings are not encrypted, nor is a stream whose crypt filter is Identity",
        4,
        4,
        16,
        128,
        16,
        strings=False,
        crypt_filter=True,
        opened_by=("qpdf", "pypdf"),
    ),
    Vector(
        "v4-r4-object-streams",
        "the length of a stream may be in an encrypted object stream",
        4,
        4,
        16,
        128,
        16,
        object_streams=True,
        length_elsewhere=True,
    ),
]

HEAD = """\
# PDF files encrypted with RC4: from passwords to keys to bytes (ISO 32000-1:2008, section 7.6).
# Written by pdf.py. Names in capitals are those of the encryption dictionary; Length is in bits and
# CF_Length, that of the crypt filter, in bytes, both as they stand in the file, which may be wrong. Bytes
# are lower-case hex. `object` is the number and generation of the content stream, `keystream` how its
# keystream begins, `ciphertext` and `plaintext` all of it. The file is pdf/NAME.pdf. `opened_by` are
# the programs that read its text with the user password, of those in README.md.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args().check
    files = {f"pdf/{vector.name}.pdf": vector.file() for vector in VECTORS}
    files["pdf.toml"] = "\n".join([HEAD, *(vector.row() for vector in VECTORS)]).encode()
    stale = [name for name in files if not is_fresh(HERE / name, files[name])]
    strangers = {path.name for path in (HERE / "pdf").glob("*")} - {Path(name).name for name in files}
    if not check:
        for name in stale:
            (HERE / name).write_bytes(files[name])
    for name in [*stale, *sorted(strangers)]:
        print(f"{name} differs" if check else f"wrote {name}", file=sys.stderr)
    print(f"pdf.toml: {len(VECTORS)} vectors")
    return int(check and bool(stale or strangers))


def is_fresh(path, data):
    return path.exists() and path.read_bytes() == data


if __name__ == "__main__":
    sys.exit(main())
