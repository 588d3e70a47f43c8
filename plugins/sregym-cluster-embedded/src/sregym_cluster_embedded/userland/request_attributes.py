"""What of a request an operation depends on, and what trying filters on it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from sregym_apps.model import HEADER, QUERY, expand, is_on
from sregym_regex.matches import PatternError
from sregym_regex.trials import trials

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Operation


def request_attributes(
    operation: Operation, path: str, headers: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Name and value of what an operation depends on of a request; what is empty is left out.

    Args:
        operation: What the request reaches.
        path: With its query.
        headers: Lower-case names.
    """
    if not operation.heeds:
        return ()
    query = dict(parse_qsl(urlsplit(path).query, keep_blank_values=True))
    given = {
        name: query.get(name.removeprefix(QUERY), "")
        if name.startswith(QUERY)
        else headers.get(name.removeprefix(HEADER), "")
        for name in operation.heeds
    }
    return tuple((name, value) for name, value in given.items() if value)


def filtering_ms(operation: Operation, facts: Mapping[str, str]) -> float:
    """Processor time of an operation's filters on a request, in milliseconds."""
    total = 0.0
    for one in operation.filters:
        pattern, text = expand(one.pattern, facts), expand(one.text, facts)
        if pattern and text and is_on(expand(one.when, facts)):
            total += _steps(pattern, text, one.most_steps) * one.step_ns / 1e6
    return total


def _steps(pattern: str, text: str, most: int) -> int:
    try:
        return trials(pattern, text, most)
    except PatternError:
        return 0
