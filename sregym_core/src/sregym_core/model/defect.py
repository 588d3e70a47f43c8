"""A mistake in a file: its location, and what is wrong."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

# Keys of mappings and places in sequences, from the outside in.
Location: TypeAlias = tuple[str | int, ...]

# As `difflib` counts it: a mistyped name, not another word with letters in common.
_CLOSE = 0.6


@dataclass(frozen=True, order=True)
class Defect:
    """One thing that is wrong with a file.

    Attributes:
        file: Name of the file, or of what stands for it.
        line: From 1; 0 where no line is known.
        field: Path of the field: `services[3].calls[0].operation`; empty for the whole file.
        what: What is wrong, and the nearest names that would be right.
    """

    file: str
    line: int
    field: str
    what: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join(part for part in (place, self.field, self.what) if part)


def field_path(location: Iterable[str | int]) -> str:
    """A location as people write it: `services[3].calls[0].operation`."""
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
    return "".join(steps).removeprefix(".")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'a'?` with the nearest name; empty when none is near."""
    close = difflib.get_close_matches(name, sorted(known), 1, _CLOSE)
    return f"; did you mean {close[0]!r}?" if close else ""


def no_such(noun: str, name: str, known: Iterable[str], where: str = "") -> str:
    """The message for a name that leads nowhere: all names there are, and the nearest.

    Args:
        noun: What the name should be of.
        name: As it was written.
        known: The names there are.
        where: Where it was looked for, `in the manifests`.
    """
    names = sorted(set(known))
    there = ", ".join(names) or "none"
    place = f" {where}" if where else ""
    return f"there is no {noun} {name!r}{place} (there are: {there}){did_you_mean(name, names)}"
