"""`x-kubernetes-validations`: expressions about a value and what it was before."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from sregym_cel import CelError, CompileError
from sregym_cel.keyed import MapList, SetList
from sregym_cel.values import Optional, duration, timestamp

from sregym_cluster_embedded.api.errors import Cause
from sregym_cluster_embedded.api.expressions import compile_expression
from sregym_cluster_embedded.api.structural.validation import NOWHERE
from sregym_cluster_embedded.api.validation import causes as words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_cluster_embedded.store import Object

RULES = "x-kubernetes-validations"
NAMES = ("self", "oldSelf")
_IDENTIFIER = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*$")
_KEYWORDS = frozenset(
    (
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for"),
        *("function", "if", "import", "let", "loop", "package", "namespace", "return"),
    )
)
_BLOCKING = frozenset(
    (
        *("FieldValueRequired", "FieldValueTypeInvalid", "FieldValueTooLong"),
        *("FieldValueTooMany", "FieldValueNotSupported"),
    )
)
_SKIPPED = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_UNSET = object()


def causes(obj: Object, old: Object | None, schema: Object, already: list[Cause]) -> list[Cause]:
    """The rules that do not hold; none are checked where the values have the wrong form."""
    if not _anywhere(schema):
        return []
    if any(cause.reason in _BLOCKING for cause in already):
        return [Cause(NOWHERE, f"Invalid value: null: {_SKIPPED}")]
    return list(_walk(obj, _UNSET if old is None else old, schema, ""))


def of_value(value: Any, schema: Object) -> list[Cause]:
    """The rules that do not hold of a value that is no object of its own."""
    if not _anywhere(schema):
        return []
    return list(_walk(value, value, schema, ""))


def _anywhere(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return False
    if schema.get(RULES):
        return True
    below = [*schema.get("properties", {}).values()]
    below += [schema.get("items"), schema.get("additionalProperties")]
    return any(map(_anywhere, below))


def _walk(value: Any, old: Any, schema: Any, path: str) -> Iterator[Cause]:
    if not isinstance(schema, dict) or value is None:
        return
    for rule in schema.get(RULES, ()):
        cause = _evaluated(rule, value, old, schema, path)
        if cause is not None:
            yield cause
    if isinstance(value, dict):
        known, additional = schema.get("properties", {}), schema.get("additionalProperties")
        for name, item in sorted(value.items()):
            if path or name not in ("apiVersion", "kind", "metadata"):
                before = old.get(name, _UNSET) if isinstance(old, dict) else _UNSET
                at = f"{path}.{name}" if path else name
                if name not in known and isinstance(additional, dict):
                    at = f"{path}[{name}]"
                yield from _walk(item, before, known.get(name, additional), at)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            before = _counterpart(item, old, schema)
            yield from _walk(item, before, schema.get("items"), f"{path}[{index}]")


def _counterpart(item: Any, old: Any, schema: Object) -> Any:
    """The same item of a list before; only lists of type `map` can tell."""
    keys = schema.get("x-kubernetes-list-map-keys", ())
    if not keys or not isinstance(old, list) or not isinstance(item, dict):
        return _UNSET
    for other in old:
        if isinstance(other, dict) and all(other.get(key) == item.get(key) for key in keys):
            return other
    return _UNSET


def _evaluated(rule: Object, value: Any, old: Any, schema: Object, path: str) -> Cause | None:
    text = rule.get("rule", "")
    variables: dict[str, Any] = {"self": exposed(value, schema)}
    try:
        program = compile_expression(text, NAMES)
        if "oldSelf" in program.reads:
            if rule.get("optionalOldSelf"):
                held = () if old is _UNSET else (exposed(old, schema),)
                variables["oldSelf"] = Optional(held)
            elif old is _UNSET:
                return None
            else:
                variables["oldSelf"] = exposed(old, schema)
        holds = program.evaluate(variables)
    except (CelError, CompileError) as error:
        said = _message(rule, variables)
        return words.invalid(_place(rule, path), _type(schema), f"{error} evaluating rule: {said}")
    return None if holds is True else _cause(rule, value, schema, path, _message(rule, variables))


def _type(schema: Object) -> str:
    return str(schema.get("type") or "")


def _place(rule: Object, path: str) -> str:
    return f"{path}{rule.get('fieldPath', '')}".lstrip(".") or NOWHERE


def _cause(rule: Object, value: Any, schema: Object, path: str, message: str) -> Cause:
    place, reason = _place(rule, path), rule.get("reason", "FieldValueInvalid")
    if reason == "FieldValueRequired":
        return words.required(place, message)
    if reason == "FieldValueForbidden":
        return words.forbidden(place, message)
    # Of objects and lists nothing is shown, of other values the value.
    whole = _type(schema) in ("object", "array")
    if reason == "FieldValueDuplicate":
        same = Cause(place, "Duplicate value", "FieldValueDuplicate")
        return same if whole else words.duplicate(place, value)
    return words.invalid_value(place, message) if whole else words.invalid(place, value, message)


def _message(rule: Object, variables: dict[str, Any]) -> str:
    expression = rule.get("messageExpression", "")
    if expression:
        try:
            value = compile_expression(expression, NAMES).evaluate(variables)
        except (CelError, CompileError):
            value = ""
        if isinstance(value, str) and value.strip():
            return value.strip()
    said = str(rule.get("message", "")).strip()
    return said or f"failed rule: {rule.get('rule', '').strip()}"


def exposed(value: Any, schema: Any) -> Any:
    """A value with the names that expressions have for its fields, and of their types."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        below = schema.get("items")
        items = [exposed(item, below) for item in value]
        keys = schema.get("x-kubernetes-list-map-keys")
        if keys:
            return MapList(items, tuple(map(escaped, keys)))
        return SetList(items) if schema.get("x-kubernetes-list-type") == "set" else items
    if isinstance(value, dict):
        known, additional = schema.get("properties", {}), schema.get("additionalProperties")
        return {
            (escaped(name) if name in known else name): exposed(item, known.get(name, additional))
            for name, item in value.items()
        }
    if isinstance(value, str) and schema.get("type") == "string":
        read = _FORMATS.get(schema.get("format", ""))
        return value if read is None else _read(read, value)
    if isinstance(value, int) and schema.get("type") == "number":
        return float(value)
    return value


def _read(read: Callable[[str], Any], text: str) -> Any:
    """A text of a format as what it means; as it is when it means nothing."""
    try:
        return read(text)
    except (CelError, ValueError):
        return text


_FORMATS: Mapping[str, Callable[[str], Any]] = {
    "byte": b64decode,
    "date": lambda text: timestamp(f"{text}T00:00:00Z"),
    "date-time": timestamp,
    "duration": duration,
}


def escaped(name: str) -> str:
    """The name of a field in expressions: `foo-bar` is `foo__dash__bar`."""
    if name in _KEYWORDS:
        return f"__{name}__"
    if _IDENTIFIER.match(name) and "__" not in name:
        return name
    text = name.replace("__", "__underscores__").replace(".", "__dot__")
    return text.replace("-", "__dash__").replace("/", "__slash__")
