"""Benign errors: what programs log every day though all is well.

Clients hang up, pooled connections age, scanners speak the wrong protocol. No request of users fails
for it: such a line is a line and nothing else. Tables of them stand in YAML files, name -> entries.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

import yaml
from pydantic import AfterValidator, Field, model_validator

from sregym_apps.model.base import Entry
from sregym_apps.model.configuration import Line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model.service import Program

_GENERIC = "sregym_apps.simulation:benign_errors.yaml"


class BenignError(Entry):
    """One kind of line, and how often a program that serves requests writes it.

    Each program has a rate of its own between the two bounds.

    Attributes:
        line: What is written, in the format of the program unless it names another.
        every_s: Bounds of the seconds from one to the next, for what comes with connections.
        requests: Bounds of the number of requests from one to the next, for what comes with these.
        protocol: Only programs write it that serve this protocol; all when empty.
        client: Only programs that call others with this protocol write it; all when empty.
    """

    line: Line
    every_s: tuple[float, float] | None = None
    requests: tuple[float, float] | None = None
    protocol: str = ""
    client: str = ""

    @model_validator(mode="after")
    def _has_one_rate(self) -> BenignError:
        if (self.every_s is None) == (self.requests is None):
            raise ValueError("a benign error has either 'every_s' or 'requests'")
        low, high = self.bounds
        if not 0 < low <= high:
            raise ValueError(f"bounds go up from above 0, not from {low:g} to {high:g}")
        return self

    @property
    def bounds(self) -> tuple[float, float]:
        """Those that it has."""
        return self.every_s or self.requests or (0.0, 0.0)

    def is_written_by(self, program: Program) -> bool:
        """Whether a program speaks what this line is about."""
        served = {one.protocol for one in getattr(program, "listeners", {}).values()}
        called = {one.protocol for one in getattr(program, "clients", {}).values()}
        return (not self.protocol or self.protocol in served) and (
            not self.client or self.client in called
        )


class _Table(Entry):
    """A file of them."""

    sets: dict[str, tuple[BenignError, ...]] = Field(default_factory=dict)


def known_sets(place: str = _GENERIC) -> Mapping[str, tuple[BenignError, ...]]:
    """The tables of a file `package:file.yaml` by name."""
    return _read(place)


@lru_cache(maxsize=64)
def _read(place: str) -> Mapping[str, tuple[BenignError, ...]]:
    package, _, file = place.partition(":")
    text = (files(package) / file).read_text(encoding="utf-8")
    return _Table.model_validate({"sets": yaml.safe_load(text)}).sets


def benign_errors(program: Program) -> tuple[BenignError, ...]:
    """What a program may log every day.

    That of the set that it names, else that of its log format; nothing where there is none.
    """
    name = program.benign_errors or program.log.format
    place, _, name = name.rpartition("#")
    found = known_sets(place or _GENERIC).get(name, ())
    return tuple(one for one in found if one.is_written_by(program))


def _known(name: str) -> str:
    """The name itself; ValueError where there is no such set."""
    place, _, last = name.rpartition("#")
    there = known_sets(place or _GENERIC)
    if last and last not in there:
        raise ValueError(
            f"there is no set of benign errors {last!r} (there are: {', '.join(sorted(there))})"
        )
    return name


# The name of a set, or `package:file.yaml#name` for one of another file than that of this toolkit.
BenignErrorSet = Annotated[str, AfterValidator(_known)]
