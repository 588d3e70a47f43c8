"""Values as compose files write them: variables, ports, sizes, durations, command lines."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_VARIABLE = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<plain>[A-Za-z_]\w*)|\{(?P<name>[A-Za-z_]\w*)(?P<how>:?[-?+])?(?P<word>(?:[^{}]|\{[^{}]*\})*)\})"
)
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([bkmg])?(?:i?b)?$", re.IGNORECASE)
_SIZES = {"b": "", "k": "Ki", "m": "Mi", "g": "Gi"}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|us|s|m|h)")
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_NO_LETTER = re.compile(r"[^a-z0-9-]+")
# What a range of ports may hold before it is a mistake.
_MOST_PORTS = 64


def interpolated(value: Any, known: Mapping[str, str], unset: Callable[[str], None]) -> Any:
    """The value with `${NAME:-otherwise}` and its kin filled in, however deep they stand.

    Args:
        value: Of the file.
        known: Variables, of the file `.env` beside it.
        unset: Told each name that has neither value nor default.
    """
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _filled(found, known, unset), value)
    if isinstance(value, list):
        return [interpolated(one, known, unset) for one in value]
    if isinstance(value, dict):
        return {key: interpolated(one, known, unset) for key, one in value.items()}
    return value


def _filled(found: re.Match[str], known: Mapping[str, str], unset: Callable[[str], None]) -> str:
    if found["escaped"]:
        return "$"
    name, how = found["plain"] or found["name"], found["how"] or ""
    value = known.get(name)
    there = value is not None and (bool(value) or not how.startswith(":"))
    if how.endswith("+"):
        return _nested(found["word"], known, unset) if there else ""
    if there:
        return str(value)
    if how.endswith("-"):
        return _nested(found["word"], known, unset)
    unset(name)
    return ""


def _nested(text: str, known: Mapping[str, str], unset: Callable[[str], None]) -> str:
    return _VARIABLE.sub(lambda found: _filled(found, known, unset), text or "")


class Published(NamedTuple):
    """A port of a service.

    Attributes:
        container: In the container.
        published: On the host; 0 for a port that is not published.
        protocol: `TCP` or `UDP`.
    """

    container: int
    published: int = 0
    protocol: str = "TCP"


def ports_of(entry: Any) -> Iterator[Published]:
    """The ports of one entry of `ports` or `expose`; ValueError where it is none."""
    if isinstance(entry, dict):
        protocol = str(entry.get("protocol", "tcp")).upper()
        published = str(entry.get("published", 0)).partition("-")[0]
        yield Published(int(entry["target"]), int(published or 0), protocol)
        return
    text, _, protocol = str(entry).partition("/")
    host, _, inside = text.rpartition(":")
    targets = _range(inside)
    outside = _range(host.rpartition(":")[2]) if host else []
    if outside and len(outside) != len(targets):
        outside = outside[:1] * len(targets)
    for index, number in enumerate(targets):
        yield Published(number, outside[index] if outside else 0, (protocol or "tcp").upper())


def _range(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    low, high = int(first), int(last) if dash else int(first)
    if not 0 < low <= high <= 65535 or high - low >= _MOST_PORTS:
        raise ValueError(text)
    return list(range(low, high + 1))


def size(value: Any) -> str:
    """`512m` as Kubernetes writes it; ValueError where it is no size."""
    found = _SIZE.match(str(value).strip())
    if found is None:
        raise ValueError(str(value))
    return f"{found[1]}{_SIZES[(found[2] or 'b').lower()]}"


def seconds(value: Any, otherwise: int) -> int:
    """`1m30s` as whole seconds, at least 1; `otherwise` where it is no duration."""
    text = str(value or "")
    if text.isdecimal():
        return max(1, int(text))
    parts = _DURATION.findall(text)
    if not parts:
        return otherwise
    return max(1, round(sum(float(number) * _UNITS_S[unit] for number, unit in parts)))


def split_command(value: Any) -> list[str]:
    """A command line; ValueError where its quotes do not fit together."""
    return [str(one) for one in value] if isinstance(value, list) else shlex.split(str(value))


def pairs(value: Any) -> dict[str, str | None]:
    """A mapping, or a list of `NAME=value`; None for names without a value."""
    if isinstance(value, dict):
        return {str(key): None if one is None else _plain(one) for key, one in value.items()}
    found: dict[str, str | None] = {}
    for one in value or ():
        key, equals, text = str(one).partition("=")
        found[key] = text if equals else None
    return found


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def env_lines(text: str) -> dict[str, str]:
    """The variables of a file of lines `NAME=value`."""
    found = {}
    for line in text.splitlines():
        key, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not key.startswith("#"):
            found[key.strip()] = value.strip().strip("\"'")
    return found


def label(name: str) -> str:
    """A name as Kubernetes takes it: `my_service` is `my-service`."""
    return _NO_LETTER.sub("-", name.lower()).strip("-")[:63].strip("-") or "service"
