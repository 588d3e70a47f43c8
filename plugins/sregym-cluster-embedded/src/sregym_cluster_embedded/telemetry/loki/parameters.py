"""What requests to Loki say, in all the forms that it takes, refused in its words."""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_logql.units import duration_s

from sregym_cluster_embedded.telemetry.loki.error_messages import BadRequest

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World

_NS = 1_000_000_000
_HOUR_NS = 3600 * _NS
_LARGEST = 1 << 63
# Default limits of Loki.
MOST_ENTRIES = 5000
LONGEST_NS = 721 * _HOUR_NS
_MOST_POINTS = 11_000
_DEFAULT_LIMIT = 100
_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)", re.ASCII
)


class Span(NamedTuple):
    """From when to when, in nanoseconds since 1970."""

    start_ns: int
    end_ns: int


def now_ns(world: World) -> int:
    """The present moment of a world, in nanoseconds since 1970."""
    return world.epoch * _NS + round(world.now * _NS)


def moment_ns(text: str) -> int:
    """Seconds with a point or of at most ten digits, nanoseconds, or RFC 3339.

    Raises:
        ValueError: It is none; says so as Go does.
    """
    if "." in text:
        try:
            fraction, whole = math.modf(float(text))
        except ValueError:
            fraction, whole = 0.0, math.inf
        if abs(whole) * _NS < _LARGEST:
            return int(whole) * _NS + int(round(fraction, 3) * _NS)
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        number = int(text) * (_NS if len(text) <= 10 else 1)
        if abs(number) >= _LARGEST:
            message = f'strconv.ParseInt: parsing "{text}": value out of range'
            raise ValueError(message)
        return number
    found = _RFC3339.fullmatch(text)
    message = f'strconv.ParseInt: parsing "{text}": invalid syntax'
    if found is None:
        raise ValueError(message)
    try:
        moment = datetime.fromisoformat(found[1] + found[3].replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(message) from None
    return int(moment.timestamp()) * _NS + int((found[2] or "").ljust(9, "0"))


def moment_of(request: Request, name: str, default_ns: int) -> int:
    """A parameter that is a moment.

    Raises:
        BadRequest: It cannot be read.
    """
    text = request.parameter(name)
    if not text:
        return default_ns
    try:
        return moment_ns(text)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def span_of(request: Request, now_ns: int) -> Span:
    """`start`, `end` and `since`: the last hour when nothing is said.

    Raises:
        BadRequest: One cannot be read.
    """
    since_ns = _HOUR_NS
    if text := request.parameter("since"):
        try:
            since_ns = round(duration_s(text) * _NS)
        except ValueError:
            message = f"could not parse 'since' parameter: not a valid duration string: \"{text}\""
            raise BadRequest(message) from None
    try:
        end_ns = moment_of(request, "end", now_ns)
    except BadRequest as error:
        message = f"could not parse 'end' parameter: {error}"
        raise BadRequest(message) from None
    try:
        start_ns = moment_of(request, "start", min(end_ns, now_ns) - since_ns)
    except BadRequest as error:
        message = f"could not parse 'start' parameter: {error}"
        raise BadRequest(message) from None
    return Span(start_ns, end_ns)


def limit_of(request: Request) -> int:
    """How many lines.

    Raises:
        BadRequest: It is no positive number.
    """
    return whole_of(request, "limit", _DEFAULT_LIMIT)


def whole_of(request: Request, name: str, default: int) -> int:
    """A parameter that is a positive number.

    Raises:
        BadRequest: It is none.
    """
    text = request.parameter(name)
    if not text:
        return default
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        message = f'strconv.Atoi: parsing "{text}": invalid syntax'
        raise BadRequest(message)
    limit = int(text)
    if limit <= 0:
        message = "limit must be a positive value"
        raise BadRequest(message)
    return limit


def check_entries(limit: int) -> None:
    """Refuse a log query that wants more lines than Loki gives.

    Raises:
        BadRequest: It does.
    """
    if limit > MOST_ENTRIES:
        message = (
            "max entries limit per query exceeded, limit > max_entries_limit_per_query "
            f"({limit} > {MOST_ENTRIES})"
        )
        raise BadRequest(message)


def forward_of(request: Request) -> bool:
    """Whether the oldest lines come first.

    Raises:
        BadRequest: `direction` is none.
    """
    text = request.parameter("direction")
    if text.upper() not in ("", "FORWARD", "BACKWARD"):
        message = f"invalid direction '{text}'"
        raise BadRequest(message)
    return text.upper() == "FORWARD"


def step_of(request: Request, span: Span) -> int:
    """Nanoseconds between the points of a metric query; a 250th of the span when not said.

    Raises:
        BadRequest: It cannot be read, is not positive, or makes too many points.
    """
    text = request.parameter("step")
    if not text:
        step_ns = max((span.end_ns - span.start_ns) // _NS // 250, 1) * _NS
    else:
        try:
            seconds = float(text)
        except ValueError:
            seconds = math.nan
        if abs(seconds) * _NS >= _LARGEST:
            message = f'cannot parse "{text}" to a valid duration. It overflows int64'
            raise BadRequest(message)
        try:
            step_ns = int(seconds * _NS)
        except ValueError:
            try:
                step_ns = round(duration_s(text) * _NS)
            except ValueError:
                message = f'cannot parse "{text}" to a valid duration'
                raise BadRequest(message) from None
    if step_ns <= 0:
        message = (
            "zero or negative query resolution step widths are not accepted. Try a positive integer"
        )
        raise BadRequest(message)
    if (span.end_ns - span.start_ns) // step_ns > _MOST_POINTS:
        message = (
            "exceeded maximum resolution of 11,000 points per time series. "
            "Try increasing the value of the step parameter"
        )
        raise BadRequest(message)
    return step_ns


def check_order(span: Span) -> None:
    """Refuse a span that ends before it begins.

    Raises:
        BadRequest: It does.
    """
    if span.end_ns < span.start_ns:
        message = "end timestamp must not be before or equal to start time"
        raise BadRequest(message)


def check_length(span: Span) -> None:
    """Refuse a span that is longer than Loki looks at.

    Raises:
        BadRequest: It is.
    """
    length_ns = span.end_ns - span.start_ns
    if length_ns > LONGEST_NS:
        message = (
            "the query time range exceeds the limit "
            f"(query length: {go_duration(length_ns)}, limit: {model_duration(LONGEST_NS)})"
        )
        raise BadRequest(message)


def go_duration(span_ns: int) -> str:
    """A time of a second and more as Go prints it: `25h0m0s`."""
    whole, rest = divmod(span_ns, 60 * _NS)
    seconds = f"{rest / _NS:.9f}".rstrip("0").rstrip(".")
    hours, minutes = divmod(whole, 60)
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"


def model_duration(span_ns: int) -> str:
    """A time as Prometheus prints it: `30d1h`."""
    parts = []
    rest = span_ns // 1_000_000
    units = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))
    for unit, size in units:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
