"""How many arguments the functions of templates take, and what Go says when there are others."""

from __future__ import annotations

import inspect
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_logql.template_functions import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONE = ("ToLower", "ToUpper", "TrimSpace", "lower", "trim", "upper", "urldecode", "urlencode")
# Where it is not as many as the function here can do with; whether more may follow.
_OTHERS: Mapping[str, tuple[int, bool]] = MappingProxyType(
    {
        **dict.fromkeys(_ONE, (1, False)),
        **dict.fromkeys(("and", "max", "maxf", "min", "minf", "mul", "or"), (1, True)),
        **dict.fromkeys(("__line__", "__timestamp__", "now"), (0, False)),
        "len": (1, False),
        "slice": (1, True),
    }
)


@lru_cache(maxsize=256)
def _wanted(name: str) -> tuple[int, bool]:
    """How many arguments there are at least, and whether there may be more."""
    if name in _OTHERS:
        return _OTHERS[name]
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    needed = [each for each in parameters if each.kind != each.VAR_POSITIONAL]
    required = [each for each in needed if each.default is each.empty]
    return len(required), len(required) < len(parameters)


def wrong_number(name: str, given: int, piped: int) -> str:
    """What is said of a call with too few or too many arguments; empty if they are right.

    Args:
        name: The function.
        given: How many arguments stand behind it.
        piped: How many come out of the command before.
    """
    wanted, more = _wanted(name)
    if more:
        right = given + piped >= wanted
        # What comes out of the command before is not counted then.
        told = f"want at least {wanted} got {given}"
    else:
        right = given + piped == wanted
        told = f"want {wanted} got {given + piped}"
    return "" if right else f"wrong number of args for {name}: {told}"
