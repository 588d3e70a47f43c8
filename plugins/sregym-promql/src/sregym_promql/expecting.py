"""What a script expects of an evaluation, and what an answer has that is different."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_regex.go import anywhere

from sregym_promql.lexing import string_value
from sregym_promql.notation import (
    Line,
    NotationError,
    duration_ms,
    number,
    parse_line,
)
from sregym_promql.notes import INFO, WARNING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_promql.notes import Note
    from sregym_promql.samples import Labels

_RANGE = re.compile(
    r"range vector from\s+(?P<start>\S+)\s+to\s+(?P<end>\S+)\s+step\s+(?P<step>\S+)"
)
_EXPECT = re.compile(
    r"(?:ordered|no_warn|no_info|(?P<type>fail|warn|info)(?:\s+(?P<match>msg|regex):(?P<text>.*))?)"
)
# What scripts call them, people, and notes.
_KINDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"warn": ("a warning", WARNING), "info": ("an info", INFO)}
)
# Upstream compares with this relative difference.
_CLOSE = 1e-6
_SPECIAL = {"+Inf": "inf", "-Inf": "-inf"}


@dataclass(frozen=True)
class Expectation:
    """What follows an eval."""

    rows: tuple[Line, ...]
    scalar: float | None
    fails: bool
    ordered: bool
    message: str = ""
    pattern: str = ""
    text: str | None = None
    times: tuple[int, ...] | None = None
    notes: tuple[_Said, ...] = ()
    silent: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Said:
    """A warning or info that is expected.

    Attributes:
        kind: `warn` or `info`.
        text: The whole text; None for any.
        pattern: What it looks like; None for any.
    """

    kind: str
    text: str | None = None
    pattern: str | None = None

    def fits(self, found: str) -> bool:
        """Whether a text is what is expected."""
        if self.pattern is not None:
            return anywhere(self.pattern).search(found) is not None
        return self.text is None or self.text == found

    def __str__(self) -> str:
        shown = "" if self.text is None else f" {self.text!r}"
        return shown if self.pattern is None else f" like {self.pattern!r}"


def expectation(mode: str, block: Sequence[str]) -> Expectation:
    """What the lines behind an evaluation say.

    Raises:
        NotationError: One of them cannot be read.
    """
    rows: list[Line] = []
    scalar: float | None = None
    fails, ordered = mode == "fail", mode == "ordered"
    message = pattern = ""
    string: str | None = None
    times: tuple[int, ...] | None = None
    notes = [_Said(mode)] if mode in _KINDS else []
    silent: set[str] = set()
    for text in block:
        command, _, rest = text.partition(" ")
        if command == "expected_fail_message":
            message = rest.strip()
        elif command == "expected_fail_regexp":
            pattern = rest.strip()
        elif command == "expect" and rest.startswith("string "):
            string = string_value(rest.partition(" ")[2].strip())
        elif command == "expect" and (span := _RANGE.fullmatch(rest)) is not None:
            times = tuple(grid(span))
        elif command == "expect":
            expected = _EXPECT.fullmatch(rest)
            if expected is None:
                message = f"not an expectation: {text!r}"
                raise NotationError(message)
            ordered = ordered or rest == "ordered"
            told = (expected["text"] or "").strip()
            if expected["type"] == "fail":
                fails = True
                message = told if expected["match"] == "msg" else message
                pattern = told if expected["match"] == "regex" else pattern
            elif expected["type"] is not None:
                literal = told if expected["match"] == "msg" else None
                like = told if expected["match"] == "regex" else None
                notes.append(_Said(expected["type"], literal, like))
            elif rest != "ordered":
                silent.add(rest.removeprefix("no_"))
        elif re.fullmatch(r"[+-]?(?:[\d.][\deExX.+-]*|[iI]nf|[nN]a[nN])", text):
            scalar = number(text)
        else:
            rows.append(parse_line(text))
    return Expectation(
        tuple(rows), scalar, fails, ordered, message, pattern, string, times,
        tuple(notes), frozenset(silent),
    )  # fmt: skip


def unlike(notes: Sequence[Note], wanted: Expectation) -> str:
    """Each note that is expected has to be there; of a kind that is expected, no other one."""
    for kind, (name, told) in _KINDS.items():
        found = [note.bare for note in notes if note.kind == told]
        expected = [one for one in wanted.notes if one.kind == kind]
        for one in expected:
            if not any(one.fits(text) for text in found):
                return f"expected {name}{one}, got {found or 'none'}"
        for text in found:
            if kind in wanted.silent or (expected and not any(one.fits(text) for one in expected)):
                return f"not expected: {text!r}"
    return ""


def difference(got: dict[str, Any], wanted: Expectation, found: re.Match[str]) -> str:
    """What data have that is not as expected; empty when nothing is."""
    if wanted.scalar is not None:
        if got["resultType"] != "scalar":
            return f"expected a scalar, got a {got['resultType']}"
        value = _read(got["result"][1])
        return "" if _close(value, wanted.scalar) else f"expected {wanted.scalar}, got {value}"
    if wanted.text is not None:
        if got["resultType"] != "string":
            return f"expected a string, got a {got['resultType']}"
        value = got["result"][1]
        return "" if value == wanted.text else f"expected {wanted.text!r}, got {value!r}"
    if got["resultType"] in ("scalar", "string"):
        return f"expected a vector, got a {got['resultType']}"
    actual = {_labels(row): _points(row) for row in got["result"]}
    times = list(wanted.times) if wanted.times is not None else grid(found)
    expected = {
        line.labels: {
            at: value for at, value in zip(times, line.values, strict=False) if value is not None
        }
        for line in wanted.rows
    }
    expected = {labels: points for labels, points in expected.items() if points}
    for labels in sorted({*actual, *expected}):
        if labels not in actual:
            return f"missing: {dict(labels)}"
        if labels not in expected:
            return f"not expected: {dict(labels)}"
        if actual[labels].keys() != expected[labels].keys():
            return f"{dict(labels)}: values at other times than expected"
        for at, value in expected[labels].items():
            if not _close(actual[labels][at], value):
                return f"{dict(labels)} at {at} ms: expected {value}, got {actual[labels][at]}"
    order = [line.labels for line in wanted.rows]
    if wanted.ordered and [_labels(row) for row in got["result"]] != order:
        return "the rows have another order"
    return ""


def grid(found: re.Match[str]) -> list[int]:
    """The moments of an evaluation in milliseconds.

    Raises:
        NotationError: They cannot be read, or there are none.
    """
    if found["step"] is None:
        return [duration_ms(found["at"] or "0")]
    start, end, step = (duration_ms(found[part]) for part in ("start", "end", "step"))
    if step <= 0:
        message = f"a step has to be longer than nothing: {found['step']!r}"
        raise NotationError(message)
    if end < start:
        message = f"the end {found['end']!r} lies before the start {found['start']!r}"
        raise NotationError(message)
    return list(range(start, end + 1, step))


def _labels(row: dict[str, Any]) -> Labels:
    return tuple(sorted(row["metric"].items()))


def _points(row: dict[str, Any]) -> dict[int, float]:
    points = [row["value"]] if "value" in row else row["values"]
    return {round(at * 1000): _read(value) for at, value in points}


def _read(text: str) -> float:
    return float(_SPECIAL.get(text, text))


def _close(got: float, wanted: float) -> bool:
    if math.isnan(got) or math.isnan(wanted):
        return math.isnan(got) and math.isnan(wanted)
    return got == wanted or math.isclose(got, wanted, rel_tol=_CLOSE)
