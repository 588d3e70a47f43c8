"""Whether the types of an expression's parts go together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cel.kinds import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    UNKNOWN,
    Kind,
    either,
    fit,
    list_of,
    map_of,
)
from sregym_cel.signatures import applied
from sregym_cel.values import CompileError, type_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cel.environment import Environment
    from sregym_cel.signatures import Overload
    from sregym_cel.syntax import Node

_NUMBERS = (INT, UINT, DOUBLE)
_SAME = {
    "_+_": (BYTES, DOUBLE, DURATION, INT, STRING, UINT),
    "_-_": (DOUBLE, DURATION, INT, UINT),
    "_*_": _NUMBERS,
    "_/_": _NUMBERS,
    "_%_": (INT, UINT),
}
_MIXED = {
    "_+_": ((DURATION, TIMESTAMP, TIMESTAMP), (TIMESTAMP, DURATION, TIMESTAMP)),
    "_-_": ((TIMESTAMP, DURATION, TIMESTAMP), (TIMESTAMP, TIMESTAMP, DURATION)),
}
_PATCH_FIELDS = {"op": STRING, "path": STRING, "from": STRING, "value": DYN}
_ORDERED = ("_<_", "_<=_", "_>_", "_>=_")
_COMPARABLE = (BOOL, BYTES, STRING, TIMESTAMP, DURATION)
_TYPES = frozenset(
    (
        *("bool", "bytes", "double", "dyn", "int", "list", "map", "null_type", "string", "type"),
        "uint",
    )
)
_QUANTIFIED = ("all", "exists", "exists_one", "existsOne")
_COMPREHENSIONS = (
    *(*_QUANTIFIED, "filter", "map", "sortBy"),
    *("transformList", "transformMap", "transformMapEntry"),
)


class Checked(NamedTuple):
    """What is known of an expression before it is evaluated.

    Attributes:
        kind: Its type.
        errors: What does not go together in it, in the order of the text.
    """

    kind: Kind
    errors: tuple[CompileError, ...]

    @property
    def text(self) -> str:
        """What does not go together, as the language's tools print it; empty if all does."""
        return "\n".join(str(error) for error in self.errors)


