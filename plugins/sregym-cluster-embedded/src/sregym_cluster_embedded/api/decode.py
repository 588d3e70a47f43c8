"""Reading objects from requests: types checked, unknown fields found, values made canonical.

What comes out is what a real server would have after decoding into its structs and encoding
again: few nulls, no empty lists and maps, no zero values where the struct has no pointer, quantities
in canonical form.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from sregym_cel import base64_text

from sregym_cluster_embedded.api import schema
from sregym_cluster_embedded.api.quantity import canonical
from sregym_cluster_embedded.api.zero_values import ZEROS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.api.schema import Definition, Type

_GO_NAMES = {"string": "string", "boolean": "bool", "number": "float64", "integer": "int32"}
_PLAIN = {"string": str, "boolean": bool, "integer": int}
_JSON_NAMES = {bool: "bool", int: "number", float: "number", str: "string", list: "array"}
_TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$")

_EMPTY_LISTS_KEPT = frozenset({"acceptedNames", "rules", "storedVersions", "verbs"})
# What is written also when there is nothing in it: lists, of which storage forgets that they were
# there, and structs.
_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "io.k8s.api.batch.v1.PodFailurePolicy": {"rules": None},
    "io.k8s.api.batch.v1.SuccessPolicy": {"rules": None},
    "io.k8s.api.core.v1.LimitRangeSpec": {"limits": None},
    "io.k8s.api.core.v1.ProjectedVolumeSource": {"sources": None},
    "io.k8s.api.discovery.v1.Endpoint": {"conditions": {}},
    "io.k8s.api.discovery.v1.EndpointSlice": {"endpoints": None, "ports": None},
    "io.k8s.api.rbac.v1.ClusterRole": {"rules": None},
    "io.k8s.api.rbac.v1.Role": {"rules": None},
    "io.k8s.api.resource.v1.ResourceClaimTemplateSpec": {"metadata": {}},
    "io.k8s.api.storage.v1.CSINodeSpec": {"drivers": None},
}


class DecodeError(ValueError):
    """A value of the wrong type; the message is the decoder's."""


def decode(obj: dict[str, Any], definition: Definition) -> tuple[dict[str, Any], list[str]]:
    """The object in canonical form, and the paths of its unknown fields in order.

    Raises:
        DecodeError: A value has the wrong type.
    """
    if not isinstance(obj, dict):
        found = _JSON_NAMES.get(type(obj), "object")
        message = (
            f"json: cannot unmarshal {found} into Go value of type {_package(definition.name)}"
        )
        raise DecodeError(message)
    reader = _Reader()
    decoded = reader.struct(obj, definition, "", "")
    return decoded, reader.unknown


_INT32, _INT64 = 2**31, 2**63
_LISTS_OF_INT64 = frozenset({"ints", "supplementalGroups"})
_NESTED = ("struct", "list", "map")
# Formats of which more than the JSON type is looked at.
_EXACT = ("int64", "byte")


