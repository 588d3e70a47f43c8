"""label_replace, label_join, and the labels of what is absent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.budget import allocate, spend
from sregym_regex.go import PatternError, compiled

from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.errors import EvaluationError
from sregym_promql.nodes import (
    Aggregate,
    Call,
    Node,
    Range,
    Selector,
    Text,
    children,
)
from sregym_promql.samples import (
    NAME,
    Labels,
    labels_of,
    value_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_regex.matches import Match


_ABSENT = ("absent", "absent_over_time")
_RELABELLING = ("label_join", "label_replace")
_LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_REFERENCE = re.compile(r"\$(\$|\{\w+\}|\w+)")


def refused_pattern(pattern: str) -> EvaluationError:
    """A pattern that is none."""
    return EvaluationError(f"invalid regular expression in label_replace(): {pattern}")


def refused_name(function: str, which: str, name: str) -> EvaluationError:
    """A label's name that is none."""
    return EvaluationError(f"invalid {which} label name in {function}(): {name}")


def replaced(
    rows: Sequence[Labels],
    target: str,
    replacement: str,
    source: str,
    pattern: str,
    dialect: Dialect = PROMETHEUS_2,
) -> list[Labels]:
    """The rows with `target` set where the whole value of `source` matches.

    Raises:
        EvaluationError: The pattern or the name of the target is none.
    """
    try:
        wanted = compiled(pattern)
        if dialect.dot_matches_newline:
            wanted = compiled(f"(?s:{pattern})")
    except PatternError:
        raise refused_pattern(pattern) from None
    _check("label_replace", "destination", target, dialect)
    result = []
    for labels in rows:
        found = wanted.fullmatch(value_of(labels, source))
        if found is None:
            result.append(labels)
            continue
        result.append(_with(labels, target, _expanded(replacement, found)))
    return result


def joined(
    rows: Sequence[Labels],
    target: str,
    separator: str,
    sources: Sequence[str],
    dialect: Dialect = PROMETHEUS_2,
) -> list[Labels]:
    """The rows with `target` set to the joined values of `sources`.

    Raises:
        EvaluationError: A name is none.
    """
    for source in sources:
        _check("label_join", "source", source, dialect)
    _check("label_join", "destination", target, dialect)
    return [
        _with(labels, target, separator.join(value_of(labels, source) for source in sources))
        for labels in rows
    ]


def with_label(rows: Sequence[Labels], name: str, value: str) -> list[Labels]:
    """The rows with a label set."""
    return [_with(labels, name, value) for labels in rows]


def of_absent(node: Node) -> Labels:
    """What a selector that finds nothing says about the labels of what is missing."""
    selector = node.selector if isinstance(node, Range) else node
    if not isinstance(selector, Selector):
        return ()
    wanted: dict[str, str] = {}
    # Only a value after a value, or a pattern after it, makes a label uncertain.
    told: set[str] = set()
    for matcher in selector.matchers:
        if matcher.name == NAME:
            continue
        if matcher.op == "=" and matcher.name not in told:
            told.add(matcher.name)
            wanted[matcher.name] = matcher.value
        else:
            wanted.pop(matcher.name, None)
    return labels_of(wanted)


def _check(function: str, which: str, name: str, dialect: Dialect) -> None:
    good = bool(name) if dialect.quoted_names else _LABEL_NAME.fullmatch(name) is not None
    if not good:
        raise refused_name(function, which, name)


def _with(labels: Labels, name: str, value: str) -> Labels:
    spend(6)
    allocate(len(value))
    return labels_of([*(pair for pair in labels if pair[0] != name), (name, value)])


def _expanded(template: str, found: Match) -> str:
    """Go's Expand: `$1`, `${name}`, `$$`; what does not exist is empty."""

    def value(reference: re.Match[str]) -> str:
        name = reference.group(1)
        if name == "$":
            return "$"
        name = name.strip("{}")
        try:
            return found.group(int(name) if name.isdigit() else name) or ""
        except IndexError:
            return ""

    return _REFERENCE.sub(value, template)


def added(node: Node) -> set[str]:
    """The names of labels that an expression may give to what has them not."""
    found = {name for part in children(node) for name in added(part)}
    if isinstance(node, Call) and node.name in _ABSENT:
        found.update(name for name, _ in of_absent(node.arguments[0]))
    elif isinstance(node, Call) and node.name in _RELABELLING:
        found.update(part.value for part in node.arguments[1:2] if isinstance(part, Text))
    elif isinstance(node, Aggregate) and isinstance(node.parameter, Text):
        found.add(node.parameter.value)
    return found
