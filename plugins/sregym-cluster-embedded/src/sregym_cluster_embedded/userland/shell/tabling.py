"""Commands that put texts into tables and parts: column, join, split; and that compare: cmp, cksum."""

from __future__ import annotations

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs

_POLYNOMIAL = 0x04C11DB7
_WIDTH = 80


def _column(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "scoN")
    texts, errors = inputs(session, "column", operands, stdin)
    if errors:
        return Output(1, "", errors)
    lines = [line for line in "".join(texts).splitlines() if line.strip()]
    if "t" not in flags:
        return Output(0, _filled(lines, int(flags.get("c", "0") or 0) or _WIDTH))
    mark = flags.get("s")
    rows = [line.split() if mark is None else _split(line, mark) for line in lines]
    count = max((len(row) for row in rows), default=0)
    widths = [max((len(row[n]) for row in rows if len(row) > n), default=0) for n in range(count)]
    between = flags.get("o", "  ")
    out = ""
    for row in rows:
        cells = [f"{cell:<{widths[n]}}" for n, cell in enumerate(row[:-1])] + row[-1:]
        out += between.join(cells) + "\n"
    return Output(0, out)


def _split(line: str, marks: str) -> list[str]:
    for mark in marks[1:]:
        line = line.replace(mark, marks[0])
    return line.split(marks[0])


def _filled(lines: list[str], width: int) -> str:
    """Entries in columns, filled from the top to the bottom, with tabs between them."""
    if not lines:
        return ""
    wide = (max(len(line) for line in lines) // 8 + 1) * 8
    count = max(1, width // wide)
    depth = -(-len(lines) // count)
    out = ""
    for place in range(depth):
        row = lines[place::depth]
        for number, cell in enumerate(row):
            last = number == len(row) - 1
            out += cell if last else cell + "\t" * -(-(wide - len(cell)) // 8)
        out += "\n"
    return out


def _join(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "taevo12j")
    if len(operands) != 2:
        return Output(1, "", "join: missing operand\nTry 'join --help' for more information.\n")
    texts, errors = inputs(session, "join", operands, stdin)
    if errors:
        return Output(1, "", errors)
    mark = flags.get("t")
    first = int(flags.get("1", flags.get("j", "1")) or 1) - 1
    second = int(flags.get("2", flags.get("j", "1")) or 1) - 1
    left, right = (
        [line.split(mark) if mark else line.split() for line in text.splitlines()] for text in texts
    )
    between, out = mark or " ", []
    keyed: dict[str, list[list[str]]] = {}
    for other in right:
        if second < len(other):
            keyed.setdefault(other[second], []).append(other)
    for row in left:
        spend(4)
        key = row[first] if first < len(row) else ""
        for other in keyed.get(key, ()):
            spend(4)
            rest = [*row[:first], *row[first + 1 :], *other[:second], *other[second + 1 :]]
            out.append(between.join([key, *rest]) + "\n")
            allocate(len(out[-1]) + 60)
        if key not in keyed and flags.get("a") == "1":
            out.append(between.join([key, *row[:first], *row[first + 1 :]]) + "\n")
    return Output(0, "".join(out))


def _parts(session: Session, words: list[str], stdin: str) -> Output:
    """`split`: a text in files of so many lines or bytes."""
    flags, operands = options(words, "lbaCn")
    texts, errors = inputs(session, "split", operands[:1], stdin)
    if errors:
        why = errors.rstrip("\n").rpartition(": ")[2]
        said = f"split: cannot open '{operands[0]}' for reading: {why}\n"
        return Output(1, "", errors if session.busybox else said)
    text, prefix = "".join(texts), operands[1] if len(operands) > 1 else "x"
    size = flags.get("b", "")
    if size:
        unit = {"k": 1024, "K": 1024, "m": 1 << 20, "M": 1 << 20}.get(size[-1:], 1)
        amount = int(size.rstrip("kKmM") or 1) * unit
        pieces = [text[at : at + amount] for at in range(0, len(text), amount)]
    else:
        amount = int(flags["l"]) if flags.get("l", "").isdecimal() else 1000
        lines = text.splitlines(keepends=True)
        pieces = ["".join(lines[at : at + amount]) for at in range(0, len(lines), amount)]
    width = int(flags["a"]) if flags.get("a", "").isdecimal() else 2
    for number, piece in enumerate(pieces):
        suffix = f"{number:0{width}d}" if "d" in flags else _letters(number, width)
        try:
            session.files.write(session.path(prefix + suffix), piece)
        except FileError as error:
            return Output(1, "", f"split: {prefix}{suffix}: {error.words}\n")
    return Output()


def _letters(number: int, width: int) -> str:
    out = ""
    for _ in range(width):
        number, rest = divmod(number, 26)
        out = chr(ord("a") + rest) + out
    return out


def _cmp(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "n")
    texts, errors = inputs(session, "cmp", operands, stdin)
    if errors:
        return Output(2, "", errors)
    if len(texts) < 2:
        texts.append(stdin)
    left, right = (text.encode(errors="surrogateescape") for text in texts[:2])
    if left == right:
        return Output()
    at = next(
        (n for n, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), -1
    )
    if "s" in flags:
        return Output(1)
    if at < 0:
        short = operands[0] if len(left) < len(right) else operands[1]
        size = min(len(left), len(right))
        lines, whole = left[:size].count(10), left[:size].endswith(b"\n")
        place = f"line {lines}" if whole else f"in line {lines + 1}"
        where = "" if session.busybox else f" after byte {size}, {place}"
        return Output(1, "", f"cmp: EOF on {short}{where}\n")
    line = left[:at].count(b"\n") + 1
    return Output(1, f"{operands[0]} {operands[1]} differ: char {at + 1}, line {line}\n")


def _cksum(session: Session, words: list[str], stdin: str) -> Output:
    _, operands = options(words)
    out, err = "", ""
    for operand in operands or [""]:
        texts, errors = inputs(session, "cksum", [operand] if operand else [], stdin)
        err += errors
        if texts:
            data = texts[0].encode(errors="surrogateescape")
            out += f"{checksum(data)} {len(data)}{f' {operand}' if operand else ''}\n"
    return Output(1 if err else 0, out, err)


def checksum(data: bytes) -> int:
    """The checksum of POSIX: a CRC over the bytes and then over their number."""
    size, found = len(data), 0
    tail = bytearray()
    while size:
        tail.append(size & 255)
        size >>= 8
    for byte in (*data, *tail):
        found ^= byte << 24
        for _ in range(8):
            found = ((found << 1) ^ _POLYNOMIAL if found & 0x80000000 else found << 1) & 0xFFFFFFFF
    return found ^ 0xFFFFFFFF


TABLING_COMMANDS: dict[str, Command] = {
    "cksum": _cksum,
    "cmp": _cmp,
    "column": _column,
    "join": _join,
    "split": _parts,
}
