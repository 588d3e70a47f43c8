"""Values against a structural schema, with the error texts of the server's OpenAPI validator."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import orjson
from sregym_cel.values import CelError, duration, timestamp
from sregym_regex import go

from sregym_cluster_embedded.api.errors import Cause
from sregym_cluster_embedded.api.validation import causes as words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.store import Object

NOWHERE = "<nil>"
_NOT_CHECKED = frozenset({"apiVersion", "kind", "metadata"})
_EITHER = "x-kubernetes-int-or-string"


def causes(obj: Object, schema: Object) -> list[Cause]:
    """All causes, in the order in which the fields are looked at."""
    found: list[Cause] = []
    _check(obj, schema, "", found, root=True)
    return found


def of_value(value: Any, schema: Object) -> list[Cause]:
    """All causes in a value that is no object of its own."""
    found: list[Cause] = []
    _check(value, schema, "", found)
    return found


def type_of(value: Any) -> str:
    """The JSON type of a value in messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _check(value: Any, schema: Any, path: str, found: list[Cause], *, root: bool = False) -> None:
    if not isinstance(schema, dict):
        return
    if value is None and schema.get("nullable"):
        return
    if not _typed(value, schema):
        wanted = "integer,string" if schema.get(_EITHER) else schema.get("type")
        text = f'{path} in body must be of type {wanted}: "{type_of(value)}"'
        message = f'Invalid value: "{type_of(value)}": {text}'
        found.append(Cause(path, message, "FieldValueTypeInvalid"))
        return
    if isinstance(value, str):
        _text(value, schema, path, found)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _number(value, schema, path, found)
    elif isinstance(value, list):
        _list(value, schema, path, found)
    elif isinstance(value, dict):
        _object(value, schema, path, found, root=root)
    _enumerated(value, schema, path, found)
    _combined(value, schema, path, found)


def _typed(value: Any, schema: Object) -> bool:
    wanted, actual = schema.get("type"), type_of(value)
    if not wanted and schema.get(_EITHER):
        wanted = "string" if actual == "string" else "integer"
    if not wanted or wanted == actual:
        return True
    if wanted == "integer":
        return actual == "number" and float(value).is_integer()
    return bool(wanted == "number" and actual == "integer")


def _enumerated(value: Any, schema: Object, path: str, found: list[Cause]) -> None:
    allowed = schema.get("enum")
    if allowed and value not in allowed:
        listed = [item if isinstance(item, str) else _json(item) for item in allowed]
        found.append(words.unsupported(path, value, listed))


def _invalid(path: str, value: Any, text: str) -> Cause:
    return words.invalid(path, value, f"{path} in body {text}")


def _text(value: str, schema: Object, path: str, found: list[Cause]) -> None:
    longest, shortest = schema.get("maxLength"), schema.get("minLength")
    if longest is not None and len(value) > longest:
        text = f"Too long: may not be more than {longest} bytes"
        found.append(Cause(path, text, "FieldValueTooLong"))
    if shortest is not None and len(value) < shortest:
        found.append(_invalid(path, value, f"should be at least {shortest} chars long"))
    pattern = schema.get("pattern")
    if pattern and not _matches(pattern, value):
        found.append(_invalid(path, value, f"should match '{pattern}'"))
    format_ = schema.get("format", "")
    test = _FORMATS.get(format_)
    if test is not None and not test(value):
        text = f"must be of type {format_}: {_json(value)}"
        found.append(_invalid(path, value, text))


def _matches(pattern: str, value: str) -> bool:
    try:
        return go.anywhere(pattern).search(value) is not None
    except go.PatternError:
        return True


def _number(value: float, schema: Object, path: str, found: list[Cause]) -> None:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None:
        if schema.get("exclusiveMaximum") and value >= high:
            found.append(_invalid(path, value, f"should be less than {_json(high)}"))
        elif value > high:
            found.append(_invalid(path, value, f"should be less than or equal to {_json(high)}"))
    if low is not None:
        if schema.get("exclusiveMinimum") and value <= low:
            found.append(_invalid(path, value, f"should be greater than {_json(low)}"))
        elif value < low:
            found.append(_invalid(path, value, f"should be greater than or equal to {_json(low)}"))
    step = schema.get("multipleOf")
    if step and value % step:
        found.append(_invalid(path, value, f"should be a multiple of {_json(step)}"))
    bits = {"int32": 31, "int64": 63}.get(schema.get("format", ""))
    if bits and not -(2**bits) <= value < 2**bits:
        text = f"should be a {schema['format']} value"
        found.append(_invalid(path, value, text))


