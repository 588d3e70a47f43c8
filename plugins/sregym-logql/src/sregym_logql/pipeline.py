"""What the stages of a query do with its lines: put together once, then run on each line."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sregym_gotemplate import TemplateError
from sregym_regex.budget import cached

from sregym_logql.extracting import extractor
from sregym_logql.extraction import DETAILS, ERROR, ExtractionError
from sregym_logql.filtering import label_filter, line_filter
from sregym_logql.nodes import (
    Choose,
    LabelFilter,
    LabelFormat,
    LineFilter,
    LineFormat,
    Parser,
    Stage,
)
from sregym_logql.template import writer
from sregym_logql.units import go_duration_s, go_float, size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from sregym_promql.storage import Labels

    from sregym_logql.filtering import LineTest
    from sregym_logql.nodes import Unwrap
    from sregym_logql.streams import Entry

    # Changes labels, and gives the line that goes on, or None when a filter holds it back.
    Step: TypeAlias = Callable[[dict[str, str], str, int], str | None]
    # A step for the lines of a stream with these labels.
    Stepping: TypeAlias = Callable[[Mapping[str, str]], Step]
    # From lines to those that pass all stages, with labels and text behind them.
    Run: TypeAlias = Callable[[Iterable[Entry]], Iterator[tuple[Entry, dict[str, str], str]]]

# Sequences by which terminals change colours, and others of their kind.
_COLOURS = re.compile(
    r"[\x1b\x9b][\[\]()#;?]*"
    r"(?:(?:[a-zA-Z\d]*(?:;[a-zA-Z\d]*)*)?\x07|(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PRZcf-ntqry=><~])"
)
_CONVERSIONS: Mapping[str, Callable[[str], float]] = {
    "": go_float,
    "bytes": size_bytes,
    "duration": go_duration_s,
    "duration_seconds": go_duration_s,
}


class Pipeline:
    """The stages of one query.

    Args:
        stages: In their order.
        wanted: The only labels that anybody looks at behind them; None for all.
        now_ns: What templates take for the present.
    """

    def __init__(
        self, stages: tuple[Stage, ...], wanted: frozenset[str] | None = None, now_ns: int = 0
    ) -> None:
        count = 0
        while count < len(stages) and isinstance(stages[count], LineFilter):
            count += 1
        # Lines that a filter at the front holds back need no labels.
        self._tests: list[LineTest] = [
            line_filter(stage) for stage in stages[:count] if isinstance(stage, LineFilter)
        ]
        rest = stages[count:]
        parser = rest[0] if rest and isinstance(rest[0], Parser) else None
        self._bind = None if parser is None else extractor(parser, wanted)
        self._steps = [_stepping(stage, wanted, now_ns) for stage in rest[self._bind is not None :]]

    @property
    def keeps_labels(self) -> bool:
        """Whether the labels of a line are those of its stream."""
        return self._bind is None and not self._steps

    def over(self, stream: Labels) -> Run:
        """What happens to the lines of a stream."""
        own = dict(stream)
        tests, later = self._tests, [stepping(own) for stepping in self._steps]
        quick, steps = None, later
        if self._bind is not None:
            extract, quick = self._bind(own)
            steps = [extract, *later]
        plain = not steps

        def run(entries: Iterable[Entry]) -> Iterator[tuple[Entry, dict[str, str], str]]:
            for entry in entries:
                at_ns, line = entry
                for test in tests:
                    if not test(line):
                        break
                else:
                    if plain:
                        yield entry, own, line
                        continue
                    going_through = later
                    if quick is None or (labels := quick(line)) is None:
                        labels, going_through = own.copy(), steps
                    for step in going_through:
                        try:
                            going = step(labels, line, at_ns)
                        except ExtractionError as error:
                            # The line goes on as it is, and says so.
                            _note(labels, error.name, error.details)
                            continue
                        except TemplateError as error:
                            _note(labels, "TemplateFormatErr", str(error))
                            continue
                        if going is None:
                            break
                        line = going
                    else:
                        yield entry, labels, line

        return run


def _note(labels: dict[str, str], name: str, details: str) -> None:
    labels[ERROR] = name
    if details:
        labels[DETAILS] = details


class Order(NamedTuple):
    """Names of labels: lines of one form have the same.

    Attributes:
        names: Sorted.
        values: Takes the values out of labels, in the order of the names.
        words: What is filled with values to sort by.
    """

    names: tuple[str, ...]
    values: Callable[[Mapping[str, str]], tuple[str, ...]]
    words: str


def _only_value(labels: Mapping[str, str]) -> tuple[str, ...]:
    # Of a single name a getter would give no tuple.
    return tuple(labels.values())


@lru_cache(maxsize=1024)
def order_of(names: tuple[str, ...]) -> Order:
    """The order of names that come in another one."""
    ordered = tuple(sorted(names))
    values: Callable[[Mapping[str, str]], Any] = _only_value
    if len(ordered) > 1:
        values = itemgetter(*ordered)
    words = ",".join(f"{name.replace('%', '%%')}=%s" for name in ordered)
    return Order(ordered, values, words)


def line_labels(labels: Mapping[str, str]) -> Labels:
    """The labels of a line, those without a value included: a parser may have set them so."""
    order = order_of(tuple(labels))
    return tuple(zip(order.names, order.values(labels), strict=True))


def sorted_labels(labels: Mapping[str, str]) -> Labels:
    """The labels of a row; those without a value are as good as none."""
    found = line_labels(labels)
    return tuple(pair for pair in found if pair[1]) if "" in labels.values() else found


def pipeline(
    stages: tuple[Stage, ...], wanted: frozenset[str] | None = None, now_ns: int = 0
) -> Pipeline:
    """The pipeline of some stages; of labels only `wanted` ones are sure to be there, if named."""
    return _known(stages, wanted, now_ns if any(map(_tells_now, stages)) else 0)


@cached(256)
def _known(stages: tuple[Stage, ...], wanted: frozenset[str] | None, now_ns: int) -> Pipeline:
    return Pipeline(stages, wanted, now_ns)


def _tells_now(stage: Stage) -> bool:
    """Whether what a stage does may depend on the present."""
    if isinstance(stage, LineFormat):
        return "now" in stage.template
    return isinstance(stage, LabelFormat) and any("now" in source for _, source, _ in stage.changes)


def _stepping(stage: Stage, wanted: frozenset[str] | None, now_ns: int) -> Stepping:
    if isinstance(stage, Parser):
        bind = extractor(stage, wanted)
        return lambda own: bind(own).extract
    step = _step(stage, now_ns)
    return lambda _: step


def _step(stage: Stage, now_ns: int) -> Step:
    if isinstance(stage, LineFilter):
        passes = line_filter(stage)
        return lambda _, line, __: line if passes(line) else None
    if isinstance(stage, LabelFilter):
        holds = label_filter(stage.condition)
        return lambda labels, line, _: line if holds(labels) else None
    if isinstance(stage, LineFormat):
        return writer(stage.template, now_ns)
    if isinstance(stage, LabelFormat):
        return _label_format(stage, now_ns)
    if isinstance(stage, Choose):
        return _choosing(stage)
    return lambda _, line, __: _COLOURS.sub("", line)


def _label_format(stage: LabelFormat, now_ns: int) -> Step:
    changes = [
        (target, source, writer(source, now_ns, "label") if is_template else None)
        for target, source, is_template in stage.changes
    ]
    several = sum(is_template for _, _, is_template in stage.changes) > 1

    def step(labels: dict[str, str], line: str, at_ns: int) -> str:
        # Templates see the labels as they were at the first template of the stage.
        seen: dict[str, str] | None = None
        for target, source, write in changes:
            if write is None:
                # One that becomes itself is gone.
                if (value := labels.pop(source, None)) is not None and target != source:
                    labels[target] = value
                continue
            if several:
                seen = labels.copy() if seen is None else seen
            try:
                labels[target] = write(labels if seen is None else seen, line, at_ns)
            except TemplateError as error:
                labels[ERROR] = "TemplateFormatErr"
                labels[DETAILS] = str(error)
        return line

    return step


def _choosing(stage: Choose) -> Step:
    def step(labels: dict[str, str], line: str, _: int) -> str:
        named = {
            name
            for name, matcher in stage.labels
            if name in labels and (matcher is None or matcher.matches(labels[name]))
        }
        for name in [*labels]:
            if stage.keep:
                if name not in named and name not in (ERROR, DETAILS):
                    labels.pop(name)
            elif name in named:
                labels.pop(name)
        return line

    return step


def number_of(unwrap: Unwrap) -> Callable[[dict[str, str]], float | None]:
    """What takes the number out of labels; None when a line gives none."""
    read, name = _CONVERSIONS[unwrap.conversion], unwrap.label
    filters = [label_filter(stage.condition) for stage in unwrap.filters]

    def number(labels: dict[str, str]) -> float | None:
        text = labels.get(name)
        if not text:
            return None
        try:
            value = read(text)
        except ValueError as error:
            value = 0.0
            labels[ERROR] = "SampleExtractionErr"
            labels[DETAILS] = str(error)
        if filters and not all(holds(labels) for holds in filters):
            return None
        return value

    return number