class _Reader:
    def __init__(self) -> None:
        self.unknown: list[str] = []

    def struct(
        self, obj: dict[str, Any], definition: Definition, path: str, go_path: str
    ) -> dict[str, Any]:
        """One struct; `path` has indexes, `go_path` is as Go's decoder names it."""
        result: dict[str, Any] = {}
        for name, value in obj.items():
            field = definition.fields.get(name)
            if field is None:
                self.unknown.append(f"{path}.{name}" if path else name)
                continue
            if value is None:
                continue
            form = field.type.form
            exact = field.format in _EXACT
            plain = value and type(value) is _PLAIN.get(form) and not exact
            if plain and (form != "integer" or -_INT32 <= value < _INT32):
                # Most values are such: they need no words to be called by in an error.
                result[name] = value
                continue
            if form not in _NESTED and not exact and _fits(value, form):
                read: Any = int(value) if form == "integer" else value
                if not _omitted(definition, name, read, field.type):
                    result[name] = read
                continue
            below = f"{path}.{name}" if path else name
            go_below = f"{go_path}.{name}" if go_path else name
            place = f"{definition.short}.{go_below}"
            if field.format == "int64":
                read = self.long(value, place)
            elif name in _LISTS_OF_INT64 and isinstance(value, list):
                read = [self.long(entry, place) for entry in value]
            elif field.format == "byte":
                read = self.binary(value, field.type, place)
            else:
                read = self.value(value, field.type, below, place, go_below)
            if not _omitted(definition, name, read, field.type):
                result[name] = read
        zeros = _ALWAYS.get(definition.name)
        if zeros is not None:
            for name, zero in zeros.items():
                result[name] = result.get(name) or zero
        return result

    def value(self, value: Any, type_: Type, path: str, place: str, go_path: str) -> Any:
        """One value of any type; `place` is what an error calls it."""
        form = type_.form
        if form == "struct":
            return self._named(value, type_, path, place, go_path)
        if form == "list":
            if not isinstance(value, list):
                raise self._mismatch(value, place, _go_name(type_))
            item = type_.item
            assert item is not None
            return [
                _zero(item)
                if entry is None
                else self.value(entry, item, f"{path}[{index}]", place, go_path)
                for index, entry in enumerate(value)
            ]
        if form == "map":
            if not isinstance(value, dict):
                raise self._mismatch(value, place, _go_name(type_))
            item = type_.item
            assert item is not None
            return {
                key: self.value(entry, item, f"{path}.{key}", place, go_path)
                for key, entry in value.items()
                if entry is not None
            }
        if not _fits(value, form):
            raise self._mismatch(value, place, _go_name(type_))
        return int(value) if form == "integer" else value

    def long(self, value: Any, place: str) -> int:
        """A whole number of 64 bits."""
        if not _whole(value) or not -_INT64 <= value < _INT64:
            raise self._mismatch(value, place, "int64")
        return int(value)

    def binary(self, value: Any, type_: Type, place: str) -> Any:
        """Bytes as base64 in the form that the server writes, or a map of such."""
        if type_.form == "map":
            if not isinstance(value, dict):
                raise self._mismatch(value, place, "map[string][]uint8")
            item = type_.item
            assert item is not None
            return {
                key: self.binary(entry, item, place)
                for key, entry in value.items()
                if entry is not None
            }
        if not isinstance(value, str):
            raise self._mismatch(value, place, "[]uint8")
        try:
            return b64encode(base64_text.decode(value)).decode()
        except base64_text.Base64Error as error:
            raise DecodeError(str(error)) from None

    def _named(self, value: Any, type_: Type, path: str, place: str, go_path: str) -> Any:
        definition = schema.definition(type_.name)
        if definition.scalar is None:
            if not isinstance(value, dict):
                raise self._mismatch(value, place, _go_name(type_))
            return self.struct(value, definition, path, go_path)
        if definition.name == schema.QUANTITY:
            return _quantity(value)
        if definition.name == schema.INT_OR_STRING:
            if isinstance(value, bool) or not isinstance(value, int | str):
                raise self._mismatch(value, place, "int32")
            return value
        if definition.format == "date-time":
            return _time(value)
        if definition.scalar.form == "any":
            return value
        return self.value(value, definition.scalar, path, place, go_path)

    @staticmethod
    def _mismatch(value: Any, place: str, expected: str) -> DecodeError:
        found = _JSON_NAMES.get(type(value), "object")
        if isinstance(value, float) or (found == "number" and not -_INT32 <= value < _INT32):
            found = f"number {value}"
        return DecodeError(
            f"json: cannot unmarshal {found} into Go struct field {place} of type {expected}"
        )


def _zero(type_: Type) -> Any:
    """What Go makes of a null among the items of a list."""
    if type_.form != "struct":
        return ZEROS.get(type_.form)
    definition = schema.definition(type_.name)
    if definition.name == schema.QUANTITY:
        return canonical(0)
    if definition.name == schema.INT_OR_STRING:
        return 0
    return None if definition.scalar is not None else {}


def _whole(value: Any) -> bool:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return whole and not isinstance(value, bool)


def _fits(value: Any, form: str) -> bool:
    if form == "string":
        return isinstance(value, str)
    if form == "boolean":
        return isinstance(value, bool)
    if form == "integer":
        return _whole(value) and bool(-_INT32 <= value < _INT32)
    if form == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return form != "object" or isinstance(value, dict)


def _go_name(type_: Type) -> str:
    if type_.form == "list":
        assert type_.item is not None
        return f"[]{_go_name(type_.item)}"
    if type_.form == "map":
        assert type_.item is not None
        return f"map[string]{_go_name(type_.item)}"
    if type_.form == "struct":
        return _package(type_.name)
    return _GO_NAMES.get(type_.form, "map[string]interface {}")


def _package(name: str) -> str:
    """`v1.PodSpec` for the definition of that name."""
    package, _, short = name.rpartition(".")
    return f"{package.rpartition('.')[2]}.{short}"


def _omitted(definition: Definition, name: str, value: Any, type_: Type) -> bool:
    """Whether Go leaves a value out of what it writes."""
    if value in ([], {}):
        return type_.form in ("list", "map") and name not in _EMPTY_LISTS_KEPT
    return not value and type_.form in _PLAIN and name not in definition.kept


def _quantity(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        message = "unmarshal quantity: neither a string nor a number"
        raise DecodeError(message)
    try:
        return canonical(value)
    except ValueError as error:
        raise DecodeError(str(error)) from None


def _time(value: Any) -> Any:
    if not isinstance(value, str):
        message = "Time.UnmarshalJSON: input is not a JSON string"
        raise DecodeError(message)
    if not _TIME.match(value):
        message = f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}" as "2006"'
        raise DecodeError(message)
    return value
