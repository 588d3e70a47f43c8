"""The audit log of the API server: who asked for which change, at level `Metadata`.

Its policy is that of many clusters: requests that read are left out, and so is what components of
the system write about their own work, which does not come through here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

import orjson

from sregym_cluster_embedded.api.access.authorizer import MASTERS
from sregym_cluster_embedded.api.request import User
from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.world import World

VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
# As kubeadm mounts it into the pod of the API server.
FILE = "/var/log/kubernetes/audit/audit.log"
# So many are kept, as rotated files are.
KEPT = 5000


@dataclass(frozen=True, slots=True)
class Audited:
    """A request that changes something, and how it ended.

    Attributes:
        at: Virtual second.
        method: HTTP method.
        path: Without query.
        query: As it stands in the address.
        user: User name.
        groups: Of the user.
        agent: Header `User-Agent`.
        status: HTTP status of the answer.
        namespace: Of the object; empty for none.
        resource: Plural name.
        name: Of the object; empty where the server chose it, or for collections.
        group: API group.
        version: API version.
        subresource: Empty for none.
        allowed: Whether the user had the right to ask for it.
    """

    at: float
    method: str
    path: str
    query: str
    user: str
    groups: tuple[str, ...]
    agent: str
    status: int
    namespace: str
    resource: str
    name: str
    group: str
    version: str
    subresource: str
    allowed: bool = True


ENTRIES: TableKey[int, Audited] = TableKey("api.audit")


def note(
    world: World, request: Request, found: Target, status: int, *, allowed: bool = True
) -> None:
    """Write a request down, if it changes something.

    Args:
        world: Where.
        request: As of whom it is made for.
        found: What its path names.
        status: HTTP status of the answer.
        allowed: Whether the user had the right to ask for it.
    """
    if request.method not in VERBS or found.resource.plural in _UNNOTED:
        return
    table = world.table(ENTRIES)
    number = next(reversed(table), -1) + 1
    table[number] = Audited(
        world.now,
        request.method,
        request.path,
        urlencode(request.query),
        request.user.name,
        request.user.groups,
        request.headers.get("user-agent", ""),
        status,
        found.namespace,
        found.resource.plural,
        found.name or _name_in(request),
        found.resource.group,
        found.resource.version,
        found.subresource,
        allowed,
    )
    if len(table) > KEPT:
        del table[next(iter(table))]


def _name_in(request: Request) -> str:
    """The name of an object that is made, where the client chose it."""
    if request.method != "POST":
        return ""
    try:
        name = orjson.loads(request.body)["metadata"]["name"]
    except (ValueError, LookupError, TypeError):
        return ""
    return name if isinstance(name, str) else ""


# What is asked many times a minute and changes nothing that people decide.
_UNNOTED = ("leases", "events", "subjectaccessreviews", "selfsubjectaccessreviews", "tokenreviews")


def line(world: World, number: int, entry: Audited) -> str:
    """An entry as the server writes it: one Event of `audit.k8s.io/v1`, as JSON."""
    moment = datetime.fromtimestamp(world.epoch + entry.at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    digest = blake2b(f"audit {number} {entry.at} {entry.path}".encode(), digest_size=16).digest()
    about: dict[str, Any] = {
        "resource": entry.resource,
        "namespace": entry.namespace,
        "name": entry.name,
        "apiGroup": entry.group,
        "apiVersion": entry.version,
        "subresource": entry.subresource,
    }
    status: dict[str, Any] = {"metadata": {}, "code": entry.status}
    if entry.status >= 400:
        status = {"metadata": {}, "status": "Failure", "code": entry.status}
    event = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "Metadata",
        "auditID": str(UUID(bytes=digest, version=4)),
        "stage": "ResponseComplete",
        "requestURI": f"{entry.path}?{entry.query}" if entry.query else entry.path,
        "verb": VERBS[entry.method],
        "user": {"username": entry.user, "groups": list(_groups(entry))},
        "userAgent": entry.agent,
        "objectRef": {key: value for key, value in about.items() if value},
        "responseStatus": status,
        "requestReceivedTimestamp": moment,
        "stageTimestamp": moment,
        "annotations": {
            "authorization.k8s.io/decision": "allow" if entry.allowed else "forbid",
            "authorization.k8s.io/reason": "",
        },
    }
    return json.dumps(event, separators=(",", ":"))


_ACCOUNT = "system:serviceaccount:"


def _groups(entry: Audited) -> tuple[str, ...]:
    """Groups as the server knows them: a service account has those of its kind and namespace."""
    if not entry.user.startswith(_ACCOUNT):
        # People who may do all have it from bindings, and only the administrator's certificate says so.
        own = entry.user == User().name
        return tuple(group for group in entry.groups if own or group != MASTERS)
    namespace = entry.user.removeprefix(_ACCOUNT).partition(":")[0]
    accounts = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return (*accounts, "system:authenticated")
