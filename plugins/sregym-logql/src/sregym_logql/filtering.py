"""Filters of lines and of labels, each made once for a query."""

from __future__ import annotations

import ipaddress
import operator
import re
from typing import TYPE_CHECKING, TypeAlias

from sregym_regex.go import anywhere, compiled

from sregym_logql.extraction import DETAILS, ERROR
from sregym_logql.nodes import Both, Comparison
from sregym_logql.patterns import line_test
from sregym_logql.units import go_duration_s, go_float, size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_logql.nodes import Condition, LineFilter

    # Whether a line goes on.
    LineTest: TypeAlias = Callable[[str], bool]
    # Whether labels fulfil a condition; may leave `__error__` in them.
    LabelTest: TypeAlias = Callable[[dict[str, str]], bool]

_READERS: Mapping[str, Callable[[str], float]] = {
    "number": go_float,
    "duration": go_duration_s,
    "bytes": size_bytes,
}
_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "=": operator.eq,
    "!=": operator.ne,
}
# Nothing but the number of bits may follow, unlike in Python.
_PREFIX = re.compile(r"[^/%]+/(?:0|[1-9][0-9]{0,2})")
_ADDRESS = re.compile(r"[0-9a-fA-F:.]*[0-9a-fA-F][0-9a-fA-F:.]*")


def line_filter(wanted: LineFilter) -> LineTest:
    """The test that a line filter is."""
    negated = wanted.op.startswith("!")
    if wanted.ip:
        contains = _any_address(wanted.texts[0])
        return (lambda line: not contains(line)) if negated else contains
    tests = [_single(wanted.op, text) for text in wanted.texts]
    if len(tests) == 1:
        (test,) = tests
        return (lambda line: not test(line)) if negated else test
    if negated:
        return lambda line: not any(one(line) for one in tests)
    return lambda line: any(one(line) for one in tests)


def _single(op: str, text: str) -> LineTest:
    if op in ("|=", "!="):
        return lambda line: text in line
    if op in ("|>", "!>"):
        return line_test(text)
    search = anywhere(text).search
    return lambda line: search(line) is not None


def _any_address(wanted: str) -> LineTest:
    inside = network(wanted)
    return lambda line: any(inside(part) for part in _ADDRESS.findall(line))


def network(wanted: str) -> Callable[[str], bool]:
    """Whether an address is the wanted one, in its network, or in its range `a-b`.

    Raises:
        ValueError: That is none.
    """
    if "-" in wanted:
        first, _, last = wanted.partition("-")
        low, high = ipaddress.ip_address(first), ipaddress.ip_address(last)
        if low.version != high.version or int(low) > int(high):
            message = f"no range: {wanted}"
            raise ValueError(message)
    elif "/" in wanted and _PREFIX.fullmatch(wanted) is None:
        message = f"no prefix: {wanted}"
        raise ValueError(message)
    else:
        whole = ipaddress.ip_network(wanted, strict=False)
        low, high = whole.network_address, whole.broadcast_address

    def inside(text: str) -> bool:
        try:
            found = ipaddress.ip_address(text.strip("."))
        except ValueError:
            return False
        return found.version == low.version and int(low) <= int(found) <= int(high)

    return inside


def label_filter(condition: Condition) -> LabelTest:
    """The test that a condition is.

    A value that cannot be read as the number, duration or size it is compared with passes, and the
    label `__error__` says so.
    """
    if isinstance(condition, Both):
        left, right = label_filter(condition.left), label_filter(condition.right)
        if condition.op == "or":
            return lambda labels: left(labels) or right(labels)

        # Both sides are looked at: either may leave an error.
        def both(labels: dict[str, str]) -> bool:
            held = left(labels)
            return right(labels) and held

        return both
    if condition.kind == "string":
        return _text_test(condition)
    if condition.kind == "ip":
        return _address_test(condition)
    return _number_test(condition)


def _text_test(wanted: Comparison) -> LabelTest:
    name, text = wanted.label, wanted.text
    if wanted.op == "=":
        return lambda labels: labels.get(name, "") == text
    if wanted.op == "!=":
        return lambda labels: labels.get(name, "") != text
    match = compiled(text).fullmatch
    if wanted.op == "=~":
        return lambda labels: match(labels.get(name, "")) is not None
    return lambda labels: match(labels.get(name, "")) is None


def _address_test(wanted: Comparison) -> LabelTest:
    inside, name, equal = network(wanted.text), wanted.label, wanted.op != "!="

    def test(labels: dict[str, str]) -> bool:
        if ERROR in labels:
            return True
        value = labels.get(name)
        if value is None:
            return False
        return any(inside(part) for part in _ADDRESS.findall(value)) == equal

    return test


def _number_test(wanted: Comparison) -> LabelTest:
    name, read, compare = wanted.label, _READERS[wanted.kind], _COMPARISONS[wanted.op]
    limit = wanted.value

    def test(labels: dict[str, str]) -> bool:
        value = labels.get(name)
        if value is None:
            return False
        try:
            number = read(value)
        except ValueError as error:
            if ERROR not in labels:
                labels[ERROR] = "LabelFilterErr"
                labels[DETAILS] = str(error)
            return True
        return compare(number, limit)

    return test
