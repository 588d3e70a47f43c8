"""Expressions in webhook configurations and admission policies, and match conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.validation import causes, formats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sregym_cel.kinds import Kind

    from sregym_cluster_embedded.api.errors import Cause

_MOST_CONDITIONS = 64
# What a type is called where an expression has the wrong one.
_LONG = {
    "null": "null_type",
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
}
_OBJECTS = ("object", "oldObject", "request", "namespaceObject")


def known(*, params: bool = False, authorizer: bool = True) -> dict[str, Kind]:
    """The types of the variables of an expression."""
    from sregym_cel.kinds import UNKNOWN

    from sregym_cluster_embedded.api.dynamic.kinds import COMMON

    names = (*_OBJECTS, "params") if params else _OBJECTS
    found = {name: COMMON[name] for name in names}
    return {**found, "authorizer": UNKNOWN} if authorizer else found


def expression(
    text: str, place: str, variables: Mapping[str, Kind], wanted: Sequence[str] = ("bool",)
) -> list[Cause]:
    """What is wrong with an expression that is there; no `wanted` types stand for any."""
    return compiled(text, place, variables, wanted)[1]


def compiled(
    text: str, place: str, variables: Mapping[str, Kind], wanted: Sequence[str] = ()
) -> tuple[Kind, list[Cause]]:
    """The type of an expression, and what is wrong with it."""
    from sregym_cel import CompileError
    from sregym_cel.kinds import UNKNOWN

    from sregym_cluster_embedded.api.expressions import check, compile_expression

    try:
        compile_expression(text, tuple(variables))
    except CompileError as error:
        return UNKNOWN, [causes.invalid(place, text, f"compilation failed: {error}")]
    checked = check(text, variables)
    kind = checked.kind
    if checked.errors:
        return kind, [causes.invalid(place, text, f"compilation failed: {checked.text}")]
    said = _LONG.get(str(kind), str(kind))
    if not wanted or kind == UNKNOWN or said in wanted or _undecided(kind, wanted):
        return kind, []
    one = wanted[0] if len(wanted) == 1 else f"one of [{' '.join(wanted)}]"
    return kind, [causes.invalid(place, text, f"must evaluate to {one} but got {said}")]


def _undecided(kind: Kind, wanted: Sequence[str]) -> bool:
    """A list or map whose items are not known may be the one that is wanted."""
    from sregym_cel.kinds import UNKNOWN

    return UNKNOWN in kind.parts and any(text.startswith(kind.name) for text in wanted)


def conditions(given: Any, place: str, *, params: bool = False) -> list[Cause]:
    """Match conditions: their names and expressions."""
    found: list[Cause] = []
    if len(given) > _MOST_CONDITIONS:
        text = f"Too many: {len(given)}: must have at most {_MOST_CONDITIONS} items"
        found.append(causes.counted(place, text))
    names: list[str] = []
    for index, condition in enumerate(given):
        at = f"{place}[{index}]"
        text = condition.get("expression", "").strip()
        if not text:
            found.append(causes.required(f"{at}.expression"))
        else:
            found += expression(text, f"{at}.expression", known(params=params))
        name = condition.get("name", "")
        if not name:
            found.append(causes.required(f"{at}.name"))
            continue
        found += formats.qualified(f"{at}.name", name)
        if name in names:
            found.append(causes.duplicate(f"{at}.name", name))
        names.append(name)
    return found
