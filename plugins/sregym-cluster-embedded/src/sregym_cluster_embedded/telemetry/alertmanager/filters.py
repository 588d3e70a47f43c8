"""Filters and flags in the addresses of requests to Alertmanager."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_promql.storage import Matcher
from sregym_regex.go import PatternError, compiled

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request

_FILTER = re.compile(r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*(.*?)\s*", re.DOTALL)
_TRUE = frozenset({"true", "1", "yes", "ok", "y", "on", "selected", "checked", "t", "enabled"})


class FilterError(ValueError):
    """A filter that Alertmanager refuses, in its words."""


def filters_of(request: Request) -> list[Matcher]:
    """The matchers of the parameters `filter`.

    Raises:
        FilterError: One is none.
    """
    found = []
    for text in request.parameters("filter"):
        parts = _FILTER.fullmatch(text)
        if parts is None:
            raise FilterError(f"bad matcher format: {text}")
        value = _value(parts[3])
        if parts[2] in ("=~", "!~"):
            check(value)
        found.append(Matcher(parts[1], parts[2], value))
    return found


def check(pattern: str) -> None:
    """Refuse what is no regular expression.

    Raises:
        FilterError: It is none.
    """
    try:
        compiled(pattern)
    except PatternError as error:
        raise FilterError(f"error parsing regexp: {error}") from None


def flag_of(request: Request, name: str) -> bool:
    """A flag that stands when nothing is said; what no server of its kind takes for yes is no."""
    text = request.parameter(name)
    return not text or text.lower() in _TRUE


def _value(raw: str) -> str:
    """What stands behind the operator, in quotes or not, without its escapes."""
    wrong = FilterError(f"matcher value contains unescaped double quote: {raw}")
    quoted = raw.startswith('"')
    rest = raw[quoted:]
    found: list[str] = []
    place = 0
    while place < len(rest):
        sign, place = rest[place], place + 1
        if sign == "\\" and place < len(rest):
            escaped, place = rest[place], place + 1
            found.append({"n": "\n", '"': '"', "\\": "\\"}.get(escaped, f"\\{escaped}"))
        elif sign == '"':
            if not quoted or place < len(rest):
                raise wrong
            quoted = False
        else:
            found.append(sign)
    if quoted:
        raise wrong
    return "".join(found)