class Checker:
    """Works out the types of the parts of one expression.

    Attributes:
        found: What does not go together.
    """

    def __init__(self, environment: Environment, source: str) -> None:
        self._environment = environment
        self._libraries = frozenset(
            name.partition(".")[0] for name in environment.overloads if "." in name
        )
        self._source = source
        self.found: list[CompileError] = []

    def _refuse(self, message: str, node: Node) -> Kind:
        self.found.append(CompileError(message, node.offset, self._source))
        return UNKNOWN

    def kind(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        """The type of one part."""
        if node.kind == "literal":
            name = type_name(node.value)
            return NULL if name == "null_type" else Kind(name)
        if node.kind == "name":
            return known.get(node.value, TYPE if node.value in _TYPES else UNKNOWN)
        if node.kind == "select":
            return self._selected(node, known)
        if node.kind == "index":
            return self._indexed(node, known)
        if node.kind == "list":
            return list_of(self._joined(node.parts, known) or UNKNOWN)
        if node.kind == "map" and node.value:
            return self._made(node, known)
        if node.kind == "map":
            keys = self._joined(node.parts[::2], known)
            return map_of(self._joined(node.parts[1::2], known) or UNKNOWN, keys or UNKNOWN)
        return self._called(node, known)

    def _made(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        """An object of a type for mutations; the fields of patches are known beforehand."""
        for key, part in zip(node.parts[::2], node.parts[1::2], strict=True):
            kind = self.kind(part, known)
            if node.value != "JSONPatch":
                continue
            wanted = _PATCH_FIELDS.get(key.value)
            colon = replace(key, offset=self._source.find(":", key.offset))
            if wanted is None:
                self._refuse(f"undefined field '{key.value}'", colon)
            elif not fit(wanted, kind):
                what = f"expected type of field '{key.value}' is '{wanted}'"
                self._refuse(f"{what} but provided type is '{kind}'", colon)
        return Kind(node.value)

    def _joined(self, parts: Sequence[Node], known: Mapping[str, Kind]) -> Kind | None:
        """The one type of all items of a literal."""
        joined: Kind | None = None
        for part in parts:
            kind = self.kind(part, known)
            if joined is None:
                joined = kind
            elif fit(joined, kind):
                joined = either(joined, kind)
            else:
                return self._refuse(f"expected type '{joined}' but found '{kind}'", part)
        return joined

    def _selected(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        target = self.kind(node.parts[0], known)
        if target.open:
            return UNKNOWN if node.optional else target
        if target.name == "map":
            kind: Kind | None = target.parts[1]
        elif target.fields is None:
            return self._refuse(f"type '{target}' does not support field selection", node)
        else:
            kind = target.fields(node.value)
        if kind is None:
            return self._refuse(f"undefined field '{node.value}'", node)
        return UNKNOWN if node.optional else kind

    def _indexed(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        target, key = (self.kind(part, known) for part in node.parts)
        if target.open:
            return UNKNOWN if node.optional else target
        wanted = {"list": INT, "map": target.parts[0] if target.parts else DYN}.get(target.name)
        if wanted is None or not fit(wanted, key):
            name = "_[?_]" if node.optional else "_[_]"
            return self._unmatched(name, [target, key], node)
        return UNKNOWN if node.optional else target.parts[-1]

    def _unmatched(
        self, name: str, kinds: Sequence[Kind], node: Node, method: bool = False
    ) -> Kind:
        texts = [str(kind) for kind in kinds]
        given = f"({', '.join(texts)})"
        if method:
            given = f"{texts[0]}.({', '.join(texts[1:])})"
        return self._refuse(f"found no matching overload for '{name}' applied to '{given}'", node)

    def _called(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        name = node.value
        if node.method:
            return self._method(node, known)
        if name == "has":
            self.kind(node.parts[0], known)
            return BOOL
        kinds = [self.kind(part, known) for part in node.parts]
        if name.startswith("_") or name in ("!_", "-_", "@in"):
            return self._operated(node, kinds)
        return self._applied(name, self._environment.overloads.get(name), kinds, node)

    def _applied(
        self,
        name: str,
        overloads: Sequence[Overload] | None,
        kinds: list[Kind],
        node: Node,
        method: bool = False,
    ) -> Kind:
        if overloads is None:
            return UNKNOWN
        found = applied(overloads, kinds)
        return self._unmatched(name, kinds, node, method) if found is None else found

    def _operated(self, node: Node, kinds: list[Kind]) -> Kind:
        name, (first, *rest) = node.value, kinds
        result: Kind | None = BOOL
        if name in ("_&&_", "_||_", "!_"):
            matched = all(fit(kind, BOOL) for kind in kinds)
        elif name in ("_==_", "_!=_"):
            matched = fit(first, rest[0])
        elif name in _ORDERED:
            matched = _ordered(first, rest[0])
        elif name == "@in":
            matched = _contained(first, rest[0])
        elif name == "_?_:_":
            matched = fit(first, BOOL) and fit(rest[0], rest[1])
            result = either(rest[0], rest[1])
        elif name == "-_":
            matched = first.open or first in (INT, DOUBLE)
            result = first
        else:
            result = _arithmetic(name, first, rest[0])
            matched = result is not None
        if not matched or result is None:
            return self._unmatched(name, kinds, node)
        return result

    def _method(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        name = node.value
        if name in _COMPREHENSIONS and len(node.parts) > 2:
            return self._over(node, known)
        if name in ("bind", "optMap", "optFlatMap"):
            return self._bound(node, known)
        library = node.parts[0]
        if (
            library.kind == "name"
            and library.value not in known
            and library.value in self._libraries
        ):
            kinds = [self.kind(part, known) for part in node.parts[1:]]
            name = f"{library.value}.{name}"
            return self._applied(name, self._environment.overloads.get(name), kinds, node)
        kinds = [self.kind(part, known) for part in node.parts]
        return self._applied(name, self._environment.methods.get(name), kinds, node, method=True)

    def _bound(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        """`cel.bind` names a value; what an optional holds is not followed."""
        *_, variable, last = node.parts
        inner = {**known, variable.value: UNKNOWN}
        if node.value == "bind" and len(node.parts) == 4:
            value = self.kind(node.parts[2], known)
            return self.kind(last, {**known, node.parts[1].value: value})
        kind = self.kind(last, inner)
        return kind if node.value == "bind" else UNKNOWN

    def _over(self, node: Node, known: Mapping[str, Kind]) -> Kind:
        target = self.kind(node.parts[0], known)
        conditional = (node.value, len(node.parts)) == ("map", 4) or len(node.parts) == 5
        bodies = 2 if conditional else 1
        names = [part.value for part in node.parts[1:-bodies]]
        if target.open:
            items = [target] * 2
        elif target.name == "map":
            items = list(target.parts)
        elif target.name == "list":
            items = [INT, target.parts[0]]
        else:
            message = (
                f"expression of type '{target}' cannot be range of a comprehension "
                "(must be list, map, or dynamic)"
            )
            self._refuse(message, node.parts[0])
            items = [UNKNOWN] * 2
        if len(names) == 1:
            items = [items[1 if target.name == "list" else 0]]
        inner = {**known, **dict(zip(names, items, strict=True))}
        kinds = [self.kind(part, inner) for part in node.parts[-bodies:]]
        if node.value in _QUANTIFIED:
            return BOOL
        if node.value in ("filter", "sortBy"):
            return list_of(items[0])
        return list_of(kinds[-1]) if node.value in ("map", "transformList") else UNKNOWN


def _ordered(first: Kind, second: Kind) -> bool:
    if first.open or second.open:
        rest = second if first.open else first
        return rest.open or rest in (*_COMPARABLE, *_NUMBERS)
    return (first in _NUMBERS and second in _NUMBERS) or (first == second and first in _COMPARABLE)


def _contained(item: Kind, among: Kind) -> bool:
    if among.open:
        return True
    return among.name in ("list", "map") and fit(item, among.parts[0])


def _arithmetic(name: str, first: Kind, second: Kind) -> Kind | None:
    """The type of a sum, difference, product; None when there is none."""
    if name == "_+_" and "list" in (first.name, second.name):
        return either(first, second) if fit(first, second) else None
    found = {kind for kind in _SAME.get(name, ()) if fit(kind, first) and fit(kind, second)}
    found |= {
        result
        for left, right, result in _MIXED.get(name, ())
        if fit(left, first) and fit(right, second)
    }
    if not found:
        return None
    if len(found) == 1:
        return found.pop()
    return UNKNOWN if UNKNOWN in (first, second) else DYN
