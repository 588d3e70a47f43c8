"""The functions that templates of LogQL may call."""

from __future__ import annotations

import base64
import json
import math
import operator
import re
from datetime import UTC, datetime
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus, unquote_plus
from zoneinfo import ZoneInfo

from sregym_gotemplate.functions import markup, script
from sregym_gotemplate.printing import formatted, printed, printed_line
from sregym_regex.budget import repeated
from sregym_regex.go import anywhere
from sregym_regex.go_expansion import expanded
from sregym_regex.go_text import BROKEN

from sregym_logql.go_values import decimal, divided, number, whole
from sregym_logql.units import go_duration_s, size_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal


_GO_TIME = (
    ("2006", "%Y"),
    ("January", "%B"),
    ("Monday", "%A"),
    ("Jan", "%b"),
    ("Mon", "%a"),
    ("MST", "%Z"),
    ("01", "%m"),
    ("02", "%d"),
    ("15", "%H"),
    ("03", "%I"),
    ("04", "%M"),
    ("05", "%S"),
    ("06", "%y"),
    ("PM", "%p"),
)
_LAYOUT = re.compile(
    r"[.,](?:0{1,9}|9{1,9})(?!\d)|2006|January|Monday|Jan|Mon|MST|Z07:00|-07:00|-0700|-07"
    r"|01|02|_2|15|03|04|05|06|PM|[12345]"
)
_READ: Mapping[str, str] = MappingProxyType(
    {
        **dict(_GO_TIME),
        **{"Z07:00": "%z", "-07:00": "%z", "-0700": "%z", "1": "%m", "2": "%d", "_2": "%d"},
        **{"3": "%I", "4": "%M", "5": "%S"},
        **{f"{mark}{digit * count}": f"{mark}%f" for mark in ".," for digit in "09" for count in range(1, 10)},
    }
)  # fmt: skip

# Of a slice: from where, to where, and how far it may grow.
_MOST_INDEXES = 3


def _replaced(pattern: str, text: str, replacement: str) -> str:
    return anywhere(pattern).sub(lambda found: expanded(replacement, found), text)


class Moment(int):
    """Nanoseconds since 1970 that are shown as Go shows a time."""

    __slots__ = ()

    def __str__(self) -> str:
        seconds, rest = divmod(int(self), 1_000_000_000)
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}{fraction} +0000 UTC"


def _date(form: str, moment: Any) -> str:
    # A number is in seconds.
    at_ns = int(moment if isinstance(moment, Moment) else number(moment) * 1e9)
    when = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC)
    rest = at_ns % 1_000_000_000

    def shown(found: re.Match[str]) -> str:
        text = found[0]
        if text[0] in ".,":
            digits = f"{rest:09d}"[: len(text) - 1]
            digits = digits.rstrip("0") if text[1] == "9" else digits
            return text[0] + digits if digits else ""
        return _shown_unit(text, when)

    return _LAYOUT.sub(shown, form)


def _shown_unit(text: str, when: datetime) -> str:
    if text in ("1", "2", "3", "4", "5"):
        number = (when.month, when.day, when.hour % 12 or 12, when.minute, when.second)
        return str(number[int(text) - 1])
    if text == "_2":
        return f"{when.day:2d}"
    zones = {"Z07:00": "Z", "-07:00": "+00:00", "-0700": "+0000", "-07": "+00"}
    return zones.get(text) or when.strftime(dict(_GO_TIME)[text])


def _to_date(form: str, text: str) -> Moment:
    """A time read by a layout; the year 1 when it does not fit, as Go has it."""
    layout = _LAYOUT.sub(lambda found: _READ.get(found[0], found[0]), form)
    try:
        if "%z" not in layout:
            text = f"{text}+0000"
        when = datetime.strptime(text, f"{layout.replace('%z', '')}%z")
    except ValueError:
        return Moment(-62135596800 * 10**9)
    return Moment(int(when.timestamp()) * 10**9 + when.microsecond * 1000)


