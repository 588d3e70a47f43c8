"""Runs scripts in the format of Prometheus' own tests: load, eval instant, eval range, clear."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_regex.go import anywhere

from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.engine import Engine
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.expecting import (
    Expectation,
    difference,
    expectation,
    grid,
    unlike,
)
from sregym_promql.memory import Memory, Sample, selects
from sregym_promql.nodes import Node, Selector, children
from sregym_promql.notation import (
    Lost,
    NotationError,
    duration_ms,
    lost_series,
    parse_line,
)
from sregym_promql.parsing import parse
from sregym_promql.response_json import instant_data, range_data
from sregym_promql.samples import NAME, Matcher, labels_of, value_of
from sregym_promql.series_selection import matchers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_promql.notes import Note

_EVAL = re.compile(
    r"eval(?:_(?P<mode>fail|ordered|warn|info))?\s+(?:instant\s+(?:at\s+(?P<at>\S+)\s+)?|"
    r"range\s+from\s+(?P<start>\S+)\s+to\s+(?P<end>\S+)\s+step\s+(?P<step>\S+)\s+)(?P<query>.+)"
)
_LOAD = re.compile(r"load\s+(\S+)")
# What the series of a classic histogram add to its name.
_OF_HISTOGRAMS = ("_bucket", "_count", "_sum")


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
class Unread:
    """A line that could not be read.

    Attributes:
        line: Its number.
        why: What is wrong with it.
    """

    line: int
    why: str

    def as_json(self) -> dict[str, Any]:
        """Of `sregym promql --script --json`."""
        return {"line": self.line, "why": self.why}


@dataclass
class Outcome:
    """What a script came to.

    Attributes:
        checked: Its evaluations, in order.
        unread: The lines that could not be read.
        left_out: How many evaluations were not carried out: those that could not be read, and those
            that may look at samples which could not be read.
        native: How many of these are about native histograms.
    """

    checked: list[Checked] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    left_out: int = 0
    native: int = 0

    @property
    def passed(self) -> int:
        """How many evaluations gave what the script expects."""
        return sum(one.ok for one in self.checked)

    @property
    def total(self) -> int:
        """How many evaluations there are but those about native histograms."""
        return len(self.checked) + self.left_out - self.native


def run_script(text: str, dialect: Dialect = PROMETHEUS_2) -> Outcome:
    """Carry out a script, all of it that can be read."""
    return _Runner(text.splitlines(), dialect).all()


class _Runner:
    def __init__(self, lines: Sequence[str], dialect: Dialect) -> None:
        self._dialect = dialect
        self._lines = [_without_comment(line) for line in lines]
        self._at = 0
        self._samples: list[Sample] = []
        # Series of which samples are missing.
        self._lost: set[Lost] = set()
        self._engine: Engine | None = None
        self._outcome = Outcome()

    def all(self) -> Outcome:
        while self._at < len(self._lines):
            line = self._lines[self._at].strip()
            self._at += 1
            if line:
                self._command(line)
        return self._outcome

    def _command(self, line: str) -> None:
        at, block = self._at, self._block()
        if line == "clear":
            self._samples, self._engine, self._lost = [], None, set()
        elif line.startswith("load"):
            self._load(at, line, block)
        elif (found := _EVAL.fullmatch(line)) is not None:
            self._check(at, found, block)
        else:
            self._unread(at, f"not a command: {line!r}")
            self._outcome.left_out += line.startswith("eval")

    def _unread(self, line: int, why: str) -> None:
        self._outcome.unread.append(Unread(line, why))

    def _block(self) -> list[tuple[int, str]]:
        """The indented lines that follow, with their numbers; an empty one ends them."""
        found = []
        while self._at < len(self._lines) and self._lines[self._at].strip():
            if not self._lines[self._at][0].isspace():
                break
            self._at += 1
            found.append((self._at, self._lines[self._at - 1].strip()))
        return found

    def _load(self, at: int, line: str, block: Sequence[tuple[int, str]]) -> None:
        self._engine = None
        native = line.startswith("load_with_nhcb")
        try:
            step_ms = _step_ms(line)
        except NotationError as error:
            self._unread(at, str(error))
            for _, text in block:
                self._lose(text, native=native)
            if not native:
                return
            step_ms = _step_ms(line.replace("load_with_nhcb", "load"))
        for number, text in block:
            try:
                read = parse_line(text)
            except NotationError as error:
                self._unread(number, str(error))
                self._lose(text, native="{{" in text)
                continue
            for index, value in enumerate(read.values):
                if value is not None:
                    self._samples.append(Sample(read.labels, index * step_ms, value))

    def _lose(self, text: str, *, native: bool) -> None:
        """Note that a series lacks samples; with those of a histogram's series it does, too."""
        lost = lost_series(text, native=native)
        name = value_of(lost.labels, NAME)
        suffix = next((one for one in _OF_HISTOGRAMS if name.endswith(one)), "")
        histogram = labels_of(
            (label, value) for label, value in lost.labels if label not in (NAME, "le")
        )
        histogram = labels_of([*histogram, (NAME, name.removesuffix(suffix))])
        made_native = native and suffix and "{{" not in text
        if not made_native:
            self._lost.add(lost)
        if suffix:
            self._lost.add(lost._replace(labels=histogram))

    def _check(self, at: int, found: re.Match[str], block: Sequence[tuple[int, str]]) -> None:
        query = found["query"].strip()
        lost = _missed(query, self._lost, self._dialect)
        native = any("{{" in text for _, text in block) or any(one.native for one in lost)
        try:
            grid(found)
            wanted = expectation(found["mode"] or "", [text for _, text in block])
        except NotationError as error:
            self._unread(at, str(error))
            self._outcome.left_out += 1
            self._outcome.native += native
            return
        if lost:
            self._outcome.left_out += 1
            self._outcome.native += native
        else:
            self._outcome.checked.append(self._judged(at, query, found, wanted))

    def _judged(self, line: int, query: str, found: re.Match[str], wanted: Expectation) -> Checked:
        if self._engine is None:
            self._engine = Engine(Memory(self._samples), dialect=self._dialect)
        try:
            got, notes = self._evaluated(found, query)
        except (ParseError, EvaluationError) as error:
            return _judged_error(line, query, str(error), wanted)
        if wanted.fails:
            return Checked(line, query, False, got, "expected an error")
        why = difference(got, wanted, found) or unlike(notes, wanted)
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


