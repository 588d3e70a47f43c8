"""What a client learns about the API: groups, resources, version, health."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import custom, health, metrics_api, resource_metrics
from sregym_cluster_embedded.api.custom_versions import rank
from sregym_cluster_embedded.api.resources import BUILT_IN
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.machines import control_plane_address
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.api.resource import Resource
    from sregym_cluster_embedded.world import World

VERSION = {
    "major": "1",
    "minor": "36",
    "emulationMajor": "1",
    "emulationMinor": "36",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "35",
    "gitVersion": "v1.36.2",
    "gitCommit": "0000000000000000000000000000000000000000",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "go1.26.6",
    "compiler": "gc",
    "platform": "linux/amd64",
}
ADDRESS_TABLE: TableKey[str, str] = TableKey("api.address")
_API_SERVICES = "apiservices.apiregistration.k8s.io"
_PORT = 6443


def served(world: World) -> list[Resource]:
    """All types, built in and defined, in the order of discovery."""
    return [*BUILT_IN, *metrics_api.served(world), *custom.defined(world)]


def versions(world: World) -> dict[str, Any]:
    """The answer to `/api`."""
    usual = f"{control_plane_address(world)}:{_PORT}"
    address = world.table(ADDRESS_TABLE).get("server", usual)
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def groups(world: World) -> dict[str, Any]:
    """The answer to `/apis`."""
    listed = [_group(name, found) for name, found in _by_group(world).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": listed}


def group(world: World, name: str) -> dict[str, Any] | None:
    """The answer to `/apis/GROUP`."""
    found = _by_group(world).get(name)
    if found is None:
        return None
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, found)}


def resource_list(world: World, group_name: str, version: str) -> dict[str, Any] | None:
    """The answer to `/api/v1` and `/apis/GROUP/VERSION`."""
    entries = _by_group(world).get(group_name, {}).get(version)
    if not entries:
        return None
    head: dict[str, Any] = {"kind": "APIResourceList"}
    if group_name:
        head["apiVersion"] = "v1"
    head["groupVersion"] = f"{group_name}/{version}" if group_name else version
    listed: list[dict[str, Any]] = []
    for entry in sorted(entries, key=lambda item: item.plural):
        listed.append(_plain(entry))
        listed.extend(_plain_subresources(entry))
    return {**head, "resources": listed}


def aggregated(world: World, core: bool, api_version: str) -> dict[str, Any]:
    """All groups in one answer; `api_version` is that of apidiscovery.k8s.io: v2 or v2beta1.

    A group whose server does not answer is stale: listed as it was when it last did.
    """
    behind = stale(world)
    items = [
        {
            "metadata": {"name": name} if name else {},
            "versions": [
                _aggregate_version(version, entries, stale=(name, version) in behind)
                for version, entries in found.items()
            ],
        }
        for name, found in _by_group(world).items()
        if core == (not name)
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{api_version}",
        "metadata": {},
        "items": items,
    }


def _aggregate_version(version: str, entries: list[Resource], *, stale: bool) -> dict[str, Any]:
    listed = [_aggregate(entry) for entry in sorted(entries, key=lambda item: item.plural)]
    return {
        "version": version,
        **({"resources": listed} if listed else {}),
        "freshness": "Stale" if stale else "Current",
    }


# What a server names besides its APIs and its health.
_OTHER_PATHS = (
    "/.well-known/openid-configuration",
    "/flagz",
    "/metrics",
    "/metrics/slis",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/statusz",
    "/version",
)


def paths(world: World) -> dict[str, Any]:
    """The answer to `/`."""
    found = ["/api", "/api/v1", "/apis", "/apis/", *_OTHER_PATHS, *health.paths()]
    for name, by_version in _by_group(world).items():
        if name:
            found.append(f"/apis/{name}")
            found.extend(f"/apis/{name}/{version}" for version in by_version)
    return {"paths": sorted(found)}


def promised(world: World, path: str) -> bool:
    """Whether an APIService says that a Service answers `path`."""
    parts = path.split("/")
    if len(parts) < 4 or parts[1] != "apis":
        return False
    found = world.store.get(Key(_API_SERVICES, "", f"{parts[3]}.{parts[2]}"))
    return found is not None and bool((found.get("spec") or {}).get("service"))


def stale(world: World) -> set[tuple[str, str]]:
    """Groups and versions that a Service should answer for, and does not."""
    own = {(entry.group, entry.version) for entry in custom.defined(world)}
    found = set(_delegated(world)) - own
    if resource_metrics.state(world) == "up":
        found.discard((resource_metrics.GROUP, resource_metrics.VERSION))
    return found


def _delegated(world: World) -> list[tuple[str, str]]:
    """Groups and versions that APIServices leave to Services."""
    specs = (entry.get("spec") or {} for entry in world.store.list(_API_SERVICES, ""))
    return [(spec["group"], spec["version"]) for spec in specs if spec.get("service")]


def _by_group(world: World) -> dict[str, dict[str, list[Resource]]]:
    found: dict[str, dict[str, list[Resource]]] = {}
    for entry in served(world):
        found.setdefault(entry.group, {}).setdefault(entry.version, []).append(entry)
    for entry in custom.defined(world):
        # Of custom resources the newest stable version is preferred, whichever is stored.
        by_version = found[entry.group]
        found[entry.group] = {name: by_version[name] for name in sorted(by_version, key=rank)}
    for group_name, version in _delegated(world):
        found.setdefault(group_name, {}).setdefault(version, [])
    return found


def _group(name: str, versions_: Iterable[str]) -> dict[str, Any]:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions_]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _plain(entry: Resource) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "name": entry.plural,
        "singularName": entry.singular,
        "namespaced": entry.namespaced,
        "kind": entry.kind,
        "verbs": list(entry.verbs),
    }
    if entry.short_names:
        plain["shortNames"] = list(entry.short_names)
    if entry.categories:
        plain["categories"] = list(entry.categories)
    if entry.storage is not None:
        plain["storageVersionHash"] = _storage_hash(entry)
    return plain


def _plain_subresources(entry: Resource) -> list[dict[str, Any]]:
    listed = []
    for sub in entry.subresources:
        plain: dict[str, Any] = {
            "name": f"{entry.plural}/{sub.name}",
            "singularName": "",
            "namespaced": entry.namespaced,
        }
        if sub.group:
            plain |= {"group": sub.group, "version": sub.version}
        plain |= {"kind": sub.kind or entry.kind, "verbs": list(sub.verbs)}
        listed.append(plain)
    return listed


@lru_cache(maxsize=1024)
def _aggregate(entry: Resource) -> dict[str, Any]:
    """One resource of the aggregated answer; shared, so not to be changed."""
    own = {"group": "", "version": "", "kind": entry.kind}
    if "." in entry.group and entry not in BUILT_IN:
        own = {"group": entry.group, "version": entry.version, "kind": entry.kind}
    result: dict[str, Any] = {
        "resource": entry.plural,
        "responseKind": own,
        "scope": "Namespaced" if entry.namespaced else "Cluster",
        "singularResource": entry.singular,
        "verbs": list(entry.verbs),
    }
    if entry.short_names:
        result["shortNames"] = list(entry.short_names)
    if entry.categories:
        result["categories"] = list(entry.categories)
    if entry.subresources:
        result["subresources"] = [
            {
                "subresource": sub.name,
                "responseKind": {
                    "group": sub.group,
                    "version": sub.version,
                    "kind": sub.kind or entry.kind,
                }
                if sub.group or sub.kind
                else own,
                "verbs": list(sub.verbs),
            }
            for sub in entry.subresources
        ]
    return result


def _storage_hash(entry: Resource) -> str:
    stored = entry.storage or entry.api_version
    name, _, version = stored.rpartition("/")
    digest = hashlib.sha256(f"{name}/{version}/{entry.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()
