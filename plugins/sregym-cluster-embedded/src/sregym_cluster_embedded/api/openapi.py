"""OpenAPI v3 documents, made from the schema data when a client first asks for them.

The paths in them are few: clients read from them which kinds exist and that a kind can be applied,
patched and dry-run.
"""

from __future__ import annotations

import hashlib
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import custom, enumerations, openapi_v2, operations, schema
from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.api.resources import BUILT_IN, group_versions

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.api.schema import Definition, Field, Type
    from sregym_cluster_embedded.world import World

_PREFIX = "/openapi/v3"
_YEAR_S = 365 * 86400
_INFO = {"title": "Kubernetes", "version": "v1.36.2"}
_PROTO_V2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_REF = "#/components/schemas/"
_BARE = (".well-known/openid-configuration", "api", "apis", "openid/v1/jwks", "version")
_SCALARS = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean"}
_DRY_RUN = [
    {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    for name in ("dryRun", "fieldManager", "fieldValidation")
]
STRATEGIC = "application/strategic-merge-patch+json"
_PATCHES = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    STRATEGIC,
)


_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_API_VERSION = (
    "APIVersion defines the versioned schema of this representation of an object. Servers should "
    "convert recognized schemas to the latest internal value, and may reject unrecognized values. "
    f"More info: {_CONVENTIONS}#resources"
)
_KIND = (
    "Kind is a string value representing the REST resource this object represents. Servers may "
    "infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. "
    f"More info: {_CONVENTIONS}#types-kinds"
)
_METADATA = f"Standard object's metadata. More info: {_CONVENTIONS}#metadata"


def answer(world: World, request: Request) -> Response | None:
    """The index or one document; None when there is none at this path."""
    path = request.path.rstrip("/")
    if path == "/openapi/v2":
        return _version_2(world, request)
    if path == _PREFIX:
        index = orjson.dumps({"paths": _index(world)})
        etag = {"Etag": f'"{_hash(index)}"'}
        return Response(200, index, "text/plain; charset=utf-8", etag)
    if not path.startswith(f"{_PREFIX}/"):
        return None
    name = path.removeprefix(f"{_PREFIX}/")
    document = _built_in(name) or _custom(world, name)
    if document is None:
        return None
    return _cached(world, request, name, document)


def _cached(world: World, request: Request, name: str, document: bytes) -> Response:
    """A document under its hash, under none, or where another hash is to be looked for."""
    hash_ = _hashes(world)[name]
    headers = {"Vary": "Accept", "Etag": f'"{hash_}"'}
    asked = request.parameter("hash")
    if not asked:
        return Response(200, document, headers=headers)
    if asked != hash_:
        place = f"{_PREFIX}/{name}?hash={hash_}"
        return Response(301, b"", headers=headers | {"Location": place})
    expires = formatdate(world.epoch + world.now + _YEAR_S, usegmt=True)
    headers |= {"Cache-Control": "public, immutable", "Expires": expires.replace("GMT", "UTC")}
    return Response(200, document, headers=headers)


def _version_2(world: World, request: Request) -> Response:
    """The older document; as protobuf without a single kind.

    kubectl turns to the latter for kinds that version 3 does not have, of which `List` is the one
    people write. About a kind that neither has it says nothing: the server validates what arrives.
    """
    if "proto-openapi" not in request.headers.get("accept", ""):
        names = [_path(group, version) for group, version in group_versions()]
        names += dict.fromkeys(_path(e.group, e.version) for e in custom.defined(world))
        whole = [orjson.loads(_built_in(name) or _custom(world, name) or b"{}") for name in names]
        described = operations.of_server(
            [*group_versions(), *((e.group, e.version) for e in custom.defined(world))]
        )
        for entry in (*BUILT_IN, *custom.defined(world)):
            described |= operations.of_resource(entry)
        text = orjson.dumps(openapi_v2.joined(whole, _INFO, described))
        return Response(200, text, headers={"Vary": "Accept", "Etag": f'"{_hash(text)}"'})
    info = _text_field(1, _INFO["title"]) + _text_field(2, _INFO["version"])
    document = _text_field(1, "2.0") + _text_field(2, info)
    return Response(200, document.encode(), _PROTO_V2)


def _text_field(number: int, value: str) -> str:
    """A protobuf field of fewer than 128 ASCII bytes."""
    return f"{chr(number << 3 | 2)}{chr(len(value))}{value}"


def _index(world: World) -> dict[str, Any]:
    paths = _hashes(world)
    return {
        name: {"serverRelativeURL": f"{_PREFIX}/{name}?hash={paths[name]}"}
        for name in sorted(paths)
    }


def _hashes(world: World) -> dict[str, str]:
    group_paths = [_path(group, version) for group, version in group_versions()]
    groups = {f"apis/{group}" for group, _ in group_versions() if group}
    paths = {name: _hash(name.encode()) for name in (*_BARE, *groups)}
    paths |= {name: _hash(name.encode()) for name in group_paths}
    for entry in custom.defined(world):
        definition = custom.version_of(world, entry)
        paths[_path(entry.group, entry.version)] = _hash(orjson.dumps(definition))
    return paths


