"""The text of a query's syntax, on one line or broken where it is long, as Loki writes it."""

from __future__ import annotations

import math
import operator
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_promql.formats import duration_text, number, plain_text
from sregym_regex.go_text import quoted

from sregym_logql.nodes import (
    Binary,
    Both,
    Choose,
    LabelFilter,
    LabelFormat,
    LabelReplace,
    LineFilter,
    LineFormat,
    Logs,
    Number,
    Parser,
    RangeAggregation,
    VectorAggregation,
    VectorOf,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_promql.storage import Matcher

    from sregym_logql.nodes import (
        Comparison,
        Condition,
        Grouping,
        Metric,
        Node,
        Stage,
        Unwrap,
    )

_WIDTH = 100
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_PARTS = (("ms", 1_000_000), ("µs", 1_000), ("ns", 1))
_NS = 1_000_000_000
# Of two numbers Loki makes one when it reads them.
_FOLDED: Mapping[str, Callable[[float, float], float]] = MappingProxyType(
    {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": lambda left, right: left / right if right else math.nan,
        "%": lambda left, right: math.fmod(left, right) if right else math.nan,
        "^": lambda left, right: float(left**right),
        "==": lambda left, right: float(left == right),
        "!=": lambda left, right: float(left != right),
        ">": lambda left, right: float(left > right),
        ">=": lambda left, right: float(left >= right),
        "<": lambda left, right: float(left < right),
        "<=": lambda left, right: float(left <= right),
    }
)


def line(node: Node) -> str:
    """On one line."""
    if isinstance(node, Logs):
        inside = ", ".join(_matcher(matcher) for matcher in node.matchers)
        return " ".join([f"{{{inside}}}", *map(stage_text, node.stages)])
    if isinstance(node, Number):
        return number(node.value)
    if isinstance(node, VectorOf):
        return f"vector({node.value:f})"
    if isinstance(node, LabelReplace):
        return f"label_replace({','.join([line(node.inner), *map(quoted, node.words)])})"
    if isinstance(node, RangeAggregation):
        parameter = "" if node.parameter is None else f"{plain_text(node.parameter)},"
        unwrapped = "".join(f" {part}" for part in _unwrap(node.unwrap))
        offset = f" offset {_go_duration(node.offset_ns)}" if node.offset_ns else ""
        ranged = f"{line(node.logs)}{unwrapped}[{_duration(node.range_ns)}]{offset}"
        return f"{node.op}({parameter}{ranged}){_grouping(node.grouping, ',')}"
    if isinstance(node, VectorAggregation):
        grouping = "" if _is_one(node.grouping) else _grouping(node.grouping, ",")
        return f"{node.op}{grouping}({','.join([*_parameter(node), line(node.inner)])})"
    folded = _folded(node)
    if folded is not None:
        return number(folded)
    return f"({line(node.left)} {_operator(node, ',')} {line(node.right)})"


def pretty(node: Node, depth: int = 0) -> str:
    """Broken into lines where one would be too long."""
    indent = "  " * depth
    if len(line(node).encode()) <= _WIDTH or isinstance(node, Number | VectorOf):
        return indent + line(node)
    if isinstance(node, Logs):
        return "\n".join([indent + line(Logs(node.matchers)), *_stages(node.stages, depth + 1)])
    if isinstance(node, RangeAggregation):
        parameter = [] if node.parameter is None else [f"{indent}  {plain_text(node.parameter)},"]
        unwrapped = "".join(f"\n{indent}    {part}" for part in _unwrap(node.unwrap))
        offset = f" offset {_duration(node.offset_ns)}" if node.offset_ns else ""
        inside = f"{pretty(node.logs, depth + 1)}{unwrapped} [{_duration(node.range_ns)}]{offset}"
        closing = f"{indent}){_wide(node.grouping)}"
        return "\n".join([f"{indent}{node.op}(", *parameter, inside, closing])
    if isinstance(node, VectorAggregation):
        parameter = [f"{indent}  {text}," for text in _parameter(node)]
        opening = f"{indent}{node.op}{_wide(node.grouping)}("
        return "\n".join([opening, *parameter, pretty(node.inner, depth + 1), f"{indent})"])
    if isinstance(node, LabelReplace):
        words = [f"{indent}  {quoted(word)}" for word in node.words]
        inside = ",\n".join([pretty(node.inner, depth + 1), *words])
        return f"{indent}label_replace(\n{inside}\n{indent})"
    sides = pretty(node.left, depth + 1), pretty(node.right, depth + 1)
    return f"{sides[0]}\n{indent}{_operator(node, ', ')}\n{sides[1]}"


def _folded(node: Metric) -> float | None:
    """The value of an operation on numbers alone."""
    if isinstance(node, Number):
        return node.value
    if not isinstance(node, Binary) or node.op not in _FOLDED:
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None:
        return None
    try:
        return _FOLDED[node.op](left, right)
    except (OverflowError, TypeError, ZeroDivisionError):
        return math.nan if isinstance(left**0.5, complex) else math.inf


def _stages(stages: Sequence[Stage], depth: int) -> list[str]:
    """Each on a line of its own; filters of lines share one that is not too long."""
    indent = "  " * depth
    found: list[str] = []
    for filters, group in groupby(stages, lambda stage: isinstance(stage, LineFilter)):
        told = [*map(stage_text, group)]
        if filters:
            # What goes on one line is the longest beginning that fits.
            fits = next(
                (end for end in range(len(told), 1, -1) if len(" ".join(told[:end])) <= _WIDTH), 1
            )
            told = [" ".join(told[:fits]), *told[fits:]]
        # Loki forgets to move this one in.
        found.extend(text if text == "| decolorize" else indent + text for text in told)
    return found


def stage_text(stage: Stage) -> str:
    """One stage."""
    if isinstance(stage, LineFilter):
        texts = [quoted(text) for text in stage.texts]
        if stage.ip:
            texts[0] = f"ip({texts[0]})"
        return f"{stage.op} {' or '.join(texts)}"
    if isinstance(stage, Parser):
        flags = [f"--{flag}" for flag in ("strict", "keep-empty") if flag in stage.flags]
        wanted = ",".join(f"{label}={quoted(source)}" for label, source in stage.wanted)
        text = quoted(stage.text) if stage.kind in ("regexp", "pattern") else ""
        return " ".join(part for part in ("|", stage.kind, *flags, wanted, text) if part)
    if isinstance(stage, LabelFilter):
        return f"| {_condition(stage.condition)}"
    if isinstance(stage, LineFormat):
        return f"| line_format {quoted(stage.template)}"
    if isinstance(stage, LabelFormat):
        changes = (
            f"{target}={quoted(source) if is_template else source}"
            for target, source, is_template in stage.changes
        )
        return f"| label_format {','.join(changes)}"
    if isinstance(stage, Choose):
        named = (name if matcher is None else _matcher(matcher) for name, matcher in stage.labels)
        return f"| {'keep' if stage.keep else 'drop'} {','.join(named)}"
    return "| decolorize"


def _condition(condition: Condition) -> str:
    if isinstance(condition, Both):
        word = "," if condition.op == "and" else "or"
        return f"( {_condition(condition.left)} {word} {_condition(condition.right)} )"
    return f"{condition.label}{_compared(condition)}"


def _compared(comparison: Comparison) -> str:
    """Operator and value."""
    if comparison.kind == "string":
        return f"{comparison.op}{quoted(comparison.text)}"
    if comparison.kind == "ip":
        return f"{'!=' if comparison.op == '!=' else '='}ip({quoted(comparison.text)})"
    value = comparison.value
    shown = (
        _go_duration(round(value * _NS))
        if comparison.kind == "duration"
        else _size(value)
        if comparison.kind == "bytes"
        else plain_text(value)
    )
    return f"{'==' if comparison.op == '=' else comparison.op}{shown}"


def _matcher(matcher: Matcher) -> str:
    return f"{matcher.name}{matcher.op}{quoted(matcher.value)}"


def _unwrap(unwrap: Unwrap | None) -> list[str]:
    if unwrap is None:
        return []
    label = f"{unwrap.conversion}({unwrap.label})" if unwrap.conversion else unwrap.label
    behind = (f"| {_condition(one.condition)}" for one in unwrap.filters)
    return [f"| unwrap {label}", *behind]


def _parameter(node: VectorAggregation) -> list[str]:
    return [] if node.parameter is None else [number(node.parameter)]


def _is_one(grouping: Grouping | None) -> bool:
    """Whether everything is one group."""
    return grouping is None or not (grouping.labels or grouping.without)


def _grouping(grouping: Grouping | None, comma: str) -> str:
    if grouping is None:
        return ""
    return f" {'without' if grouping.without else 'by'} ({comma.join(grouping.labels)})"


def _wide(grouping: Grouping | None) -> str:
    """As it stands where a query is broken."""
    if grouping is None or not grouping.labels:
        return " without" if grouping is not None and grouping.without else ""
    return _grouping(grouping, ", ")


def _operator(node: Binary, comma: str) -> str:
    text = f"{node.op} bool" if node.returns_bool else node.op
    matching = node.matching
    side = {"many-to-one": "group_left", "one-to-many": "group_right"}.get(matching.cardinality, "")
    if matching.include:
        side += f" ({comma.join(matching.include)})"
    if matching.labels or (matching.on and comma == ","):
        word = "on" if matching.on else "ignoring"
        return f"{text} {word} ({comma.join(matching.labels)}) {side}"
    return text


def _duration(span_ns: int) -> str:
    return duration_text(span_ns // 1_000_000)


def _go_duration(span_ns: int) -> str:
    """As Go prints durations: `1h0m0s`, `1.5s`, `20ms`."""
    sign, rest = ("-", -span_ns) if span_ns < 0 else ("", span_ns)
    if rest < _NS:
        unit, size = next(((u, s) for u, s in _PARTS if rest >= s), ("s", _NS))
        return f"{sign}{_trimmed(rest, size)}{unit}"
    minutes, seconds = divmod(rest, 60 * _NS)
    hours, minutes = divmod(minutes, 60)
    shown = f"{_trimmed(seconds, _NS)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{shown}"
    return f"{sign}{minutes}m{shown}" if minutes else f"{sign}{shown}"


def _trimmed(amount: int, size: int) -> str:
    whole, part = divmod(amount, size)
    digits = f"{part:0{len(str(size)) - 1}d}".rstrip("0") if part else ""
    return f"{whole}.{digits}" if digits else str(whole)


def _size(value: float) -> str:
    """Bytes for people, by thousands."""
    if value < 10:
        return f"{value:.0f}B"
    exponent = min(int(math.log(value, 1000)), len(_SIZES) - 1)
    scaled = math.floor(value / 1000**exponent * 10 + 0.5) / 10
    return f"{scaled:.{0 if scaled >= 10 else 1}f}{_SIZES[exponent]}"