def _step_ms(line: str) -> int:
    """How far apart the samples of a load are.

    Raises:
        NotationError: That cannot be read, or the samples are no floats.
    """
    if line.startswith("load_with_nhcb"):
        message = "load_with_nhcb makes native histograms, which are not supported"
        raise NotationError(message)
    found = _LOAD.fullmatch(line)
    if found is None:
        message = f"not a command: {line!r}"
        raise NotationError(message)
    return duration_ms(found[1])


def _missed(query: str, lost: Iterable[Lost], dialect: Dialect) -> list[Lost]:
    """The series without samples that a query may look at."""
    try:
        selectors = list(_selectors(parse(query, dialect)))
    except ParseError:
        # It fails, whatever there is.
        return []
    wanted = [matchers_of(selector) for selector in selectors]
    return [one for one in lost if any(_may_be(matchers, one) for matchers in wanted)]


def _may_be(matchers: Sequence[Matcher], lost: Lost) -> bool:
    if lost.known:
        return selects(matchers, dict(lost.labels))
    name = value_of(lost.labels, NAME)
    return not name or all(one.matches(name) for one in matchers if one.name == NAME)


def _selectors(node: Node) -> Iterable[Selector]:
    if isinstance(node, Selector):
        yield node
    for part in children(node):
        yield from _selectors(part)


def _judged_error(line: int, query: str, error: str, wanted: Expectation) -> Checked:
    why = "" if wanted.fails else f"unexpected error: {error}"
    if wanted.message and wanted.message != error:
        why = f"expected the error {wanted.message!r}"
    if wanted.pattern and anywhere(wanted.pattern).search(error) is None:
        why = f"expected an error like {wanted.pattern!r}"
    return Checked(line, query, not why, {"error": error}, why)