def _path(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def _hash(data: bytes) -> str:
    return hashlib.sha512(data).hexdigest().upper()


@lru_cache(maxsize=32)
def _built_in(name: str) -> bytes | None:
    for group, version in group_versions():
        if _path(group, version) == name:
            entries = [e for e in BUILT_IN if (e.group, e.version) == (group, version)]
            return orjson.dumps(_document(entries))
    if name in _BARE or name.startswith("apis/"):
        known = {f"apis/{group}" for group, _ in group_versions()} | set(_BARE)
        return orjson.dumps(_shell({}, {})) if name in known else None
    return None


def _custom(world: World, name: str) -> bytes | None:
    entries = [e for e in custom.defined(world) if _path(e.group, e.version) == name]
    if not entries:
        return None
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for entry in entries:
        version = custom.version_of(world, entry) or {}
        given = version.get("schema", {}).get("openAPIV3Schema", {"type": "object"})
        meta = {"allOf": [{"$ref": f"{_REF}{schema.OBJECT_META}"}], "description": _METADATA}
        properties = {
            "apiVersion": {"type": "string", "description": _API_VERSION},
            "kind": {"type": "string", "description": _KIND},
            **given.get("properties", {}),
            "metadata": meta,
        }
        key = ".".join([*reversed(entry.group.split(".")), entry.version, entry.kind])
        kind = {"group": entry.group, "version": entry.version, "kind": entry.kind}
        schemas[key] = {
            **given,
            "properties": properties,
            "x-kubernetes-group-version-kind": [kind],
        }
        paths |= _paths(entry)
    _collect(schema.OBJECT_META, schemas)
    return orjson.dumps(_shell(paths, schemas))


def _document(entries: list[Resource]) -> dict[str, Any]:
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for entry in entries:
        for kind in (entry.kind, f"{entry.kind}List"):
            definition = schema.of_kind(entry.group, entry.version, kind)
            if definition is not None:
                _collect(definition.name, schemas)
        paths |= _paths(entry)
    return _shell(paths, schemas)


def _shell(paths: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "openapi": "3.0.0",
        "info": _INFO,
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _collect(name: str, schemas: dict[str, Any]) -> None:
    queue = [name]
    while queue:
        current = queue.pop()
        if current in schemas:
            continue
        definition = schema.definition(current)
        schemas[current] = _schema(definition)
        for field in definition.fields.values():
            inner: Type | None = field.type
            while inner is not None and inner.item is not None:
                inner = inner.item
            if inner is not None and inner.form == "struct":
                queue.append(inner.name)


def _schema(definition: Definition) -> dict[str, Any]:
    text, fields = schema.descriptions().get(definition.name, ["", {}])
    text = text or enumerations.description(definition.name)
    result: dict[str, Any] = {"description": text} if text else {}
    if definition.scalar is not None and definition.scalar.form == "any":
        other = {"type": "integer"} if "intstr" in definition.name else {"type": "number"}
        if definition.name == schema.INT_OR_STRING:
            return {**result, "format": "int-or-string", "oneOf": [other, {"type": "string"}]}
        return {**result, "oneOf": [{"type": "string"}, other]}
    if definition.scalar is not None:
        result |= _of_type(definition.scalar)
        if definition.format:
            result["format"] = definition.format
        return result
    result["type"] = "object"
    if definition.required:
        result["required"] = list(definition.required)
    result["properties"] = {
        name: enumerations.added(definition.name, name, _field(field, fields.get(name, "")))
        for name, field in definition.fields.items()
    }
    if definition.atomic:
        result["x-kubernetes-map-type"] = "atomic"
    if definition.kinds:
        result["x-kubernetes-group-version-kind"] = [
            {"group": group, "version": version, "kind": kind}
            for group, version, kind in definition.kinds
        ]
    return result


def _field(field: Field, text: str) -> dict[str, Any]:
    result: dict[str, Any] = {"description": text} if text else {}
    if field.type.form == "struct":
        result |= {"allOf": [{"$ref": _REF + field.type.name}], "default": {}}
    else:
        result |= _of_type(field.type)
    if field.format:
        # A format of the values of a map.
        (result.get("additionalProperties") or result)["format"] = field.format
    if field.list_type:
        result["x-kubernetes-list-type"] = field.list_type
    if field.list_keys:
        result["x-kubernetes-list-map-keys"] = list(field.list_keys)
    if field.atomic:
        result["x-kubernetes-map-type"] = "atomic"
    if field.merge_key:
        result["x-kubernetes-patch-merge-key"] = field.merge_key
    if field.strategies:
        result["x-kubernetes-patch-strategy"] = ",".join(field.strategies)
    return result


def _of_type(type_: Type) -> dict[str, Any]:
    if type_.form == "struct":
        return {"$ref": _REF + type_.name}
    if type_.form == "list" and type_.item is not None:
        return {"type": "array", "items": _of_type(type_.item)}
    if type_.form == "map" and type_.item is not None:
        return {"type": "object", "additionalProperties": _of_type(type_.item)}
    return {"type": _SCALARS.get(type_.form, "object")}


def _paths(entry: Resource) -> dict[str, Any]:
    base = f"/{_path(entry.group, entry.version)}"
    collection = f"{base}/namespaces/{{namespace}}" if entry.namespaced else base
    kind = {"group": entry.group, "version": entry.version, "kind": entry.kind}
    built_in = entry.selectable is None
    patch = {
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": kind,
        "parameters": _DRY_RUN,
        "requestBody": {
            "content": {media: {} for media in _PATCHES if built_in or media != STRATEGIC}
        },
    }
    post = {
        "x-kubernetes-action": "post",
        "x-kubernetes-group-version-kind": kind,
        "parameters": _DRY_RUN,
    }
    listing = {"x-kubernetes-action": "list", "x-kubernetes-group-version-kind": kind}
    return {
        f"{collection}/{entry.plural}": {"get": listing, "post": post},
        f"{collection}/{entry.plural}/{{name}}": {"patch": patch},
    }
