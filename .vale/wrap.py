"""Wraps the paragraphs and list items of Markdown files that have a line of more than 100 characters.

    wrap.py FILE...          wraps them in place
    wrap.py --check FILE...  names each long line, and fails if there is one

Tables, code and HTML stay as they are, and so does text between two lines that are comments: a command writes it.
A code span, a comment and a link's address stay on one line, however long.
"""

import re
import sys
from pathlib import Path

WIDTH = 100
# Text that stays on one line: a code span, an HTML comment, or characters without a space.
PIECE = re.compile(r"(?:(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?-->|[^\s`]|`)+", re.DOTALL)
ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,2}[.)])\s+)\S")
VERBATIM = re.compile(r"\s*(\||#|<|>|\[[^\]]+\]:|---|===|!\[.*\)$|    \S)")
# A line that begins so would be read as a list, a heading, a quotation or a table.
MARKER = re.compile(r"([-*+]|\d+[.)])$|#|>|\||<|=+$|-+$")


def wrapped(text: str, first: str, rest: str) -> list[str]:
    """Fills lines of a paragraph, whose first line begins with `first` and the others with `rest`."""
    first_piece, *pieces = (piece[0] for piece in PIECE.finditer(text))
    lines = [first + first_piece]
    for piece in pieces:
        if len(lines[-1]) + 1 + len(piece) > WIDTH and not MARKER.match(piece):
            lines.append(rest + piece)
        else:
            lines[-1] += f" {piece}"
    return lines


def blocks(lines: list[str]) -> list[tuple[bool, list[str]]]:
    """Cuts a page into blocks: whether a block is prose that may be wrapped, and its lines."""
    result: list[tuple[bool, list[str]]] = []
    fence, comment, written = None, False, False
    for line in lines:
        opening = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence or opening:
            result.append((False, [line]))
            fence = None if fence and line.strip() == fence else fence or (opening and opening[1])
            continue
        written ^= bool(re.fullmatch(r"<!--.*-->", line))
        comment = comment or (line.lstrip().startswith("<!--") and "-->" not in line)
        if comment or written or not line.strip() or VERBATIM.match(line) and not ITEM.match(line):
            result.append((False, [line]))
            comment = comment and "-->" not in line
            continue
        previous = result[-1] if result else (False, [])
        ends = bool(previous[1]) and previous[1][-1].endswith(("  ", "\\"))
        if previous[0] and not ITEM.match(line) and not ends:
            previous[1].append(line)
        else:
            result.append((True, [line]))
    return result


def is_long(line: str) -> bool:
    """Returns true if a line is too long and has a place where it can be broken."""
    item = ITEM.match(line)
    first = item[1] if item else re.match(r"\s*", line)[0]
    return len(line) > WIDTH and len(wrapped(line[len(first) :], first, " " * len(first))) > 1


def page(text: str) -> str:
    """Returns a page with its long paragraphs and items wrapped."""
    result = []
    for is_prose, lines in blocks(text.split("\n")):
        if not is_prose or not any(map(is_long, lines)):
            result += lines
            continue
        item = ITEM.match(lines[0])
        first = item[1] if item else re.match(r"\s*", lines[0])[0]
        rest = " " * len(first)
        joined = " ".join([lines[0][len(first) :], *(line.strip() for line in lines[1:])])
        tail = "  " if lines[-1].endswith("  ") else ""
        filled = wrapped(joined, first, rest)
        result += [*filled[:-1], filled[-1] + tail]
    return "\n".join(result)


def main(arguments: list[str]) -> int:
    """Wraps or checks the files of the command line."""
    check = arguments[:1] == ["--check"]
    faults = 0
    for name in arguments[check:]:
        path = Path(name)
        text = path.read_text("utf-8")
        if not check:
            path.write_text(page(text), "utf-8")
            continue
        number = 0
        for is_prose, lines in blocks(text.split("\n")):
            for line in lines:
                number += 1
                if is_prose and is_long(line):
                    print(f"{name}:{number}: {len(line)} characters, more than {WIDTH}")
                    faults += 1
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
