"""Bytes as numbers: od, hexdump, xxd."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs

if TYPE_CHECKING:
    from collections.abc import Callable

_ROW = 16
# What od prints of bytes that have names.
_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_WIDTHS = {
    "o1": 4, "o2": 7, "o4": 12, "o8": 23, "x1": 3, "x2": 5, "x4": 9, "x8": 17, "u1": 4, "u2": 6,
    "u4": 11, "u8": 21, "d1": 5, "d2": 7, "d4": 12, "d8": 21, "c1": 4, "a1": 4,
}  # fmt: skip
_SHORT = {"b": "o1", "c": "c1", "d": "u2", "o": "o2", "s": "d2", "x": "x2", "i": "d4", "l": "d8"}
_PLAIN_COLUMNS = 30


def _number(text: str, usual: int = 0) -> int:
    """A count with its unit: hexadecimal, octal, `k`, `m`."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([kKmMb]?)", text)
    if match is None:
        return usual
    base = 16 if match[1][:2].lower() == "0x" else 8 if match[1].startswith("0") else 10
    unit = {"": 1, "b": 512, "k": 1024, "K": 1024, "m": 1 << 20, "M": 1 << 20}[match[2]]
    return int(match[1], base) * unit if match[1] != "0" else 0


def _read(session: Session, name: str, operands: list[str], stdin: str) -> tuple[bytes, str]:
    texts, errors = inputs(session, name, operands, stdin)
    return "".join(texts).encode(errors="surrogateescape"), errors


def _cell(kind: str, part: bytes) -> str:
    """Some bytes as one number or character."""
    width = _WIDTHS[kind]
    if kind in ("c1", "a1"):
        byte = part[0]
        known = _ESCAPES.get(byte)
        text = known or (chr(byte) if 32 <= byte < 127 else f"{byte:03o}")
        if kind == "a1":
            text = {32: "sp", 10: "nl", 127: "del", 0: "nul", 9: "ht"}.get(byte & 127, text)
        return f"{text:>{width}}"
    number = int.from_bytes(part, "little", signed=kind[0] == "d")
    if kind[0] in "ud":
        return f"{number:>{width}}"
    return f" {number:0{width - 1}{kind[0]}}"


def _rows(
    data: bytes, start: int, show: Callable[[int, bytes], str], *, whole: bool, size: int = _ROW
) -> str:
    """Row after row, with a star for those that are like the one before."""
    out, before, starred = "", b"", False
    for at in range(0, len(data), size):
        row = data[at : at + size]
        if row == before and not whole and len(row) == size:
            out += "" if starred else "*\n"
            starred = True
            continue
        before, starred = row, False
        out += show(start + at, row)
    return out


def _od(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "AjNtSw")
    kinds = [_SHORT[letter] for letter in flags if letter in _SHORT]
    for kind, size, _ in re.findall(r"([acdoux])([1248CSIL]?)(z?)", flags.get("t", "")):
        bytes_of = {"C": "1", "S": "2", "I": "4", "L": "8"}.get(size, size)
        kinds.append(kind + ("1" if kind in "ac" else bytes_of or "4"))
    kinds = kinds or ["o2"]
    data, errors = _read(session, "od", operands, stdin)
    if errors and not data:
        return Output(1, "", errors)
    start = _number(flags.get("j", ""))
    data = data[start:]
    if "N" in flags:
        data = data[: _number(flags["N"])]
    form = {"d": "07d", "x": "06x", "n": "", "o": "07o"}.get(flags.get("A", "o"), "07o")

    def place(at: int) -> str:
        return f"{at:{form}}" if form else ""

    def show(at: int, row: bytes) -> str:
        text = ""
        for number, kind in enumerate(kinds):
            size = int(kind[1])
            padded = row + b"\0" * (-len(row) % size)
            cells = "".join(_cell(kind, padded[n : n + size]) for n in range(0, len(padded), size))
            text += f"{place(at) if not number else ' ' * len(place(at))}{cells}\n"
        return text

    out = _rows(data, start, show, whole="v" in flags)
    end = f"{place(start + len(data))}\n" if form else ""
    return Output(1 if errors else 0, out + end, errors)


def _hexdump(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "nsef")
    name = words[0].rpartition("/")[2]
    data, errors = _read(session, name, operands, stdin)
    if errors:
        more = "" if session.busybox else f"{name}: all input file arguments failed\n"
        return Output(1, "", errors + more)
    start = _number(flags.get("s", ""))
    if start and not operands:
        return Output(1, "", f"{name}: stdin: Illegal seek\n")
    data = data[start:]
    if "n" in flags:
        data = data[: _number(flags["n"])]
    canonical = "C" in flags or name == "hd"

    def show(at: int, row: bytes) -> str:
        if canonical:
            halves = " ".join(f"{b:02x}" for b in row[:8]), " ".join(f"{b:02x}" for b in row[8:])
            text = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
            return f"{at:08x}  {halves[0]:<23}  {halves[1]:<23}  |{text}|\n"
        padded = row + b"\0" * (len(row) % 2)
        pairs = [
            f"{int.from_bytes(padded[n : n + 2], 'little'):04x}" for n in range(0, len(padded), 2)
        ]
        return f"{at:07x} {' '.join(pairs):<39}\n"

    out = _rows(data, start, show, whole="v" in flags)
    width = 8 if canonical else 7
    return Output(0, out + (f"{start + len(data):0{width}x}\n" if data else ""))


def _xxd(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "lscgo")
    data, errors = _read(session, "xxd", operands[:1], stdin)
    if errors:
        said = errors if session.busybox else f"xxd: {operands[0]}: No such file or directory\n"
        return Output(1 if session.busybox else 2, "", said)
    plain = "p" in flags
    if "r" in flags:
        return _back(data.decode(errors="replace"), plain=plain)
    start = _number(flags.get("s", ""))
    if start and not operands and session.busybox:
        return Output(1, "", "xxd: stdin: Illegal seek\n")
    data = data[start:]
    if "l" in flags:
        data = data[: _number(flags["l"])]
    upper = "u" in flags
    columns = _number(flags.get("c", ""), _PLAIN_COLUMNS if plain else _ROW) or _ROW
    group = _number(flags.get("g", ""), 2) or columns
    out = ""
    for at in range(0, len(data), columns):
        row = data[at : at + columns]
        if plain:
            out += row.hex() + "\n"
            continue
        cells = " ".join(row[n : n + group].hex() for n in range(0, len(row), group))
        width = columns * 2 + -(-columns // group) - 1
        text = "".join(chr(b) if 32 <= b < 127 else "." for b in row)
        out += f"{start + at:08x}: {(cells.upper() if upper else cells):<{width}}  {text}\n"
    return Output(0, out.upper() if upper and plain else out)


def _back(text: str, *, plain: bool) -> Output:
    """`xxd -r`: the bytes that a dump stands for."""
    digits = ""
    for line in text.splitlines():
        part = line if plain else line.partition(": ")[2].partition("  ")[0]
        digits += re.sub(r"[^0-9a-fA-F]", "", part)
    data = bytes.fromhex(digits[: len(digits) // 2 * 2])
    return Output(0, data.decode(errors="surrogateescape"))


DUMPING_COMMANDS: dict[str, Command] = {
    "hd": _hexdump,
    "hexdump": _hexdump,
    "od": _od,
    "xxd": _xxd,
}
