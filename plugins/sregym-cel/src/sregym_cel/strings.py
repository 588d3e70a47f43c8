"""Functions on texts, with those of the strings extension and of regular expressions."""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_regex import go

from sregym_cel.conversions import string
from sregym_cel.operators import no_overload
from sregym_cel.values import CelError, Duration, Timestamp, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FORMAT = re.compile(r"%%|%(?:(\.)(\d*))?(.?)", re.DOTALL)
# What each clause of `format` takes, and what is said of anything else.
_WHOLE, _RAW = ("int", "uint"), ("int", "uint", "string", "bytes")
_CLAUSES: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {
        "d": (_WHOLE, "decimal clause can only be used on integers"),
        "f": (("double",), "fixed-point clause can only be used on doubles"),
        "e": (("double",), "scientific clause can only be used on doubles"),
        "b": ((*_WHOLE, "bool"), "only integers and bools can be formatted as binary"),
        "x": (_RAW, "only integers, byte buffers, and strings can be formatted as hex"),
        "o": (_WHOLE, "octal clause can only be used on integers"),
    }
)
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")


def _texts(run: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes nothing but texts."""

    def checked(*values: Any) -> Any:
        if not all(isinstance(value, str) for value in values):
            raise no_overload()
        return run(*values)

    return checked


def _text_and_numbers(run: Callable[..., Any], texts: int) -> Callable[..., Any]:
    """A function that takes some texts, then whole numbers."""

    def checked(*values: Any) -> Any:
        head, tail = values[:texts], values[texts:]
        whole = all(isinstance(item, int) and not isinstance(item, bool) for item in tail)
        if not whole or not all(isinstance(item, str) for item in head):
            raise no_overload()
        return run(*values)

    return checked


def _pattern(text: str) -> go.Pattern:
    try:
        return go.anywhere(text)
    except go.PatternError as error:
        message = f"error parsing regexp: {error}"
        raise CelError(message) from None


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    raise no_overload()


def _within(text: str, index: int) -> int:
    if not 0 <= index <= len(text):
        message = f"index out of range: {index}"
        raise CelError(message)
    return index


def _char_at(text: str, index: int) -> str:
    return text[_within(text, index) : index + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    return text.find(part, _within(text, start) if start or text else 0)


def _last_index_of(text: str, part: str, end: int | None = None) -> int:
    if end is None:
        return text.rfind(part)
    return text.rfind(part, 0, _within(text, end) + len(part))


def _substring(text: str, start: int, end: int | None = None) -> str:
    stop = len(text) if end is None else _within(text, end)
    if _within(text, start) > stop:
        message = f"invalid substring range. start: {start}, end: {stop}"
        raise CelError(message)
    return text[start:stop]


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    parts = list(text) if not separator else text.split(separator)
    if limit < 0 or len(parts) <= limit:
        return parts
    return [*parts[: limit - 1], separator.join(parts[limit - 1 :])]


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    return text.replace(old, new, limit)


def _join(items: Any, separator: Any = "") -> str:
    if not isinstance(items, list) or not isinstance(separator, str):
        raise no_overload()
    if not all(isinstance(item, str) for item in items):
        raise no_overload()
    return separator.join(items)


def _ascii(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(sign) if sign.isascii() else sign for sign in text)


def _format(text: Any, arguments: Any) -> str:
    if not isinstance(text, str) or not isinstance(arguments, list):
        raise no_overload()
    rest = iter(arguments)
    used = 0

    def one(match: re.Match[str]) -> str:
        nonlocal used
        if match.group() == "%%":
            return "%"
        used += 1
        try:
            value = next(rest)
        except StopIteration:
            raise CelError(f"index {used - 1} out of range") from None
        verb, digits = _clause(*match.groups())
        return _formatted(value, verb, digits)

    return _FORMAT.sub(one, text)


def _clause(dot: str | None, digits: str | None, verb: str) -> tuple[str, str]:
    """The letter of a clause and its precision, empty for none."""
    if not dot and not verb:
        raise CelError("unexpected end of string")
    wrong = ""
    if dot and not verb:
        wrong = "error while parsing precision: could not find end of precision specifier"
    elif dot and not digits:
        wrong = (
            "error while parsing precision: error while converting precision to integer: "
            'strconv.Atoi: parsing "": invalid syntax'
        )
    elif verb not in "sdfebxXo":
        wrong = f'unrecognized formatting clause "{verb}"'
    if wrong:
        raise CelError(f"could not parse formatting clause: {wrong}")
    return verb, digits or ""


def _formatted(value: Any, verb: str, digits: str) -> str:
    if verb == "s":
        return _shown(value)
    if verb in "fe" and value in _NOT_FINITE:
        return str(value)
    taken, refusal = _CLAUSES[verb.lower()]
    if (kind := type_name(value)) not in taken:
        raise CelError(f"error during formatting: {refusal}, was given {kind}")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, float):
        return f"{value:.{digits or 6}{verb}}"
    if isinstance(value, str | bytes):
        raw = value.encode() if isinstance(value, str) else value
        return raw.hex() if verb == "x" else raw.hex().upper()
    return format(int(value), verb)


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_shown(k)}: {_shown(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, str | int | float | bytes | Duration | Timestamp):
        return string(value)
    return str(getattr(value, "name", value))


def _quote(text: str) -> str:
    known = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(known.get(sign, sign) for sign in text) + '"'


def _find(text: str, pattern: str) -> str:
    found = _pattern(pattern).search(text)
    return found.group() if found else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    found = [match.group() for match in _pattern(pattern).finditer(text)]
    return found if limit < 0 else found[:limit]


def _matches(text: str, pattern: str) -> bool:
    return _pattern(pattern).search(text) is not None


FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("size", False, 1): _size,
    ("size", True, 1): _size,
    ("contains", True, 2): _texts(lambda text, part: part in text),
    ("startsWith", True, 2): _texts(str.startswith),
    ("endsWith", True, 2): _texts(str.endswith),
    ("matches", True, 2): _texts(_matches),
    ("matches", False, 2): _texts(_matches),
    ("charAt", True, 2): _text_and_numbers(_char_at, 1),
    ("substring", True, 2): _text_and_numbers(_substring, 1),
    ("substring", True, 3): _text_and_numbers(_substring, 1),
    ("split", True, 2): _texts(_split),
    ("split", True, 3): _text_and_numbers(_split, 2),
    ("replace", True, 3): _texts(_replace),
    ("replace", True, 4): _text_and_numbers(_replace, 3),
    ("join", True, 1): _join,
    ("join", True, 2): _join,
    ("trim", True, 1): _texts(str.strip),
    ("lowerAscii", True, 1): _texts(_ascii(str.lower)),
    ("upperAscii", True, 1): _texts(_ascii(str.upper)),
    ("strings.quote", False, 1): _texts(_quote),
    ("format", True, 2): _format,
    ("find", True, 2): _texts(_find),
    ("findAll", True, 2): _texts(_find_all),
    ("findAll", True, 3): _text_and_numbers(_find_all, 2),
}

index_of = _text_and_numbers(_index_of, 2)
last_index_of = _text_and_numbers(_last_index_of, 2)
