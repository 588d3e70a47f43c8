"""How much of the machine a command may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

# The options of an agent that `limits_of` reads.
OPTIONS = ("memory_mib", "processors")


@dataclass(frozen=True)
class Limits:
    """What a command with all that it started may use.

    Attributes:
        memory_mib: Memory; a command that takes more is ended.
        processors: Processors that it is started on.
    """

    memory_mib: int = 4096
    processors: int = 2


USUAL = Limits()


def limits_of(agent: str, options: Mapping[str, str]) -> Limits:
    """The limits that the user requested.

    Raises:
        UsageError: One is no number, or nothing.
    """
    given = {name: _number(agent, name, options[name]) for name in OPTIONS if name in options}
    return Limits(**given)


def _number(agent: str, name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text)):
        msg = f"agent {agent!r}, option {name!r}: {text!r} is not a whole number above zero"
        raise UsageError(msg)
    return int(text)