def _list(value: list[Any], schema: Object, path: str, found: list[Cause]) -> None:
    most, least = schema.get("maxItems"), schema.get("minItems")
    if most is not None and len(value) > most:
        found.append(_too_many(path, len(value), most))
    if least is not None and len(value) < least:
        found.append(_invalid(path, value, f"should have at least {least} items"))
    for index, item in enumerate(value):
        _check(item, schema.get("items"), f"{path}[{index}]", found)
    _unique(value, schema, path, found)


def _too_many(path: str, number: int, most: int) -> Cause:
    plural = "item" if most == 1 else "items"
    text = f"Too many: {number}: must have at most {most} {plural}"
    return Cause(path, text, "FieldValueTooMany")


def _unique(value: list[Any], schema: Object, path: str, found: list[Cause]) -> None:
    type_, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys", ())
    seen: list[Any] = []
    for index, item in enumerate(value):
        if type_ == "set":
            identity = item
        elif type_ == "map" and isinstance(item, dict):
            identity = {key: item.get(key) for key in keys}
        else:
            return
        if identity in seen:
            found.append(words.duplicate(f"{path}[{index}]", identity))
        seen.append(identity)


def _object(value: Object, schema: Object, path: str, found: list[Cause], *, root: bool) -> None:
    head = f"{path}." if path else ""
    most, least = schema.get("maxProperties"), schema.get("minProperties")
    if most is not None and len(value) > most:
        found.append(_too_many(path, len(value), most))
    if least is not None and len(value) < least:
        found.append(_invalid(path, value, f"should have at least {least} properties"))
    for name in schema.get("required", ()):
        if name not in value:
            found.append(words.required(f"{head}{name}"))
    properties, additional = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in sorted(value.items()):
        if root and name in _NOT_CHECKED:
            continue
        _check(item, properties.get(name, additional), f"{head}{name}", found)


def _combined(value: Any, schema: Object, path: str, found: list[Cause]) -> None:
    """`allOf`, `anyOf`, `oneOf` and `not`, whose causes name no field."""
    name = path or "."
    fits = [_fits(value, item) for item in schema.get("oneOf", ())]
    if fits and sum(fits) != 1:
        what = "Found none valid" if not any(fits) else f"Found {sum(fits)} valid alternatives"
        found.append(_nowhere(f'"{name}" must validate one and only one schema (oneOf). {what}'))
        if not any(fits):
            _check(value, schema["oneOf"][0], path, found)
    some = schema.get("anyOf", ())
    if some and not schema.get(_EITHER) and not any(_fits(value, item) for item in some):
        found.append(_nowhere(f'"{name}" must validate at least one schema (anyOf)'))
        _check(value, some[0], path, found)
    every = schema.get("allOf", ())
    if not all(_fits(value, item) for item in every):
        found.append(_nowhere(f'"{name}" must validate all the schemas (allOf)'))
        for item in every:
            _check(value, item, path, found)
    if schema.get("not") and _fits(value, schema["not"]):
        found.append(_nowhere(f'"{name}" must not validate the schema (not)'))


def _fits(value: Any, schema: Any) -> bool:
    found: list[Cause] = []
    _check(value, schema, "", found)
    return not found


def _nowhere(text: str) -> Cause:
    return Cause(NOWHERE, f'Invalid value: "": {text}')


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _parses(read: Callable[[str], Any]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            read(text)
        except (ValueError, CelError, binascii.Error):
            return False
        return True

    return test


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": _parses(timestamp),
    "date": _parses(date.fromisoformat),
    "duration": _parses(duration),
    "ipv4": _parses(ipaddress.IPv4Address),
    "ipv6": _parses(ipaddress.IPv6Address),
    "cidr": _parses(ipaddress.ip_interface),
    "byte": _parses(lambda text: base64.b64decode(text, validate=True)),
    "uuid": lambda text: bool(
        re.fullmatch(r"(?i)[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", text)
    ),
    "uri": lambda text: bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S*$|/\S*$", text)),
    "email": lambda text: bool(re.fullmatch(r"[^@\s]+@[^@\s]+", text)),
    "hostname": lambda text: bool(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", text)),
}