def _to_date_in_zone(form: str, zone: str, text: str) -> Moment:
    moment = _to_date(form, text)
    try:
        away = datetime.fromtimestamp(moment // 10**9, ZoneInfo(zone)).utcoffset()
    except (ValueError, KeyError, OSError):
        away = None
    return moment if away is None else Moment(moment - int(away.total_seconds()) * 10**9)


def _epoch(moment: Any, unit_ns: int) -> str:
    at_ns = moment if isinstance(moment, Moment) else int(number(moment) * 1e9)
    return str(at_ns // unit_ns)


def _compare(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        if isinstance(left, str) != isinstance(right, str):
            message = "incompatible types for comparison"
            raise TypeError(message)
        return test(left, right)

    return compared


def _substring(start: int, end: int, text: str) -> str:
    if start < 0:
        return text[:end] if end >= 0 else ""
    return text[start:end] if end >= 0 else text[start:]


def _truncated(count: int, text: str) -> str:
    return text[:count] if count >= 0 else text[count:]


def _rounded(value: Any, digits: Any, up_from: float = 0.5) -> float:
    factor = math.pow(10.0, number(digits))
    scaled = number(value) * factor
    up = math.modf(scaled)[0] >= up_from
    return (math.ceil(scaled) if up else math.floor(scaled)) / factor


def _divided(left: Any, right: Any) -> int:
    over, under = whole(left), whole(right)
    if not under:
        message = "runtime error: integer divide by zero"
        raise ZeroDivisionError(message)
    found = abs(over) // abs(under)
    return found if (over < 0) == (under < 0) else -found


def _left_over(left: Any, right: Any) -> int:
    return whole(left) - _divided(left, right) * whole(right)


def _exactly(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., float]:
    """Of decimal numbers, one after the other."""
    return lambda first, *rest: float(
        reduce(operation, [decimal(value) for value in rest], decimal(first))
    )


def _from_json(text: str) -> Any:
    """Nothing where there is no JSON."""
    try:
        return _whole_characters(json.loads(text, parse_int=float))
    except ValueError:
        return None


def _whole_characters(value: Any) -> Any:
    """A value of JSON, with the sign for what is no character in place of halves of surrogates."""
    if isinstance(value, str):
        return BROKEN.sub("\ufffd", value)
    if isinstance(value, list):
        return [_whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(item) for key, item in value.items()}
    return value


def _of_epoch(text: str) -> Moment:
    """A time from days, seconds, milliseconds, microseconds or nanoseconds, by the digits."""
    units = {5: 86400 * 10**9, 10: 10**9, 13: 10**6, 16: 10**3, 19: 1}
    if len(text) not in units or not text.isdecimal():
        message = f"unable to parse time '{text}'"
        raise ValueError(message)
    return Moment(int(text) * units[len(text)])


def _titled(text: str) -> str:
    """The first letter of each word large, the others as they are."""
    return re.sub(r"(?<![\w'])\w", lambda found: found[0].upper(), text)


def _sliced(group: Any, *indexes: int) -> Any:
    if len(indexes) > _MOST_INDEXES:
        message = f"too many slice indexes: {len(indexes)}"
        raise ValueError(message)
    return group[slice(*indexes[:2])] if len(indexes) > 1 else group[sum(indexes) :]


def _equal(left: Any, *rest: Any) -> bool:
    if not rest:
        message = "missing argument for comparison"
        raise ValueError(message)
    return any(left == other for other in rest)


def _indexed(group: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(group, dict):
            group = group.get(key)
        else:
            place = whole(key)
            if not 0 <= place < len(group):
                message = f"error indexing: index out of range: {place}"
                raise IndexError(message)
            group = group[place]
    return group


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "Replace": lambda text, old, new, count: text.replace(old, new, count),
        "ToLower": str.lower,
        "ToUpper": str.upper,
        "Trim": lambda text, cut: text.strip(cut),
        "TrimLeft": lambda text, cut: text.lstrip(cut),
        "TrimPrefix": lambda text, prefix: text.removeprefix(prefix),
        "TrimRight": lambda text, cut: text.rstrip(cut),
        "TrimSpace": str.strip,
        "TrimSuffix": lambda text, suffix: text.removesuffix(suffix),
        "add": lambda *values: sum(whole(value) for value in values),
        "addf": _exactly(operator.add),
        "alignLeft": lambda count, text: text[:count] + repeated(" ", count - len(text)),
        "alignRight": lambda count, text: repeated(" ", count - len(text)) + text[-count:],
        "b64dec": lambda text: base64.b64decode(text).decode(errors="replace"),
        "b64enc": lambda text: base64.b64encode(text.encode()).decode(),
        "bytes": size_bytes,
        "ceil": lambda value: float(math.ceil(number(value))),
        "contains": lambda part, text: part in text,
        "count": lambda pattern, text: sum(1 for _ in anywhere(pattern).finditer(text)),
        "date": _date,
        "default": lambda other, value="": value or other,
        "div": _divided,
        "divf": _exactly(divided),
        "duration": go_duration_s,
        "duration_seconds": go_duration_s,
        "eq": _equal,
        "float64": number,
        "floor": lambda value: float(math.floor(number(value))),
        "fromJson": _from_json,
        "ge": _compare(lambda left, right: bool(left >= right)),
        "gt": _compare(lambda left, right: bool(left > right)),
        "hasPrefix": lambda prefix, text: text.startswith(prefix),
        "hasSuffix": lambda suffix, text: text.endswith(suffix),
        "indent": lambda count, text: "\n".join(
            repeated(" ", count) + part for part in text.split("\n")
        ),
        "html": markup,
        "index": _indexed,
        "int": whole,
        "js": script,
        "le": _compare(lambda left, right: bool(left <= right)),
        "len": len,
        "lower": str.lower,
        "lt": _compare(lambda left, right: bool(left < right)),
        "max": lambda *values: max(whole(value) for value in values),
        "maxf": lambda *values: max(number(value) for value in values),
        "min": lambda *values: min(whole(value) for value in values),
        "minf": lambda *values: min(number(value) for value in values),
        "mod": _left_over,
        "mul": lambda *values: math.prod(whole(value) for value in values),
        "mulf": _exactly(operator.mul),
        "ne": lambda left, right: left != right,
        "nindent": lambda count, text: (
            "\n" + "\n".join(repeated(" ", count) + part for part in text.split("\n"))
        ),
        "not": lambda value: not value,
        "print": printed,
        "printf": formatted,
        "println": printed_line,
        "regexReplaceAll": _replaced,
        "regexReplaceAllLiteral": lambda pattern, text, new: anywhere(pattern).sub(
            lambda _: new, text
        ),
        "repeat": lambda count, text: repeated(text, count),
        "replace": lambda old, new, text: text.replace(old, new),
        "round": _rounded,
        "slice": _sliced,
        "sub": lambda left, right: whole(left) - whole(right),
        "subf": _exactly(operator.sub),
        "substr": _substring,
        "title": _titled,
        "trim": str.strip,
        "trimAll": lambda cut, text: text.strip(cut),
        "trimPrefix": lambda prefix, text: text.removeprefix(prefix),
        "trimSuffix": lambda suffix, text: text.removesuffix(suffix),
        "trunc": _truncated,
        "toDate": _to_date,
        "toDateInZone": _to_date_in_zone,
        "unixEpoch": lambda moment: _epoch(moment, 1_000_000_000),
        "unixEpochMillis": lambda moment: _epoch(moment, 1_000_000),
        "unixEpochNanos": lambda moment: _epoch(moment, 1),
        "unixToTime": _of_epoch,
        "upper": str.upper,
        "urldecode": unquote_plus,
        "urlencode": quote_plus,
        "urlquery": lambda *values: quote_plus(printed(*values)),
    }
)
