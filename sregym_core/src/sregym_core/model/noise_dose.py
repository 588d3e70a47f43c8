"""How much noise: the name of a source and a level, as problems and command lines write them."""

from __future__ import annotations

from sregym_core.errors import UsageError
from sregym_core.model.base import Value

# 0 is silence; 1 and 2 leave a healthy system within its objectives, 3 need not.
LEVELS = range(4)
# Of a source that is named without a level.
USUAL_LEVEL = 1


class NoiseDose(Value):
    """A source of noise and how much of it.

    Attributes:
        name: Of the source.
        level: One of `LEVELS`.
    """

    name: str
    level: int = USUAL_LEVEL

    def __str__(self) -> str:
        return f"{self.name}={self.level}"


def checked_level(level: int) -> int:
    """The same level.

    Raises:
        UsageError: It is none.
    """
    if level not in LEVELS:
        raise UsageError(f"noise_level is {level!r}; it must be 0 (none), 1, 2 or 3 (most)")
    return level


def parse_dose(text: str) -> NoiseDose:
    """The dose that `NAME` or `NAME=LEVEL` stands for.

    Raises:
        UsageError: The level is none.
    """
    name, separator, level = text.partition("=")
    if not separator:
        return NoiseDose(name=name)
    if not level.isdecimal() or int(level) not in LEVELS:
        msg = f"noise {text!r}: {level!r} is no level; write {name}=LEVEL with one from 0 to 3"
        raise UsageError(msg)
    return NoiseDose(name=name, level=int(level))
