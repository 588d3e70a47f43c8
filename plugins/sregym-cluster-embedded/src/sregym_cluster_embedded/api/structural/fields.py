"""Whether a rule compiles: its syntax, its names, and the fields it reads of typed values."""

from __future__ import annotations

from typing import Any

from sregym_cel import CompileError
from sregym_cel.kinds import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Kind,
    list_of,
    map_of,
)

from sregym_cluster_embedded.api.expressions import check, compile_expression
from sregym_cluster_embedded.api.structural.rules import NAMES, escaped

_EMBEDDED = "x-kubernetes-embedded-resource"
_EITHER = "x-kubernetes-int-or-string"
_HEAD = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}},
    },
}
_SIMPLE = {"integer": INT, "number": DOUBLE, "boolean": BOOL}
_FORMATS = {"byte": BYTES, "duration": DURATION, "date": TIMESTAMP, "date-time": TIMESTAMP}


def failure(text: str, schema: dict[str, Any], *, at_root: bool, may_be_new: bool = False) -> str:
    """Why a rule about values of this schema does not compile; empty when it does.

    Where a value may be new, what it was before is an optional value.
    """
    type_, why = _compiled(text, schema, at_root=at_root, may_be_new=may_be_new)
    if why:
        return f"compilation failed: {why}"
    return "" if type_ in (BOOL, UNKNOWN) else "cel expression must evaluate to a bool"


def message_failure(
    text: str, schema: dict[str, Any], *, at_root: bool, may_be_new: bool = False
) -> str:
    """Why the expression of a message does not compile; empty when it does."""
    type_, why = _compiled(text, schema, at_root=at_root, may_be_new=may_be_new)
    if why:
        return f"messageExpression compilation failed: {why}"
    return "" if type_ in (STRING, UNKNOWN) else "messageExpression must evaluate to a string"


def compares(text: str) -> bool:
    """Whether a rule looks at the value as it was before."""
    try:
        return "oldSelf" in compile_expression(text, NAMES).reads
    except CompileError:
        return False


def path_of(path: str, schema: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The schema that a simple path leads to, and why it leads nowhere."""
    known: Any = {**schema, "properties": {**schema.get("properties", {}), **_HEAD}}
    if not path.startswith("."):
        return {}, "expected [ or . but got: " + path[:1]
    for name in path[1:].split("."):
        below = (known.get("properties") or {}).get(name, known.get("additionalProperties"))
        if not isinstance(below, dict):
            return {}, "does not refer to a valid field"
        known = below
    return known, ""


def path_exists(path: str, schema: dict[str, Any]) -> bool:
    """Whether the path of a rule's field leads to something; paths with brackets are believed."""
    return "[" in path or not path_of(path, schema)[1]


def _compiled(
    text: str, schema: dict[str, Any], *, at_root: bool, may_be_new: bool
) -> tuple[Kind, str]:
    """The type of an expression about values of a schema, and why it does not compile."""
    own = kind_of(schema, at_root=at_root) or UNKNOWN
    try:
        compile_expression(text, NAMES)
    except CompileError as error:
        return UNKNOWN, str(error)
    checked = check(text, {"self": own, "oldSelf": UNKNOWN if may_be_new else own})
    return checked.kind, checked.text


def kind_of(schema: Any, *, at_root: bool = False) -> Kind | None:
    """The type of the values of a schema; None when expressions do not see them."""
    if not isinstance(schema, dict):
        return None
    if schema.get(_EITHER):
        return DYN
    if at_root or schema.get(_EMBEDDED):
        schema = {**schema, "type": "object", "properties": _with_head(schema)}
    type_ = schema.get("type")
    if type_ == "string":
        return _FORMATS.get(schema.get("format", ""), STRING)
    if type_ == "array":
        item = kind_of(schema.get("items"))
        return item and list_of(item)
    if type_ == "object":
        return _object(schema)
    return _SIMPLE.get(type_ or "")


def _object(schema: dict[str, Any]) -> Kind | None:
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        value = kind_of(additional)
        return value and map_of(value)
    properties = {escaped(name): item for name, item in (schema.get("properties") or {}).items()}
    return Kind("object", fields=lambda name: kind_of(properties.get(name)))


def _with_head(schema: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = schema.get("properties") or {}
    inner = (properties.get("metadata") or {}).get("properties") or {}
    whole = {"name", "generateName"} <= set(inner) and {"kind", "apiVersion"} <= set(properties)
    return properties if whole else {**properties, **_HEAD}
