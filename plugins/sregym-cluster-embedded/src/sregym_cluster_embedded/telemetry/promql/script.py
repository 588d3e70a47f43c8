"""Runs scripts in the format of Prometheus' own tests: load, eval instant, eval range, clear."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.patterns.go import anywhere
from sregym_cluster_embedded.telemetry.promql.answers import instant_data, range_data
from sregym_cluster_embedded.telemetry.promql.engine import Engine
from sregym_cluster_embedded.telemetry.promql.errors import EvaluationError, ParseError
from sregym_cluster_embedded.telemetry.promql.lexing import string_value
from sregym_cluster_embedded.telemetry.promql.memory import Memory, Sample
from sregym_cluster_embedded.telemetry.promql.notation import (
    Line,
    NotationError,
    duration_ms,
    number,
    parse_line,
)
from sregym_cluster_embedded.telemetry.promql.notes import INFO, WARNING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.telemetry.promql.data import Labels
    from sregym_cluster_embedded.telemetry.promql.notes import Note

_EVAL = re.compile(
    r"eval(?:_(?P<mode>fail|ordered|warn|info))?\s+(?:instant\s+(?:at\s+(?P<at>\S+)\s+)?|"
    r"range\s+from\s+(?P<start>\S+)\s+to\s+(?P<end>\S+)\s+step\s+(?P<step>\S+)\s+)(?P<query>.+)"
)
_RANGE = re.compile(
    r"range vector from\s+(?P<start>\S+)\s+to\s+(?P<end>\S+)\s+step\s+(?P<step>\S+)"
)
_LOAD = re.compile(r"load\s+(\S+)")
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


class ScriptError(ValueError):
    """A script that cannot be read; names the line."""


@dataclass(frozen=True)
class Checked:
    """One evaluation of a script.

    Attributes:
        line: Where it stands.
        query: What was evaluated.
        ok: Whether it gave what the script expects.
        got: The data of the answer, or the error.
        why: What differs, when it does.
    """

    line: int
    query: str
    ok: bool
    got: Any
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """Of `sregym promql --script --json`."""
        return {
            "line": self.line,
            "expr": self.query,
            "ok": self.ok,
            "got": self.got,
            "why": self.why,
        }


@dataclass(frozen=True)
class _Expectation:
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


def run_script(text: str) -> list[Checked]:
    """Carry out a script; one entry for each evaluation.

    Raises:
        ScriptError: A line cannot be read.
    """
    return _Runner(text.splitlines()).all()


class _Runner:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [_without_comment(line) for line in lines]
        self._at = 0
        self._samples: list[Sample] = []
        self._engine: Engine | None = None

    def all(self) -> list[Checked]:
        checked = []
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            self._at += 1
            if not line:
                continue
            try:
                found = self._command(line)
            except NotationError as error:
                message = f"line {self._at}: {error}"
                raise ScriptError(message) from None
            if found is not None:
                checked.append(found)
        return checked

    def _command(self, line: str) -> Checked | None:
        if line == "clear":
            self._samples, self._engine = [], None
        elif line.startswith("load_with_nhcb"):
            message = "load_with_nhcb makes native histograms, which are not supported"
            raise NotationError(message)
        elif (load := _LOAD.fullmatch(line)) is not None:
            self._load(duration_ms(load[1]))
        elif (found := _EVAL.fullmatch(line)) is not None:
            if found["step"] is not None:
                _grid(found)
            return self._check(self._at, found)
        else:
            message = f"not a command: {line!r}"
            raise NotationError(message)
        return None

    def _block(self) -> list[str]:
        """The indented lines that follow; an empty one ends them."""
        found = []
        while self._at < len(self._lines) and self._lines[self._at].strip():
            if not self._lines[self._at][0].isspace():
                break
            found.append(self._lines[self._at].strip())
            self._at += 1
        return found

    def _load(self, step_ms: int) -> None:
        self._engine = None
        for text in self._block():
            line = parse_line(text)
            for index, value in enumerate(line.values):
                if value is not None:
                    self._samples.append(Sample(line.labels, index * step_ms, value))

    def _check(self, line: int, found: re.Match[str]) -> Checked:
        wanted = _expectation(found["mode"] or "", self._block())
        if self._engine is None:
            self._engine = Engine(Memory(self._samples))
        query = found["query"].strip()
        try:
            got, notes = self._evaluated(found, query)
        except (ParseError, EvaluationError) as error:
            return _judged_error(line, query, str(error), wanted)
        if wanted.fails:
            return Checked(line, query, False, got, "expected an error")
        why = _difference(got, wanted, found) or _unlike(notes, wanted)
        return Checked(line, query, not why, got, why)

    def _evaluated(self, found: re.Match[str], query: str) -> tuple[dict[str, Any], Sequence[Note]]:
        assert self._engine is not None
        if found["step"] is None:
            at_ms = duration_ms(found["at"] or "0")
            answer = self._engine.instant(query, at_ms / 1000)
            return instant_data(answer, at_ms), answer.notes
        start, end, step = (duration_ms(found[part]) for part in ("start", "end", "step"))
        ranged = self._engine.range(query, start / 1000, end / 1000, step / 1000)
        return range_data(ranged), ranged.notes


def _without_comment(line: str) -> str:
    return "" if line.lstrip().startswith("#") else line


def _expectation(mode: str, block: Sequence[str]) -> _Expectation:
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
            times = tuple(_grid(span))
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
    return _Expectation(
        tuple(rows), scalar, fails, ordered, message, pattern, string, times,
        tuple(notes), frozenset(silent),
    )  # fmt: skip


def _judged_error(line: int, query: str, error: str, wanted: _Expectation) -> Checked:
    why = "" if wanted.fails else f"unexpected error: {error}"
    if wanted.message and wanted.message != error:
        why = f"expected the error {wanted.message!r}"
    if wanted.pattern and anywhere(wanted.pattern).search(error) is None:
        why = f"expected an error like {wanted.pattern!r}"
    return Checked(line, query, not why, {"error": error}, why)


def _unlike(notes: Sequence[Note], wanted: _Expectation) -> str:
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


def _difference(got: dict[str, Any], wanted: _Expectation, found: re.Match[str]) -> str:
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
    times = list(wanted.times) if wanted.times is not None else _grid(found)
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


def _grid(found: re.Match[str]) -> list[int]:
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
