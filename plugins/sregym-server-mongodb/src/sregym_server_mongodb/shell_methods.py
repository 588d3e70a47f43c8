"""Calls of methods of a shell's objects, with the arguments of a script."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

from sregym_server_mongodb.script import UNDEFINED, ScriptError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

INVALID_INPUT = "MongoshInvalidInputError"
_MISFITS = (TypeError, AttributeError, IndexError, KeyError, ValueError)
# What a script calls the types that parameters have.
_KINDS = {"str": "string", "int": "number", "dict[str, Any]": "object"}
_METHOD = "js_"


def called(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """What a function returns; it is not handed more than it takes.

    Raises:
        ScriptError: It needs more, or something else.
    """
    try:
        return function(*arguments)
    except _MISFITS:
        pass
    parameters = _parameters(function)
    takes = math.inf
    if not any(one.kind is one.VAR_POSITIONAL for one in parameters):
        takes = len(parameters)
    if len(arguments) > takes:
        # So far nothing was done.
        return called(function, arguments[: len(parameters)])
    where = _name(function)
    for place, one in enumerate(parameters):
        wanted = _KINDS.get(str(one.annotation))
        needed = one.default is one.empty and one.kind is not one.VAR_POSITIONAL
        if place >= len(arguments) and needed:
            raise ScriptError(
                f"Missing required argument at position {place}{where}", name=INVALID_INPUT
            )
        if place < len(arguments) and wanted and _kind(arguments[place]) != wanted:
            got = _kind(arguments[place])
            text = f"Argument at position {place} must be of type {wanted}, got {got} instead"
            raise ScriptError(f"{text}{where}", name=INVALID_INPUT)
    raise ScriptError("Cannot convert undefined or null to object", name="TypeError")


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return [*inspect.signature(function).parameters.values()]
    except ValueError:
        return [inspect.Parameter("given", inspect.Parameter.VAR_POSITIONAL)]


def _name(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "")
    if not name.startswith(_METHOD):
        return ""
    owner = type(getattr(function, "__self__", None)).__name__.removesuffix("Object")
    return f" ({owner}.{name.removeprefix(_METHOD)})"


def _kind(value: Any) -> str:
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "function" if callable(value) else "object"
