"""What can be done at which path, as the OpenAPI document of version 2 lists and describes it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.api.resource import Resource, Subresource

# By path and method.
Operations = dict[str, dict[str, dict[str, Any]]]

# Methods of one object, by verb; methods of a collection.
_OF_ONE: Mapping[str, str] = MappingProxyType(
    {"get": "get", "update": "put", "patch": "patch", "delete": "delete"}
)
_OF_ALL: Mapping[str, str] = MappingProxyType(
    {"list": "get", "create": "post", "deletecollection": "delete"}
)
# How operations begin their names, and what they are called, by verb.
_NAMES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "get": ("read", "get"),
        "update": ("replace", "put"),
        "patch": ("patch", "patch"),
        "delete": ("delete", "delete"),
        "list": ("list", "list"),
        "create": ("create", "post"),
        "deletecollection": ("delete", "deletecollection"),
    }
)
_CONNECTED = ("attach", "exec", "portforward", "proxy")
_PROXIED = ("delete", "get", "head", "options", "patch", "post", "put")
_BARE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "/api/": ("getCoreAPIVersions", "get available API versions"),
        "/apis/": ("getAPIVersions", "get available API versions"),
        "/version/": ("getCodeVersion", "get the version information for this server"),
        "/openid/v1/jwks/": (
            "getServiceAccountIssuerOpenIDKeyset",
            "get service account issuer OpenID JSON Web Key Set (contains public token "
            "verification keys)",
        ),
    }
)


def of_server(groups: list[tuple[str, str]]) -> Operations:
    """Those that are about no resource: versions, groups and what they have."""
    found = dict(_BARE)
    for group, version in groups:
        if group:
            told = "get information of a group"
            found[f"/apis/{group}/"] = (f"get{_titled(group)}APIGroup", told)
        place = f"/apis/{group}/{version}/" if group else f"/api/{version}/"
        name = f"get{_titled(group or 'core')}{_titled(version)}APIResources"
        found[place] = (name, "get available resources")
    return {
        path: {"get": {"operationId": name, "description": told}}
        for path, (name, told) in found.items()
    }


def of_resource(entry: Resource) -> Operations:
    """Those of a type and of what hangs below its objects."""
    base = f"/apis/{entry.group}/{entry.version}" if entry.group else f"/api/{entry.version}"
    collection = f"{base}/namespaces/{{namespace}}" if entry.namespaced else base
    place = f"{collection}/{entry.plural}"
    one = f"{place}/{{name}}"
    found: Operations = {
        place: {_OF_ALL[verb]: _described(entry, verb) for verb in _OF_ALL if verb in entry.verbs},
        one: {_OF_ONE[verb]: _described(entry, verb) for verb in _OF_ONE if verb in entry.verbs},
    }
    if entry.namespaced and "list" in entry.verbs:
        everywhere = _described(entry, "list")
        named = f"list{_group_version(entry)}{entry.kind}ForAllNamespaces"
        found[f"{base}/{entry.plural}"] = {"get": {**everywhere, "operationId": named}}
    for below in entry.subresources:
        found |= _of_subresource(entry, below, f"{one}/{below.name}")
    return {path: operations for path, operations in found.items() if operations}


def _of_subresource(entry: Resource, below: Subresource, place: str) -> Operations:
    kind = {
        "group": below.group or entry.group,
        "version": below.version or entry.version,
        "kind": below.kind or entry.kind,
    }
    if below.name in _CONNECTED:
        found = {place: dict(_connected(entry, below, kind, ""))}
        if below.name == "proxy":
            found[f"{place}/{{path}}"] = dict(_connected(entry, below, kind, "WithPath"))
        return found
    methods = {**_OF_ONE, "create": "post"}
    return {
        place: {methods[verb]: _described(entry, verb, below.name, kind) for verb in below.verbs}
    }


def _connected(
    entry: Resource, below: Subresource, kind: dict[str, str], suffix: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    methods = _PROXIED if below.name == "proxy" else ("get", "post")
    for method in methods:
        what = f"{_scope(entry)}{entry.kind}{_titled(below.name)}{suffix}"
        yield (
            method,
            {
                "description": f"connect {method.upper()} requests to {below.name} of {entry.kind}",
                "operationId": f"connect{_group_version(entry)}{_titled(method)}{what}",
                "x-kubernetes-action": "connect",
                "x-kubernetes-group-version-kind": kind,
            },
        )


def _described(
    entry: Resource, verb: str, below: str = "", kind: dict[str, str] | None = None
) -> dict[str, Any]:
    begun, action = _NAMES[verb]
    scope = _scope(entry)
    many = "Collection" if verb == "deletecollection" else ""
    name = f"{begun}{_group_version(entry)}{many}{scope}{entry.kind}{_titled(below)}"
    own = {"group": entry.group, "version": entry.version, "kind": entry.kind}
    return {
        "description": _words(entry, verb, f" {below} of" if below else ""),
        "operationId": name,
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind or own,
    }


def _words(entry: Resource, verb: str, below: str) -> str:
    kind = entry.kind
    match verb:
        case "get":
            return f"read{below} the specified {kind}"
        case "update":
            return f"replace{below} the specified {kind}"
        case "patch":
            return f"partially update{below} the specified {kind}"
        case "list":
            also = " or watch" if entry.selectable is None else ""
            return f"list{also} objects of kind {kind}"
        case "deletecollection":
            return f"delete collection of {kind}"
        case _:
            return f"{verb}{below}{_article(kind)}{kind}"


def _article(noun: str) -> str:
    if noun.endswith("s") and not noun.endswith("ss"):
        return " "
    return " an " if noun[0] in "AEIOUaeiou" else " a "


def _scope(entry: Resource) -> str:
    return "Namespaced" if entry.namespaced else ""


def _group_version(entry: Resource) -> str:
    return f"{_titled(entry.group or 'core')}{_titled(entry.version)}"


def _titled(name: str) -> str:
    """A group, a version or a word as names of operations hold it."""
    parts = name.removesuffix(".k8s.io").split(".") if name else []
    return "".join(part[:1].upper() + part[1:] for part in parts)
