"""The types of the API's objects, loaded when first needed.

Structure (types, list types, merge keys) and texts (for `kubectl explain`) are two files: a
process that never explains never parses the texts.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

_DATA = "sregym_cluster_embedded.api"
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


@dataclass(frozen=True)
class Type:
    """The type of a value.

    Attributes:
        form: `string`, `integer`, `number`, `boolean`, `object` (free form), `list`, `map`,
            `struct` (see `name`) or `any`.
        item: Type of the items of a list or of the values of a map.
        name: Name of the definition of a struct.
    """

    form: str
    item: Type | None = None
    name: str = ""


@dataclass(frozen=True)
class Field:
    """One field of a definition.

    Attributes:
        type: Its type.
        merge_key: Strategic merge: the field that identifies the items of a list.
        strategies: Strategic merge: `merge`, `replace`, `retainKeys`.
        list_type: Field ownership: `atomic`, `set`, `map`; empty when not said.
        list_keys: Field ownership: keys of a list of type `map`.
        atomic: Field ownership: whether a struct or map has one owner as a whole.
        format: `int32`, `int64`, `byte`, `date-time`, ...
    """

    type: Type
    merge_key: str = ""
    strategies: tuple[str, ...] = ()
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    atomic: bool = False
    format: str = ""


@dataclass(frozen=True)
class Definition:
    """A struct, or (without fields) a named scalar such as Quantity or Time.

    Attributes:
        name: Full name: `io.k8s.api.core.v1.Pod`.
        fields: By JSON name, sorted.
        required: Names of fields that must be there.
        scalar: For a named scalar, its type.
        kinds: (group, version, kind) for the objects of the API.
        atomic: Whether values have one owner as a whole.
        format: Of a named scalar.
        kept: Texts, numbers and truth values that are written even when they are empty, zero or
            false: pointers, and what is never left out.
    """

    name: str
    fields: Mapping[str, Field]
    required: tuple[str, ...]
    scalar: Type | None
    kinds: tuple[tuple[str, str, str], ...]
    atomic: bool
    format: str
    kept: frozenset[str]

    @property
    def short(self) -> str:
        """The name of the Go type: `PodSpec`."""
        return self.name.rpartition(".")[2]


_FORMS = {"s": "string", "i": "integer", "n": "number", "b": "boolean", "o": "object", "*": "any"}


@lru_cache(maxsize=1)
def _structure() -> dict[str, Any]:
    return _load("structure.json.gz")


@lru_cache(maxsize=1)
def descriptions() -> dict[str, Any]:
    """For each definition its text and, by field name, those of its fields."""
    return _load("descriptions.json.gz")


def _load(name: str) -> dict[str, Any]:
    compressed = files(_DATA).joinpath("data", name).read_bytes()
    loaded: dict[str, Any] = orjson.loads(gzip.decompress(compressed))
    return loaded


@lru_cache(maxsize=1)
def _kept() -> dict[str, list[str]]:
    path = files(_DATA).joinpath("data", "zeros.json")
    loaded: dict[str, list[str]] = orjson.loads(path.read_bytes())
    return loaded


@lru_cache(maxsize=1)
def _by_kind() -> dict[tuple[str, str, str], str]:
    return {
        (group, version, kind): name
        for name, entry in _structure().items()
        for group, version, kind in entry.get("g", ())
    }


def names() -> list[str]:
    """The names of all definitions, sorted."""
    return list(_structure())


def of_kind(group: str, version: str, kind: str) -> Definition | None:
    """The definition of a kind of object, or None."""
    name = _by_kind().get((group, version, kind))
    return None if name is None else definition(name)


@lru_cache(maxsize=2048)
def definition(name: str) -> Definition:
    """The definition with this full name."""
    entry = _structure()[name]
    fields = {field: _field(value) for field, value in entry.get("p", {}).items()}
    return Definition(
        name=name,
        fields=fields,
        required=tuple(entry.get("r", ())),
        scalar=_scalar(entry["t"]) if "t" in entry else None,
        kinds=tuple((group, version, kind) for group, version, kind in entry.get("g", ())),
        atomic=entry.get("m") == "atomic",
        format=entry.get("f", ""),
        kept=frozenset(_kept().get(name, ())),
    )


def _scalar(code: str) -> Type:
    return Type("any") if code == "?" else _type(code)


@lru_cache(maxsize=2048)
def _type(code: str) -> Type:
    if code.startswith("@"):
        return Type("struct", name=code[1:])
    if code.startswith("[]"):
        return Type("list", _type(code[2:]))
    if code.startswith("{}"):
        return Type("map", _type(code[2:]))
    return Type(_FORMS[code])


def _field(value: Any) -> Field:
    if isinstance(value, str):
        return Field(_type(value))
    code, extras = value
    return Field(
        type=_type(code),
        merge_key=extras.get("k", ""),
        strategies=tuple(part for part in extras.get("p", "").split(",") if part),
        list_type=extras.get("l", ""),
        list_keys=tuple(extras.get("m", ())),
        atomic=extras.get("t") == "atomic",
        format=extras.get("f", ""),
    )
