"""Whether a rule compiles: its syntax, its names, and the fields it reads of typed values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.cel import CompileError, compile_expression
from sregym_cluster_embedded.api.cel.syntax import Node, parse
from sregym_cluster_embedded.api.structural.rules import NAMES, escaped

if TYPE_CHECKING:
    from collections.abc import Mapping

_FREE = "x-kubernetes-preserve-unknown-fields"
_EITHER = "x-kubernetes-int-or-string"
_HEAD = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "generateName": {"type": "string"}},
    },
}
_OVER_ITEMS = ("all", "exists", "exists_one", "existsOne", "filter", "map", "sortBy")
_CEL_TYPES = {"integer": "int", "number": "double", "boolean": "bool", "object": "map"}


def failure(text: str, schema: dict[str, Any], *, at_root: bool) -> str:
    """Why a rule about values of this schema does not compile; empty when it does."""
    type_, why = _compiled(text, schema, at_root=at_root)
    if why:
        return f"compilation failed: {why}"
    return "" if type_ in ("bool", "dyn") else "cel expression must evaluate to a bool"


def message_failure(text: str, schema: dict[str, Any], *, at_root: bool) -> str:
    """Why the expression of a message does not compile; empty when it does."""
    type_, why = _compiled(text, schema, at_root=at_root)
    if why:
        return f"messageExpression compilation failed: {why}"
    return "" if type_ in ("string", "dyn") else "messageExpression must evaluate to a string"


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


def leads(path: str, schema: dict[str, Any]) -> bool:
    """Whether the path of a rule's field leads to something; paths with brackets are believed."""
    return "[" in path or not path_of(path, schema)[1]


def _compiled(text: str, schema: dict[str, Any], *, at_root: bool) -> tuple[str, str]:
    """The type of an expression about values of a schema, and why it does not compile."""
    if at_root:
        schema = {**schema, "properties": {**schema.get("properties", {}), **_HEAD}}
    try:
        program = compile_expression(text, NAMES)
        _Checker(text).type_of(parse(text), {"self": schema, "oldSelf": schema})
    except CompileError as error:
        return "", str(error)
    return program.type, ""


class _Checker:
    """Follows the schemas of values through an expression; None stands for any value."""

    def __init__(self, source: str) -> None:
        self._source = source

    def type_of(self, node: Node, known: Mapping[str, Any]) -> Any:
        """The schema of a part's value."""
        if node.kind == "name":
            return known.get(node.value)
        if node.kind == "select":
            return self._selected(node, known)
        if node.kind == "index":
            target = self.type_of(node.parts[0], known)
            self.type_of(node.parts[1], known)
            return _item(target)
        if node.kind == "call" and node.method and node.value in _OVER_ITEMS:
            return self._over(node, known)
        for part in node.parts:
            self.type_of(part, known)
        return None

    def _selected(self, node: Node, known: Mapping[str, Any]) -> Any:
        target = self.type_of(node.parts[0], known)
        if not isinstance(target, dict) or target.get(_FREE) or target.get(_EITHER):
            return None
        type_ = target.get("type")
        properties, additional = target.get("properties"), target.get("additionalProperties")
        if type_ == "object" and additional is not None:
            return additional if isinstance(additional, dict) else None
        if type_ == "object":
            for name, item in (properties or {}).items():
                if escaped(name) == node.value:
                    return item
            message = f"undefined field '{node.value}'"
            raise CompileError(message, node.offset, self._source)
        if type_ in ("string", "integer", "number", "boolean", "array"):
            shown = _CEL_TYPES.get(type_, "list" if type_ == "array" else type_)
            message = f"type '{shown}' does not support field selection"
            raise CompileError(message, node.offset, self._source)
        return None

    def _over(self, node: Node, known: Mapping[str, Any]) -> Any:
        target = self.type_of(node.parts[0], known)
        variable = node.parts[1]
        inner = dict(known)
        if variable.kind == "name":
            is_list = isinstance(target, dict) and target.get("type") == "array"
            inner[variable.value] = _item(target) if is_list else None
        for part in node.parts[2:]:
            self.type_of(part, inner)
        return target if node.value in ("filter", "sortBy") else None


def _item(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return None
    items = schema.get("items")
    return items if isinstance(items, dict) else schema.get("additionalProperties")
