"""The types of values, as far as they are known before an expression is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Kind:
    """A type.

    Attributes:
        name: `int`, `list`, ...; the name of the type of an object with fields.
        parts: The type of a list's items; those of a map's keys and values.
        fields: For an object, the type of a field; None when it has no such field.
    """

    name: str
    parts: tuple[Kind, ...] = ()
    fields: Callable[[str], Kind | None] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.name == UNKNOWN.name:
            return "dyn"
        inner = f"({', '.join(str(part) for part in self.parts)})" if self.parts else ""
        return f"{self.name}{inner}"

    @property
    def open(self) -> bool:
        """Whether the value may be anything."""
        return self.name in ("dyn", "?")


DYN = Kind("dyn")
# A value whose type the server would know; here it is not worked out.
UNKNOWN = Kind("?")
BOOL, INT, UINT, DOUBLE = Kind("bool"), Kind("int"), Kind("uint"), Kind("double")
STRING, BYTES, NULL, TYPE = Kind("string"), Kind("bytes"), Kind("null"), Kind("type")
TIMESTAMP, DURATION = Kind("timestamp"), Kind("duration")


def list_of(item: Kind) -> Kind:
    """The type of a list."""
    return Kind("list", (item,))


def map_of(value: Kind, key: Kind = STRING) -> Kind:
    """The type of a map."""
    return Kind("map", (key, value))


def struct(name: str, fields: dict[str, Kind]) -> Kind:
    """The type of an object with these fields."""
    return Kind(name, fields=fields.get)


def fit(one: Kind, other: Kind) -> bool:
    """Whether values of both types can stand for one another."""
    if one.open or other.open:
        return True
    if NULL in (one, other):
        rest = other if one == NULL else one
        return rest in (NULL, TIMESTAMP, DURATION) or rest.fields is not None
    if one.name != other.name or len(one.parts) != len(other.parts):
        return False
    return all(fit(*pair) for pair in zip(one.parts, other.parts, strict=True))


def either(one: Kind, other: Kind) -> Kind:
    """The more general of two types that fit."""
    return one if one.open or other == NULL else other
