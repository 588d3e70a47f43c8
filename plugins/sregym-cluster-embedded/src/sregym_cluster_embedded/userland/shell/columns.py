"""cut and tr: parts of lines, and other characters for some."""

from __future__ import annotations

import re
from itertools import groupby

from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.printing import escaped
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs

_END = 10**9
_CLASSES = {
    "alpha": "A-Za-z", "digit": "0-9", "alnum": "A-Za-z0-9", "lower": "a-z", "upper": "A-Z",
    "space": "\t\n\v\f\r ", "blank": "\t ", "punct": "!-/:-@[-`{-~", "xdigit": "0-9A-Fa-f",
    "cntrl": "\x01-\x1f\x7f", "print": " -~", "graph": "!-~",
}  # fmt: skip


class _RangeError(ValueError):
    """A list of fields that is none; the text is the command's."""


def _cut(session: Session, words: list[str], stdin: str) -> Output:
    long = {"delimiter": "d", "fields": "f", "characters": "c", "bytes": "b", "only-delimited": "s"}
    long |= {"output-delimiter": "O", "complement": "C"}
    flags, operands = options(words, "dfcbFO", long)
    kinds = [letter for letter in "fcbF" if letter in flags]
    busy = session.busybox
    hint = "" if busy else "Try 'cut --help' for more information.\n"
    if not kinds:
        what = "expected a list of" if busy else "you must specify a list of"
        return Output(1, "", f"cut: {what} bytes, characters, or fields\n{hint}")
    if len(kinds) > 1 and not busy:
        return Output(1, "", f"cut: only one list may be specified\n{hint}")
    if not busy and len(flags.get("d", "x")) > 1:
        return Output(1, "", f"cut: the delimiter must be a single character\n{hint}")
    if not busy and "s" in flags and kinds[0] not in "fF":
        text = "suppressing non-delimited lines makes sense\n\tonly when operating on fields"
        return Output(1, "", f"cut: {text}\n{hint}")
    try:
        numbers = _ranges(session, flags[kinds[0]], fields=kinds[0] in "fF")
    except _RangeError as error:
        return Output(1, "", f"cut: {error}\n{hint}")
    texts, errors = inputs(session, "cut", operands, stdin)
    mark = flags.get("d", "\t")[:1] or "\0"
    between = flags.get("O", mark)
    out = ""
    for line in "".join(texts).splitlines():
        if kinds[0] in "cb":
            chosen = _chosen(list(line), numbers, flags)
            out += ("" if "O" not in flags else between).join(chosen) + "\n"
            continue
        parts = line.split() if kinds[0] == "F" else line.split(mark)
        if len(parts) == 1:
            out += "" if "s" in flags else f"{line}\n"
            continue
        out += between.join(_chosen(parts, numbers, flags)) + "\n"
    return Output(int(bool(errors)), out, errors)


def _chosen(parts: list[str], numbers: list[tuple[int, int]], flags: dict[str, str]) -> list[str]:
    inside = [any(a <= n <= b for a, b in numbers) for n in range(1, len(parts) + 1)]
    wanted = "C" not in flags
    return [part for part, found in zip(parts, inside, strict=True) if found == wanted]


def _ranges(session: Session, text: str, *, fields: bool) -> list[tuple[int, int]]:
    what = "field value" if fields else "byte/character position"
    found = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not re.fullmatch(r"\d*", first) or not re.fullmatch(r"\d*", last):
            if session.busybox:
                raise _RangeError(f"invalid number '{part if not dash else first or last}'")
            if "-" in last:
                whole = "field" if fields else "byte or character"
                raise _RangeError(f"invalid {whole} range")
            bad = first if not first.isdecimal() and first else last
            raise _RangeError(f"invalid {what} '{bad.lstrip('0123456789') or bad}'")
        if not first and not last and (dash or session.busybox):
            raise _RangeError("invalid range with no endpoint: -")
        low = int(first) if first else int(bool(dash))
        high = int(last or _END) if dash else low
        if low == 0 and not session.busybox:
            which = "fields" if fields else "byte/character positions"
            raise _RangeError(f"{which} are numbered from 1")
        if high < low:
            raise _RangeError(f"{low}<{high}" if session.busybox else "invalid decreasing range")
        found.append((max(low, 1), max(high, 1)))
    return found


def _no_set(sets: list[str], *, deletes: bool) -> str:
    """What is wrong with the sets of `tr`, as GNU says it."""
    for text in sets:
        for name in re.findall(r"\[:(\w+):\]", text):
            if name not in _CLASSES:
                return f"invalid character class '{name}'"
        for low, high in re.findall(r"(\w)-(\w)", text):
            if low > high:
                told = f"range-endpoints of '{low}-{high}'"
                return f"{told} are in reverse collating sequence order"
    if len(sets) > 1 and not sets[1] and not deletes:
        return "when not truncating set1, string2 must be non-empty"
    return ""


def _tr(session: Session, words: list[str], stdin: str) -> Output:
    flags, sets = options(words, "", {"delete": "d", "squeeze-repeats": "s", "complement": "c"})
    deletes, squeezes = "d" in flags, "s" in flags
    if len(sets) == 1 and not deletes and not squeezes:
        return Output(0, stdin)
    if not session.busybox and (wrong := _no_set(sets, deletes=deletes)):
        return Output(1, "", f"tr: {wrong}\n")
    first = _characters(sets[0])
    if "c" in flags or "C" in flags:
        known = {*map(chr, range(256)), *stdin}
        first = "".join(sorted(known - set(first)))
    second = _characters(sets[1]) if len(sets) > 1 else ""
    text = stdin
    if deletes:
        text = text.translate(dict.fromkeys(map(ord, first)))
    elif second:
        fill = second + second[-1] * max(0, len(first) - len(second))
        text = text.translate(
            {ord(a): b for a, b in reversed(list(zip(first, fill, strict=False)))}
        )
    if squeezes:
        last = second or first
        marks = frozenset(last)
        text = "".join(
            char if char in marks else char * len(tuple(run)) for char, run in groupby(text)
        )
    return Output(0, text)


def _characters(text: str) -> str:
    """A set with its ranges and classes spelt out."""

    def named(match: re.Match[str]) -> str:
        return _CLASSES.get(match[1], match[0])

    text = re.sub(r"\[:(\w+):\]", named, escaped(text))
    return re.sub(
        r"(.)-(.)",
        lambda m: "".join(map(chr, range(ord(m[1]), ord(m[2]) + 1))),
        text,
        flags=re.DOTALL,
    )


COLUMN_COMMANDS: dict[str, Command] = {"cut": _cut, "tr": _tr}
