"""`kubectl explain`: what the server's OpenAPI documents say about a type or a field."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered
from sregym_cluster_embedded.kubectl.flags import Flag, switch
from sregym_cluster_embedded.kubectl.wrapping import indented, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubectl.discovery import ResourceType
    from sregym_cluster_embedded.kubectl.session import Session

FLAGS = (Flag("api-version"), Flag("output", "o"), switch("recursive", "R"))

Schema: TypeAlias = dict[str, Any]

_NOTHING = """error: You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources."""
_GVK = "x-kubernetes-group-version-kind"
_METHODS = ("get", "post", "put", "patch", "delete")
_PATH = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?")
_TEXT_WIDTH, _FIELD_WIDTH, _ENUM_SHOWN = 76, 78, 4


def explain(session: Session) -> None:
    """Run `kubectl explain`."""
    arguments = session.arguments
    if not arguments.words:
        raise CommandError(_NOTHING)
    if len(arguments.words) > 1:
        raise CommandError("error: We accept only this format: explain RESOURCE")
    if arguments.text("output", "plaintext") != "plaintext":
        raise NotCovered("explain in another format")
    kind, fields = _split(session, arguments.words[0])
    group, version = kind.group, kind.version
    if arguments.text("api-version"):
        group, _, version = arguments.text("api-version").rpartition("/")
    document = _document(session, group, version)
    found = _kind_of(document, group, version, kind.plural)
    if found["group"]:
        session.say(f"GROUP:      {found['group']}")
    session.say(f"KIND:       {found['kind']}\nVERSION:    {found['version']}\n")
    schemas = document["components"]["schemas"]
    schema = next((schemas[n] for n in sorted(schemas) if found in schemas[n].get(_GVK, ())), None)
    if schema is None:
        raise NotCovered("a kind without a schema")
    text = _Explained(schemas, arguments.on("recursive")).text(schema, fields, frozenset())
    if not text:
        raise CommandError(f'error: field "{fields[-1]}" does not exist')
    session.say(text)


def _split(session: Session, word: str) -> tuple[ResourceType, list[str]]:
    """The type that a dotted path begins with, which may name its group, and the fields behind."""
    if not _PATH.fullmatch(word):
        raise NotCovered(f"the path {word}")
    word = word.removesuffix(".")
    first, *fields = word.split(".")
    discovery = session.client.discovery()
    kinds = discovery.all_of(first) or session.client.discovery(fresh=True).all_of(first)
    if not kinds:
        raise CommandError(f'the server doesn\'t have a resource type "{first}"')
    for other in discovery.also_means(first):
        text = f'short name "{first}" could also match lower priority resource {other.resource}'
        session.warn(text)
    for kind in kinds if not session.arguments.text("api-version") else ():
        if word.startswith(kind.resource):
            rest = word.removeprefix(kind.resource)
            if rest and not rest.startswith("."):
                raise NotCovered(f"the path {word}")
            return kind, rest[1:].split(".") if rest else []
    return kinds[0], fields


def _document(session: Session, group: str, version: str) -> Schema:
    memory = session.access.memory.setdefault("openapi", {})
    name = f"apis/{group}/{version}" if group else f"api/{version}"
    index = session.client.send("GET", "/openapi/v3")
    index = index if isinstance(index, dict) else _decoded(index)
    entry = index["paths"].get(name)
    if entry is None:
        raise NotCovered(f"no document of {name}")
    # Documents are named by their digests: what has the same name is the same.
    where = entry["serverRelativeURL"]
    if where not in memory:
        path, _, query = where.partition("?")
        pairs = [(key, value) for key, _, value in (p.partition("=") for p in query.split("&"))]
        memory[where] = session.client.send("GET", path, pairs)
    found: Schema = memory[where]
    return found


def _decoded(text: str) -> Any:
    import orjson

    return orjson.loads(text)


def _kind_of(document: Schema, group: str, version: str, plural: str) -> dict[str, str]:
    """Group, version and kind of what the paths of a resource answer with."""
    base = f"/apis/{group}/{version}" if group else f"/api/{version}"
    found: dict[str, str] | None = None
    for scope in (base, f"{base}/namespaces/{{namespace}}"):
        for path in (f"{scope}/{plural}", f"{scope}/{plural}/{{name}}"):
            operations = document["paths"].get(path) or {}
            stated = (operations[m].get(_GVK) for m in _METHODS if m in operations)
            found = next((one for one in stated if one), found)
    if found is None:
        raise NotCovered("a resource without paths")
    return found


class _Explained:
    """What a document says, as text.

    Args:
        schemas: All schemas of the document.
        recursive: Whether to give the fields of fields, and no descriptions.
    """

    def __init__(self, schemas: dict[str, Schema], recursive: bool) -> None:
        self._schemas = schemas
        self._recursive = recursive

    def text(self, schema: Schema, fields: Sequence[str], seen: frozenset[str]) -> str:
        """A schema, or the field that is found by following `fields`; empty when there is none."""
        reference = schema.get("$ref", "")
        resolved = self._resolved(schema)
        if not fields:
            return self._described(resolved)
        if reference and reference in seen:
            return ""
        seen |= {reference}
        first, *rest = fields
        inside = (resolved.get("properties") or {}).get(first)
        if inside:
            head = ""
            if not rest:
                enum = "".join(self._enum(inside, None))
                head = f"FIELD: {first} <{self._type(inside)}>\n{enum}\n\n"
            return head + self.text(inside, rest, frozenset())
        for key in ("items", "additionalProperties"):
            if isinstance(resolved.get(key), dict) and resolved[key]:
                return self.text(resolved[key], fields, seen)
        found = (self.text(one, fields, seen) for one in resolved.get("allOf") or ())
        return next(filter(None, found), "")

    def _described(self, resolved: Schema) -> str:
        if "externalDocs" in resolved:
            raise NotCovered("documents outside")
        description = "".join(self._descriptions(resolved)) or "<empty>"
        text = f"DESCRIPTION:\n{indented(4, wrapped(_TEXT_WIDTH, description))}\n"
        fields = "".join(self._fields(resolved, 1, frozenset()))
        return text + (f"FIELDS:\n{fields}" if fields else "")

    def _descriptions(self, schema: Schema) -> Iterator[str]:
        resolved = self._resolved(schema)
        if resolved.get("description"):
            yield f"{resolved['description']}\n"
        for one in self._parts(resolved, "allOf", "items", "additionalProperties"):
            yield from self._descriptions(one)

    def _fields(self, schema: Schema, level: int, seen: frozenset[str]) -> Iterator[str]:
        reference = schema.get("$ref", "")
        if reference and reference in seen:
            return
        seen |= {reference}
        resolved = self._resolved(schema)
        properties = resolved.get("properties") or {}
        for name in sorted(properties):
            yield from self._field(resolved, name, level)
            if self._recursive:
                yield from self._fields(properties[name], level + 1, seen)
        for one in self._parts(resolved, "allOf", "items", "additionalProperties"):
            yield from self._fields(one, level, seen)

    def _field(self, holder: Schema, name: str, level: int) -> Iterator[str]:
        schema, width = holder["properties"][name], 2 * level
        required = " -required-" if name in (holder.get("required") or ()) else ""
        yield f"{' ' * width}{name}\t<{self._type(schema)}>{required}"
        yield from self._enum(schema, width)
        yield "\n"
        if self._recursive:
            return
        if "externalDocs" in schema:
            raise NotCovered("documents outside")
        description = schema.get("description") or "<no description>"
        yield indented(width + 2, wrapped(_FIELD_WIDTH - width, description)) + "\n\n"

    def _enum(self, schema: Schema, width: int | None) -> Iterator[str]:
        """The values of an enumeration: the first ones on one line, all on lines without width."""
        values = schema.get("enum")
        if not values:
            return
        told = ['""' if value == "" else str(value) for value in values]
        if width is None:
            yield "ENUM:" + "".join(f"\n    {value}" for value in told)
            return
        more = ", ...." if len(told) > _ENUM_SHOWN else ""
        yield f"\n{' ' * width}enum: {', '.join(told[:_ENUM_SHOWN])}{more}"

    def _type(self, schema: Schema) -> str:
        items, values = schema.get("items"), schema.get("additionalProperties")
        if items:
            return f"[]{self._type(items)}"
        if isinstance(values, dict) and values:
            return f"map[string]{self._type(values)}"
        several = schema.get("allOf")
        if several and not schema.get("properties") and len(several) == 1:
            return self._type(several[0])
        reference = schema.get("$ref")
        if reference:
            found = self._schemas.get(reference.rpartition("/")[2]) or {}
            if found.get("type", "object") == "object":
                return str(reference.rpartition("/")[2].rpartition(".")[2] or "Object")
            return str(found["type"])
        kind = schema.get("type") or "Object"
        return "Object" if kind == "object" else str(kind)

    def _parts(self, resolved: Schema, *keys: str) -> Iterator[Schema]:
        for key in keys:
            part = resolved.get(key)
            if isinstance(part, list):
                yield from part
            elif isinstance(part, dict) and part:
                yield part

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref", "")
        return self._schemas.get(reference.rpartition("/")[2]) or schema if reference else schema
