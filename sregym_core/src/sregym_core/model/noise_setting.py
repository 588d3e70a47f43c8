"""How much noise: the name of a source and a level, as problems and command lines write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import UsageError
from sregym_core.model.base import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model.problem import Problem

# 0 is silence; 1 and 2 leave a healthy system within its objectives, 3 need not.
LEVELS = range(4)
# Of a source that is named without a level.
USUAL_LEVEL = 1


class NoiseSetting(Value):
    """A source of noise and how much of it.

    Attributes:
        name: Of the source.
        level: One of `LEVELS`.
    """

    name: str
    level: int = USUAL_LEVEL

    def __str__(self) -> str:
        return f"{self.name}={self.level}"


def with_noise(problem: Problem, noise: Sequence[str] | None, level: int | None) -> Problem:
    """A problem with other noise than its own.

    Args:
        problem: As it is.
        noise: Sources with or without levels; None for its own.
        level: How much of a mixture of all sources; None for its own.

    Raises:
        UsageError: The level is none.
    """
    if level is not None and level not in LEVELS:
        raise UsageError(f"noise_level is {level!r}; it must be 0 (none), 1, 2 or 3 (most)")
    named = problem.noise if noise is None else tuple(noise)
    found = problem.noise_level if level is None else level
    return problem.model_copy(update={"noise": named, "noise_level": found})


def sources_and_level(
    noise: int | tuple[str, ...] | None,
) -> tuple[tuple[str, ...] | None, int | None]:
    """Noise of a campaign in the form of requests for episodes: the sources, and how much of all.

    Args:
        noise: How much of a mixture of all sources, or sources; None for those of the problem.
    """
    if noise is None:
        return None, None
    return ((), noise) if isinstance(noise, int) else (noise, 0)


def parse_noise(text: str) -> NoiseSetting:
    """The dose that `NAME` or `NAME=LEVEL` stands for.

    Raises:
        UsageError: The level is none.
    """
    name, separator, level = text.partition("=")
    if not separator:
        return NoiseSetting(name=name)
    if not level.isdecimal() or int(level) not in LEVELS:
        msg = f"noise {text!r}: {level!r} is no level; write {name}=LEVEL with one from 0 to 3"
        raise UsageError(msg)
    return NoiseSetting(name=name, level=int(level))
