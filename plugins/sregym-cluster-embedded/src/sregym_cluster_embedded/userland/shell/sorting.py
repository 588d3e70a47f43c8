"""sort and uniq."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from sregym_regex.budget import spend

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.errno_messages import complaint
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.shell.text import inputs

_MONTHS = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
_FIELD = re.compile(r"\s*\S+")
_KEY = re.compile(r"(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?")
_ORDERS = "nghMVfdib"


class _Key(NamedTuple):
    """`-k 2.1n,3`: places from 1; `last` is 0 for the end of the line."""

    first: int
    start: int
    last: int
    stop: int
    letters: str


# Without keys the whole line counts.
_WHOLE: list[_Key | None] = [None]


# What it takes to bring one line into its place.
_ORDER_STEPS = 6


def _sort(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "kotST", _LONG)
    failed = 2
    if "t" in flags and len(flags["t"]) != 1 and flags["t"] != "\\0":
        bad = "sort: bad -t parameter\n"
        return Output(
            failed, "", bad if session.busybox else f"sort: multi-character tab '{flags['t']}'\n"
        )
    keys: list[_Key | None] = []
    for place in _places(words):
        found = _KEY.fullmatch(place)
        if found is None or found[1] == "0":
            text = "sort: bad field specification\n"
            if not session.busybox:
                text = f"sort: invalid number at field start: invalid count at start of '{place}'\n"
                if found is not None:
                    text = f"sort: -: invalid field specification '{place}'\n".replace("-: ", "")
            return Output(failed, "", text)
        letters = found[3] + (found[6] or "")
        keys.append(
            _Key(int(found[1]), int(found[2] or 1), int(found[4] or 0), int(found[5] or 0), letters)
        )
    texts, errors = inputs(session, "sort", operands, stdin)
    if errors:
        return Output(failed, "", errors)
    spend(_ORDER_STEPS * sum(text.count("\n") for text in texts))
    mark, end = flags.get("t"), "\0" if "z" in flags else "\n"
    text = "".join(texts)
    lines = (text.removesuffix(end)).split(end) if text else []
    order = _Order(mark, keys, "".join(letter for letter in flags if letter in _ORDERS))
    backwards, stable = "r" in flags, "s" in flags or ("u" in flags and not session.busybox)
    ranked = list(lines) if stable else sorted(lines, key=_plain, reverse=backwards)
    for key in reversed(keys or _WHOLE):
        turned = "r" in key.letters if key is not None and key.letters else backwards
        ranked = order.ranked(ranked, key, turned)
        if turned and stable:
            ranked = _steady(lines, order, keys, backwards)
            break
    if "c" in flags or "C" in flags:
        return _checked(session, words, lines, ranked, quiet="C" in flags)
    if "u" in flags:
        seen: dict[object, str] = {}
        for line in ranked:
            seen.setdefault(order.whole(line) if keys or order.letters else line, line)
        ranked = list(seen.values())
    shown = "".join(f"{line}{end}" for line in ranked)
    if "o" not in flags:
        return Output(0, shown)
    try:
        session.files.write(session.path(flags["o"]), shown)
    except FileError as error:
        return Output(failed, "", complaint(session, "sort", "create", flags["o"], error))
    return Output()


_LONG = {
    "reverse": "r", "numeric-sort": "n", "unique": "u", "key": "k", "field-separator": "t",
    "output": "o", "human-numeric-sort": "h", "version-sort": "V", "ignore-case": "f",
    "stable": "s", "check": "c", "zero-terminated": "z", "general-numeric-sort": "g",
}  # fmt: skip


def _places(words: list[str]) -> list[str]:
    """The values of all `-k`, in their order."""
    found, at = [], 1
    while at < len(words):
        match = re.fullmatch(r"-[a-jl-zA-Z]*k(.*)", words[at]) or re.fullmatch(
            r"--key=(.*)", words[at]
        )
        if match is not None and match[1]:
            found.append(match[1])
        elif match is not None and at + 1 < len(words):
            at += 1
            found.append(words[at])
        at += 1
    return found


def _plain(line: str) -> bytes:
    return line.encode(errors="surrogateescape")


class _Order:
    """How lines are compared."""

    def __init__(self, mark: str | None, keys: list[_Key | None], letters: str) -> None:
        self._mark = mark
        self._keys = keys
        self.letters = letters

    def whole(self, line: str) -> tuple[object, ...]:
        """All keys of a line together."""
        return tuple(self.of(line, key) for key in self._keys or _WHOLE)

    def ranked(self, lines: list[str], key: _Key | None, backwards: bool) -> list[str]:
        """Lines in the order of one key; equal ones as they stood."""

        def rank(line: str) -> Any:
            return self.of(line, key)

        return sorted(lines, key=rank, reverse=backwards)

    def of(self, line: str, key: _Key | None) -> object:
        """What a line is compared by."""
        if key is None:
            return _rank(line, self.letters)
        letters = key.letters.replace("r", "") or ("" if "r" in key.letters else self.letters)
        return _rank(self._cut(line, key), letters)

    def _cut(self, line: str, key: _Key) -> str:
        if self._mark is not None:
            parts = line.split(self._mark)
            borders = [0]
            for part in parts:
                borders.append(borders[-1] + len(part) + 1)
        else:
            borders = [0, *(match.end() for match in re.finditer(r"\s*\S+", line))]
            borders = borders if len(borders) > 1 else [0, len(line)]
        at = borders[min(key.first - 1, len(borders) - 1)]
        at = min(at + key.start - 1, len(line))
        if not key.last:
            return line[at:]
        end = borders[min(key.last, len(borders) - 1)] - (1 if self._mark is not None else 0)
        if key.stop:
            end = min(end, borders[min(key.last - 1, len(borders) - 1)] + key.stop)
        return line[at : max(at, end)]


def _rank(text: str, letters: str) -> object:
    if set("ngh") & set(letters):
        found = re.match(r"\s*(-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)([KMGTPE]?)", text)
        if found is None:
            return 0.0
        number = found[1] if "g" in letters else re.sub(r"[eE].*", "", found[1])
        return float(number) * 1024.0 ** (
            "KMGTPE".find(found[2]) + 1 if "h" in letters and found[2] else 0
        )
    if "M" in letters:
        return _MONTHS.find(text.strip()[:3].upper()) if text.strip() else -1
    if "V" in letters:
        return re.sub(r"\d+", lambda match: match.group().zfill(12), text)
    if "b" in letters:
        text = text.lstrip()
    if "d" in letters:
        text = re.sub(r"[^\w\s]", "", text)
    return _plain(text.upper() if "f" in letters else text)


def _steady(lines: list[str], order: _Order, keys: list[_Key | None], backwards: bool) -> list[str]:
    """Lines that are equal keep their order, also where others are sorted backwards."""
    ranked = list(lines)
    for key in reversed(keys or _WHOLE):
        turned = "r" in key.letters if key is not None and key.letters else backwards
        if turned:
            ranked = ranked[::-1]
        ranked = order.ranked(ranked, key, turned)
        if turned:
            # `reverse` keeps equal ones as they stood, which was backwards.
            groups: dict[object, list[str]] = {}
            for line in ranked:
                groups.setdefault(order.of(line, key), []).append(line)
            ranked = [line for group in groups.values() for line in group[::-1]]
    return ranked


def _checked(
    session: Session, words: list[str], lines: list[str], ranked: list[str], *, quiet: bool
) -> Output:
    wrong = next(
        (n for n, pair in enumerate(zip(lines, ranked, strict=True)) if pair[0] != pair[1]), None
    )
    if wrong is None:
        return Output()
    if quiet:
        return Output(1)
    at = next(
        n for n in range(1, len(lines)) if ranked.index(lines[n]) < ranked.index(lines[n - 1])
    )
    if session.busybox:
        return Output(1, "", f"Check line {at}\n")
    name = next((word for word in words[1:] if not word.startswith("-")), "-")
    return Output(1, "", f"sort: {name}:{at + 1}: disorder: {lines[at]}\n")


def _behind_fields(line: str, count: int) -> str:
    """A line without its first fields."""
    at = 0
    for _ in range(min(count, len(line))):
        found = _FIELD.match(line, at)
        if found is None:
            break
        at = found.end()
    return line[at:]


def _uniq(session: Session, words: list[str], stdin: str) -> Output:
    flags, operands = options(words, "fsw", {"count": "c", "repeated": "d", "unique": "u"})
    numbers = {}
    for letter in "fsw":
        value = flags.get(letter, "0")
        if not value.isdecimal():
            if session.busybox:
                return Output(1, "", f"uniq: invalid number '{value}'\n")
            what = {"f": "fields to skip", "s": "bytes to skip", "w": "bytes to compare"}[letter]
            return Output(1, "", f"uniq: {value}: invalid number of {what}\n")
        numbers[letter] = int(value)
    texts, errors = inputs(session, "uniq", operands[:1], stdin)

    def key(line: str) -> str:
        rest = _behind_fields(line, numbers["f"])
        rest = rest[numbers["s"] :]
        rest = rest[: numbers["w"]] if "w" in flags else rest
        return rest.lower() if "i" in flags else rest

    groups: list[tuple[str, int]] = []
    for line in "".join(texts).splitlines():
        if groups and key(groups[-1][0]) == key(line):
            groups[-1] = (groups[-1][0], groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    kept = [
        (line, n)
        for line, n in groups
        if not ("d" in flags and n == 1) and not ("u" in flags and n > 1)
    ]
    shown = "".join(f"{n:>7} {line}\n" if "c" in flags else f"{line}\n" for line, n in kept)
    if len(operands) > 1 and operands[1] != "-":
        try:
            session.files.write(session.path(operands[1]), shown)
        except FileError as error:
            return Output(1, "", complaint(session, "uniq", "open", operands[1], error))
        shown = ""
    return Output(int(bool(errors)), shown, errors)


SORTING_COMMANDS: dict[str, Command] = {"sort": _sort, "uniq": _uniq}
