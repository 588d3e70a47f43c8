"""What requests to Prometheus say, refused in its words."""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import TYPE_CHECKING

from sregym_promql.formats import duration_ms

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request

_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII
)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
# Further away than any sample; milliseconds of it, and ranges around it, are whole numbers of 64 bits.
_MOST_SECONDS = 2.0e15
# The first and the last moment that clients may send for "always" and "for ever".
_BOUNDS = {
    "-292273086-05-16T16:47:06Z": -_MOST_SECONDS,
    "292277025-08-18T07:12:54.999999999Z": _MOST_SECONDS,
}
_MOST_NS = 2**63


class BadRequest(ValueError):
    """A request that is refused with 400: the text of its answer."""


def moment_s(text: str) -> float:
    """Unix seconds, from a number or RFC 3339.

    Raises:
        ValueError: It is neither.
    """
    if re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", text, re.ASCII):
        seconds = float(text)
        return max(-_MOST_SECONDS, min(_MOST_SECONDS, round(seconds, 3)))
    if text in _BOUNDS:
        return _BOUNDS[text]
    found = _RFC3339.fullmatch(text)
    if found is not None:
        try:
            whole = datetime.fromisoformat(found[1] + found[3].replace("Z", "+00:00"))
        except ValueError:
            pass
        else:
            return whole.timestamp() + int((found[2] or "0").ljust(9, "0")[:3]) / 1000
    message = f'cannot parse "{text}" to a valid timestamp'
    raise ValueError(message)


def seconds(text: str) -> float:
    """A duration: `1m30s`, or a number of seconds.

    Raises:
        ValueError: It is neither.
    """
    try:
        number = float(text) if text and text.strip(" _") != "" else math.nan
    except ValueError:
        number = math.nan
    if not math.isnan(number):
        if not math.isfinite(number) or abs(number) * 1e9 >= _MOST_NS:
            message = f'cannot parse "{text}" to a valid duration. It overflows int64'
            raise ValueError(message)
        return number
    found = duration_ms(text)
    if found is None:
        message = f'cannot parse "{text}" to a valid duration'
        raise ValueError(message)
    return found / 1000


def moment_of(request: Request, name: str, default_s: float) -> float:
    """A moment that may be left out.

    Raises:
        BadRequest: It cannot be read.
    """
    text = request.parameter(name)
    if not text:
        return default_s
    try:
        return moment_s(text)
    except ValueError as error:
        message = f"Invalid time value for '{name}': {error}"
        raise BadRequest(message if name != "time" else _invalid(name, message)) from None


def required_time(request: Request, name: str) -> float:
    """A moment that must be there.

    Raises:
        BadRequest: It is not, or cannot be read.
    """
    try:
        return moment_s(request.parameter(name))
    except ValueError as error:
        raise BadRequest(_invalid(name, str(error))) from None


def duration_of(request: Request, name: str) -> float:
    """A duration in seconds.

    Raises:
        BadRequest: It cannot be read.
    """
    try:
        return seconds(request.parameter(name))
    except ValueError as error:
        raise BadRequest(_invalid(name, str(error))) from None


def number_of(request: Request, name: str) -> int | None:
    """A whole number that may be left out.

    Raises:
        BadRequest: It is none.
    """
    text = request.parameter(name)
    if not text:
        return None
    if not _WHOLE.fullmatch(text):
        message = f"{name} must be a number"
        raise BadRequest(message)
    return int(text)


def bound_of(request: Request, name: str, default_s: float) -> float:
    """`start` or `end` of what is looked for.

    Raises:
        BadRequest: It cannot be read.
    """
    try:
        return moment_of(request, name, default_s)
    except BadRequest as error:
        raise BadRequest(_invalid(name, str(error))) from None


def span_of(request: Request, now_s: float) -> tuple[int, int]:
    """`start` and `end` in milliseconds, all of the time when left out.

    Raises:
        BadRequest: One cannot be read.
    """
    start_s, end_s = bound_of(request, "start", 0.0), bound_of(request, "end", now_s)
    return round(start_s * 1000), round(end_s * 1000)


def _invalid(name: str, why: str) -> str:
    return f'invalid parameter "{name}": {why}'
