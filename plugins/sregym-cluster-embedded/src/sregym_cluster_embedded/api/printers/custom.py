"""Rows of custom resources: columns by JSONPath, as their definition says."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.printers.duration import since

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_STEP = re.compile(
    r"""\.(?P<name>(?:[\w\-]|\\.)+)
      | \['(?P<quoted>[^']+)'\]
      | \[(?P<index>-?\d+|\*)\]
      | \[\?\(@\.(?P<field>[\w.\-]+)\s*==\s*["'](?P<equals>[^"']*)["']\)\]""",
    re.VERBOSE,
)


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[tuple[str, str, str], ...]:
    """A JSONPath as (kind of step, argument, second argument)."""
    found = []
    for match in _STEP.finditer(path.replace("\\.", "\0")):
        parts = match.groupdict()
        if parts["field"]:
            found.append(("filter", parts["field"], parts["equals"]))
        elif parts["index"]:
            found.append(("index", parts["index"], ""))
        else:
            name = parts["name"] or parts["quoted"]
            found.append(("name", name.replace("\0", "."), ""))
    return tuple(found)


def lookup(obj: Object, path: str) -> list[Any]:
    """The values that a JSONPath finds."""
    values: list[Any] = [obj]
    for kind, argument, wanted in steps(path):
        values = [item for value in values for item in _step(value, kind, argument, wanted)]
    return values


def _step(value: Any, kind: str, argument: str, wanted: str) -> list[Any]:
    if kind == "name":
        return [value[argument]] if isinstance(value, dict) and argument in value else []
    if not isinstance(value, list):
        return []
    if kind == "filter":
        return [
            item for item in value if isinstance(item, dict) and str(item.get(argument)) == wanted
        ]
    if argument == "*":
        return value
    index = int(argument)
    return [value[index]] if -len(value) <= index < len(value) else []


def cell(obj: Object, column: Object, now_s: float) -> Any:
    """The cell of one additional printer column."""
    values = [value for value in lookup(obj, column["jsonPath"]) if value is not None]
    if not values:
        return None
    value = values[0]
    if column["type"] == "date":
        return since(str(value), now_s)
    if column["type"] == "string" and not isinstance(value, str):
        return str(value)
    return value
