"""The kinds of causes, with the words that the API server has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api.errors import Cause

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_NEGATIVE = "must be greater than or equal to 0"
PORT_RANGE = "must be between 1 and 65535, inclusive"
POSITIVE = "must be greater than zero"
IMMUTABLE = "field is immutable"


def required(field: str, detail: str = "") -> Cause:
    """A field that must be there."""
    message = f"Required value: {detail}" if detail else "Required value"
    return Cause(field, message, "FieldValueRequired")


def invalid(field: str, value: Any, detail: str) -> Cause:
    """A value that cannot be."""
    told = f": {detail}" if detail else ""
    return Cause(field, f"Invalid value: {quoted_value(value)}{told}")


def invalid_value(field: str, detail: str) -> Cause:
    """A value that cannot be, and is not shown."""
    return Cause(field, f"Invalid value: {detail}")


def unsupported(field: str, value: Any, supported: Sequence[str]) -> Cause:
    """A word outside an enumeration; the supported ones are listed as given."""
    listed = ", ".join(f'"{word}"' for word in supported)
    return Cause(
        field,
        f"Unsupported value: {quoted_value(value)}: supported values: {listed}",
        "FieldValueNotSupported",
    )


def forbidden(field: str, detail: str) -> Cause:
    """A field that must not be set or changed here."""
    return Cause(field, f"Forbidden: {detail}", "FieldValueForbidden")


def duplicate(field: str, value: Any, detail: str = "") -> Cause:
    """A value that occurs twice."""
    told = f": {detail}" if detail else ""
    return Cause(field, f"Duplicate value: {quoted_value(value)}{told}", "FieldValueDuplicate")


def missing(field: str, value: Any, detail: str = "") -> Cause:
    """A reference to nothing."""
    told = f": {detail}" if detail else ""
    return Cause(field, f"Not found: {quoted_value(value)}{told}", "FieldValueNotFound")


def too_long(field: str, most: int, unit: str = "bytes") -> Cause:
    """A value that is longer than it may be; it is not shown."""
    return Cause(field, f"Too long: may not be more than {most} {unit}", "FieldValueTooLong")


def counted(field: str, message: str) -> Cause:
    """A list with more items than it may have."""
    return Cause(field, message, "FieldValueTooMany")


def quoted_value(value: Any) -> str:
    """A value inside a message: JSON, in which Go keeps no bare angle brackets."""
    text = orjson.dumps(value).decode()
    if isinstance(value, str):
        return text
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def not_negative(field: str, value: int | None) -> list[Cause]:
    """A number that must not be below zero."""
    return [invalid(field, value, NOT_NEGATIVE)] if value is not None and value < 0 else []


def between(field: str, value: int | None, low: int, high: int) -> list[Cause]:
    """A number that must lie in a range."""
    if value is None or low <= value <= high:
        return []
    return [invalid(field, value, f"must be between {low} and {high}, inclusive")]


def one_of(field: str, value: str | None, supported: Sequence[str]) -> list[Cause]:
    """A word of an enumeration, where it is given."""
    return [] if value is None or value in supported else [unsupported(field, value, supported)]


def port(field: str, value: int) -> list[Cause]:
    """A port number."""
    return [] if 1 <= value <= 65535 else [invalid(field, value, PORT_RANGE)]
