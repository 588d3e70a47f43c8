"""What the stages of a query do with its lines: put together once, then run on each line."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sregym_cluster_embedded.telemetry.logql.extracting import (
    DETAILS,
    ERROR,
    ExtractionError,
    extractor,
)
from sregym_cluster_embedded.telemetry.logql.filtering import label_filter, line_filter
from sregym_cluster_embedded.telemetry.logql.nodes import (
    Choose,
    LabelFilter,
    LabelFormat,
    LineFilter,
    LineFormat,
    Parser,
    Stage,
)
from sregym_cluster_embedded.telemetry.logql.template import expanded
from sregym_cluster_embedded.telemetry.logql.template_reading import TemplateError
from sregym_cluster_embedded.telemetry.logql.units import go_duration_s, go_float, size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.telemetry.logql.filtering import LineTest
    from sregym_cluster_embedded.telemetry.logql.nodes import Unwrap
    from sregym_cluster_embedded.telemetry.promql.data import Labels

    # Changes labels, and gives the line that goes on, or None when a filter holds it back.
    Step: TypeAlias = Callable[[dict[str, str], str, int, Mapping[str, str]], str | None]
    # From a line and its time to labels and line behind all stages.
    Run: TypeAlias = Callable[[str, int], tuple[dict[str, str], str] | None]

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
    """

    def __init__(self, stages: tuple[Stage, ...]) -> None:
        count = 0
        while count < len(stages) and isinstance(stages[count], LineFilter):
            count += 1
        # Lines that a filter at the front holds back need no labels.
        self._tests: list[LineTest] = [
            line_filter(stage) for stage in stages[:count] if isinstance(stage, LineFilter)
        ]
        self._steps = [_step(stage) for stage in stages[count:]]

    @property
    def keeps_labels(self) -> bool:
        """Whether the labels of a line are those of its stream."""
        return not self._steps

    def over(self, stream: Labels) -> Run:
        """What happens to the lines of a stream."""
        own = dict(stream)
        tests, steps = self._tests, self._steps

        def run(line: str, at_ns: int) -> tuple[dict[str, str], str] | None:
            for test in tests:
                if not test(line):
                    return None
            if not steps:
                return own, line
            labels = own.copy()
            for step in steps:
                going = step(labels, line, at_ns, own)
                if going is None:
                    return None
                line = going
            return labels, line

        return run


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


@lru_cache(maxsize=256)
def pipeline(stages: tuple[Stage, ...]) -> Pipeline:
    """The pipeline of some stages."""
    return Pipeline(stages)


def _step(stage: Stage) -> Step:
    if isinstance(stage, LineFilter):
        passes = line_filter(stage)
        return lambda _, line, __, ___: line if passes(line) else None
    if isinstance(stage, Parser):
        return _parsing(stage)
    if isinstance(stage, LabelFilter):
        holds = label_filter(stage.condition)
        return lambda labels, line, _, __: line if holds(labels) else None
    if isinstance(stage, LineFormat):
        return _line_format(stage.template)
    if isinstance(stage, LabelFormat):
        return _label_format(stage)
    if isinstance(stage, Choose):
        return _choosing(stage)
    return lambda _, line, __, ___: _COLOURS.sub("", line)


def _parsing(parser: Parser) -> Step:
    extract = extractor(parser)

    def step(labels: dict[str, str], line: str, _: int, own: Mapping[str, str]) -> str:
        try:
            return extract(line, labels, own)
        except ExtractionError as error:
            labels[ERROR] = error.name
            if error.details:
                labels[DETAILS] = error.details
            return line

    return step


def _line_format(template: str) -> Step:
    def step(labels: dict[str, str], line: str, at_ns: int, _: Mapping[str, str]) -> str:
        try:
            return expanded(template, labels, line, at_ns)
        except TemplateError as error:
            labels[ERROR] = "TemplateFormatErr"
            labels[DETAILS] = str(error)
            return line

    return step


def _label_format(stage: LabelFormat) -> Step:
    def step(labels: dict[str, str], line: str, at_ns: int, _: Mapping[str, str]) -> str:
        # Templates see the labels as they were at the first template of the stage.
        seen: dict[str, str] | None = None
        for target, source, is_template in stage.changes:
            if not is_template:
                if source in labels:
                    labels[target] = labels[source]
                    labels.pop(source)
                continue
            seen = labels.copy() if seen is None else seen
            try:
                labels[target] = expanded(source, seen, line, at_ns)
            except TemplateError as error:
                labels[ERROR] = "TemplateFormatErr"
                # Templates of labels have another name.
                said = str(error).replace("template: line:", "template: label:", 1)
                labels[DETAILS] = said.replace('executing "line"', 'executing "label"', 1)
        return line

    return step


def _choosing(stage: Choose) -> Step:
    def step(labels: dict[str, str], line: str, _: int, __: Mapping[str, str]) -> str:
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
        return value if all(holds(labels) for holds in filters) else None

    return number
