"""Writes of the operator: existing objects, its events, and refusals by the API server."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.controllers import ApiRefusedError

from sregym_operator_tidb.cluster import GROUP, KIND, VERSION

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import ApiClient, Object

APPLIED = f"{GROUP}/last-applied-configuration"
_PLURALS = {
    "StatefulSet": "/apis/apps/v1/namespaces/{}/statefulsets",
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments",
    "Service": "/api/v1/namespaces/{}/services",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "Event": "/api/v1/namespaces/{}/events",
}


class SyncError(Exception):
    """What keeps a TidbCluster from being as it should.

    Attributes:
        waits: Whether it comes right by itself.
    """

    def __init__(self, message: str, *, waits: bool = False) -> None:
        super().__init__(message)
        self.waits = waits


def collection(obj: Object) -> str:
    """The path of the collection that an object is in."""
    return _PLURALS[obj["kind"]].format(obj["metadata"]["namespace"])


def found_of(client: ApiClient, obj: Object) -> Object | None:
    """An object as it stands in the cluster."""
    return client.get(f"{collection(obj)}/{obj['metadata']['name']}")


def applied(obj: Object) -> Object:
    """An object with the note by which the operator knows later what it asked for."""
    spec = json.dumps(obj.get("spec", obj.get("data")), sort_keys=True, separators=(",", ":"))
    return {**obj, "metadata": {**obj["metadata"], "annotations": {APPLIED: spec}}}


def ensure(client: ApiClient, owner: Object, obj: Object) -> Object:
    """Create an object, or bring it to what the resource says now."""
    wanted, found = applied(obj), found_of(client, obj)
    if found is None:
        return _told(client, owner, obj, "create", lambda: client.create(collection(obj), wanted))
    asked = (found["metadata"].get("annotations") or {}).get(APPLIED)
    if asked == wanted["metadata"]["annotations"][APPLIED] and not _scaled(obj, found):
        return found
    return update(client, owner, obj, found)


def update(client: ApiClient, owner: Object, obj: Object, found: Object) -> Object:
    """Replace the fields of an object that the resource says differently now; others stay."""
    wanted = applied(obj)
    annotations = {
        **(found["metadata"].get("annotations") or {}),
        **wanted["metadata"]["annotations"],
    }
    new = {**found, "metadata": {**found["metadata"], "annotations": annotations}}
    if "data" in obj:
        new["data"] = obj["data"]
    else:
        # Claims of a StatefulSet cannot be changed; a restart writes into its template.
        fixed = ("volumeClaimTemplates", "selector", "serviceName", "podManagementPolicy")
        known = (found["metadata"].get("annotations") or {}).get(APPLIED)
        before = json.loads(known) if known else {}
        fields = {
            name: value
            for name, value in obj["spec"].items()
            if (name == "replicas" or before.get(name) != value)
            and not (obj["kind"] == "StatefulSet" and name in fixed)
        }
        new["spec"] = {**found["spec"], **fields}
    path = f"{collection(obj)}/{obj['metadata']['name']}"
    return _told(client, owner, obj, "update", lambda: client.replace(path, new))


def _scaled(obj: Object, found: Object) -> bool:
    wanted = (obj.get("spec") or {}).get("replicas")
    return wanted is not None and found["spec"].get("replicas") != wanted


def _told(client: ApiClient, owner: Object, obj: Object, verb: str, write: Any) -> Object:
    """Write, and say how that ended in an event of the resource, as the operator does of its sets."""
    kind, name = obj["kind"], obj["metadata"]["name"]
    what = f"{verb} {kind} {name} in {KIND} {owner['metadata']['name']}"
    try:
        done: Object = write()
    except ApiRefusedError as error:
        event(client, owner, "Warning", f"Failed{verb.title()}", f"{what} failed error: {error}")
        raise SyncError(str(error)) from None
    if kind in ("StatefulSet", "Service"):
        event(client, owner, "Normal", f"Successful{verb.title()}", f"{what} successful")
    return done


def event(client: ApiClient, owner: Object, level: str, reason: str, message: str) -> None:
    """Record an event of the resource; the same once more is counted."""
    metadata = owner["metadata"]
    digest = hashlib.sha256(f"{metadata['uid']} {reason} {message}".encode()).hexdigest()[:16]
    name, now = f"{metadata['name']}.{digest}", client.world.timestamp()
    place = _PLURALS["Event"].format(metadata["namespace"])
    try:
        known = client.get(f"{place}/{name}")
        if known is not None:
            count = {"count": known.get("count", 1) + 1, "lastTimestamp": now}
            client.patch(f"{place}/{name}", count)
            return
        about = {
            "apiVersion": f"{GROUP}/{VERSION}",
            "kind": KIND,
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        }
        new = {
            "metadata": {"name": name, "namespace": metadata["namespace"]},
            "involvedObject": about,
            "type": level,
            "reason": reason,
            "message": message,
            "count": 1,
            "firstTimestamp": now,
            "lastTimestamp": now,
            "source": {"component": "tidb-controller-manager"},
        }
        client.create(place, new)
    except ApiRefusedError as error:
        client.log(f"Server rejected event: {error} (will not retry!)", "error")
