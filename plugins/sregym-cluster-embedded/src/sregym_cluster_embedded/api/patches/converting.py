"""What the server's converter says of values that do not fit a field of the object they patch.

A strategic merge patch is applied to maps, which are then read into the structs of Go by reflection;
numbers, texts and truth values have words of their own there, other ones than those of the decoder
of JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cel import base64_text

from sregym_cluster_embedded.api import schema

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.schema import Type

_GO_NAMES = {"string": "string", "boolean": "bool", "number": "float64"}
# What Go can convert in general, and the converter refuses nevertheless.
_CONVERTIBLE = {("int64", "string"), ("float64", "integer")}


class ConversionError(Exception):
    """A value of the wrong form; the message is the converter's."""


def check(value: Any, type_: Type | None, format_: str = "") -> None:
    """Refuse a value that its field cannot take; the fields of a struct are looked at apart.

    Args:
        value: What is to be put there.
        type_: The type of the field; None for one that is not known.
        format_: Its format, of the values when it is a map.

    Raises:
        ConversionError: It does not fit.
    """
    if type_ is None or value is None:
        return
    if type_.form == "list":
        if not isinstance(value, list):
            raise ConversionError(f"cannot restore slice from {kind_of(value)}")
    elif type_.form == "map":
        if not isinstance(value, dict):
            raise ConversionError(f"cannot restore map from {kind_of(value)}")
        for entry in value.values():
            check(entry, type_.item, format_)
    elif type_.form == "struct":
        if schema.definition(type_.name).scalar is None and not isinstance(value, dict):
            raise ConversionError(f"cannot restore struct from: {kind_of(value)}")
    else:
        _scalar(value, type_.form, format_)


def check_whole(value: Any, type_: Type | None, format_: str = "") -> None:
    """The same with all that is inside: what no merge looks into.

    Raises:
        ConversionError: Something does not fit.
    """
    check(value, type_, format_)
    if type_ is None or value is None:
        return
    if type_.form == "list":
        for entry in value:
            check_whole(entry, type_.item)
    elif type_.form == "struct":
        fields = schema.definition(type_.name).fields
        for name, entry in value.items() if isinstance(value, dict) else ():
            if name in fields:
                check_whole(entry, fields[name].type, fields[name].format)


def _scalar(value: Any, form: str, format_: str) -> None:
    if format_ == "byte":
        _binary(value)
        return
    found = kind_of(value)
    fits = {
        "string": found == "string",
        "boolean": found == "bool",
        "integer": found == "int64" or (found == "float64" and value.is_integer()),
        "number": found in ("int64", "float64"),
    }
    if fits.get(form, True):
        return
    named = _GO_NAMES.get(form, format_ or "int32")
    if (found, form) in _CONVERTIBLE:
        raise ConversionError(f"cannot convert {found} to {named}")
    raise ConversionError(f"unrecognized type: {named}")


def _binary(value: Any) -> None:
    if not isinstance(value, str):
        raise ConversionError(f"cannot restore slice from {kind_of(value)}")
    try:
        base64_text.decode(value)
    except base64_text.Base64Error as error:
        raise ConversionError(f"error decoding from json: {error}") from None


def kind_of(value: Any) -> str:
    """What Go calls the kind of a value that came as JSON."""
    names = {str: "string", bool: "bool", int: "int64", float: "float64", list: "slice"}
    return names.get(type(value), "map")
