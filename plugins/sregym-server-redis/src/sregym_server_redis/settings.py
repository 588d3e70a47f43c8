"""Settings of a server: which there are, what each may be, its default."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from sregym_server_redis.data import memory_size
from sregym_server_redis.vocabulary import Refused


class Setting(NamedTuple):
    """A setting.

    Attributes:
        name: As CONFIG GET shows it.
        kind: `boolean`, `memory`, `text`, `immutable`, `protected`, `integer:LEAST:MOST` or
            `enum:WORD,WORD`.
        default: Its value when it is not set.
    """

    name: str
    kind: str
    default: str


@lru_cache(maxsize=1)
def known() -> dict[str, Setting]:
    """All settings by name."""
    lines = files(__package__).joinpath("settings.txt").read_text().splitlines()
    return {line.partition("\t")[0]: Setting(*line.split("\t")) for line in lines}


_RENAMED = (
    ("slave", "replica"),
    ("ziplist", "listpack"),
    ("lua-time-limit", "busy-reply-threshold"),
)


def canonical(name: str) -> str:
    """The present name of a setting that is known by an older one, too."""
    name = name.lower()
    for old, new in _RENAMED:
        name = name.replace(old, new)
    return name


def default(name: str) -> str:
    """The default of a setting; empty for one that is not known."""
    found = known().get(name)
    return found.default if found is not None else ""


def checked(name: str, value: str, *, twice: bool = False) -> str:
    """A value as it is kept.

    Args:
        name: Of the setting.
        value: As it is given.
        twice: Whether the same command has set it already.

    Raises:
        Refused: The setting cannot be that; only why, without what it is about.
    """
    if twice:
        raise Refused("duplicate parameter")
    setting = known()[name]
    kind, _, limits = setting.kind.partition(":")
    if kind in ("immutable", "protected"):
        raise Refused(f"can't set {kind} config")
    if kind == "boolean" and value.lower() not in ("yes", "no"):
        raise Refused("argument must be 'yes' or 'no'")
    if kind == "enum":
        words = limits.split(",")
        if value.lower() not in words:
            raise Refused(f"argument(s) must be one of the following: {', '.join(words)}")
    if kind in ("boolean", "enum"):
        return value.lower()
    if kind == "memory":
        size = memory_size(value)
        if size is None:
            raise Refused("argument must be a memory value")
        return str(size)
    if kind == "integer":
        return _whole(value, *map(int, limits.split(":")))
    if name == "save":
        return _save(value)
    return value


def _whole(value: str, least: int, most: int) -> str:
    bare = value.removeprefix("-")
    if not bare.isascii() or not bare.isdecimal():
        raise Refused("argument couldn't be parsed into an integer")
    if not least <= int(value) <= most:
        raise Refused(f"argument must be between {least} and {most} inclusive")
    return str(int(value))


def _save(value: str) -> str:
    words = value.split()
    if len(words) % 2 or not all(word.isdecimal() for word in words):
        raise Refused("Invalid save parameters")
    return " ".join(words)
