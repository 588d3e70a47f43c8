"""Query parameters of pods/NAME/log: refused as the API server refuses them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import errors
from sregym_cluster_embedded.api.validation import causes

if TYPE_CHECKING:
    from collections.abc import Mapping

# The numbers, with the smallest that each may be and what is said about less.
_LEAST = {
    "tailLines": (0, causes.NOT_NEGATIVE),
    "limitBytes": (1, "must be greater than 0"),
    "sinceSeconds": (1, "must be greater than 0"),
}
_ONE = "at most one of `sinceTime` or `sinceSeconds` may be specified"
_INT64 = 2**63


def check(pod: str, options: Mapping[str, str]) -> None:
    """Refuse options that cannot be.

    Raises:
        errors.ApiError: BadRequest: a value is no number or no time. Invalid: it is out of range.
    """
    numbers = {name: _number(options[name]) for name in _LEAST if options.get(name)}
    moment = options.get("sinceTime")
    if moment:
        _check_time(moment)
    found: list[errors.Cause] = []
    both = bool(moment) and "sinceSeconds" in numbers
    for name, (least, text) in _LEAST.items():
        if name == "sinceSeconds" and both:
            found.append(causes.forbidden("", _ONE))
        elif name in numbers and numbers[name] < least:
            found.append(causes.invalid(name, numbers[name], text))
    if found:
        raise errors.invalid("", "PodLogOptions", pod, found)


def _number(text: str) -> int:
    digits = text[1:] if text[:1] in "+-" else text
    if not (digits.isascii() and digits.isdecimal()):
        raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    if not -_INT64 <= int(text) < _INT64:
        raise errors.bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
    return int(text)


def _check_time(text: str) -> None:
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        given = None
    if given is None or given.tzinfo is None:
        layout = "2006-01-02T15:04:05Z07:00"
        raise errors.bad_request(
            f'parsing time "{text}" as "{layout}": cannot parse "{text}" as "2006"'
        )
