"""The status of a TidbCluster: what its sets and pods are like, and one condition that sums it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_operator_tidb.cluster import (
    COMPONENTS,
    GROUP,
    PORTS,
    VERSION,
    TidbComponent,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import ApiClient, Object

_UNHEALTHY = {
    "pd": ("PDUnhealthy", "PD(s) are not healthy"),
    "tikv": ("TiKVStoreNotUp", "TiKV store(s) are not up"),
    "tidb": ("TiDBUnhealthy", "TiDB(s) are not healthy"),
}


def ready_pods(client: ApiClient, owner: Object) -> dict[str, dict[str, bool]]:
    """Component -> its pods by name, and whether each is ready."""
    metadata = owner["metadata"]
    selector = (
        f"app.kubernetes.io/instance={metadata['name']},app.kubernetes.io/managed-by=tidb-operator"
    )
    found: dict[str, dict[str, bool]] = {name: {} for name in COMPONENTS}
    for pod in client.list(f"/api/v1/namespaces/{metadata['namespace']}/pods", selector):
        name = pod["metadata"]["labels"].get("app.kubernetes.io/component", "")
        found.setdefault(name, {})[pod["metadata"]["name"]] = _ready(pod)
    return found


def _ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def report(client: ApiClient, owner: Object, sets: dict[str, Object]) -> None:
    """Write the status where it has changed."""
    before = owner.get("status") or {}
    status: dict[str, Any] = {}
    pods = ready_pods(client, owner)
    for name in COMPONENTS:
        if name in sets:
            component = TidbComponent(owner, name)
            status[name] = _of(client, component, sets[name], pods[name], before.get(name) or {})
    status["conditions"] = [_condition(client, owner, status, before)]
    if {key: before.get(key) for key in status} != status:
        place = f"/apis/{GROUP}/{VERSION}/namespaces/{owner['metadata']['namespace']}/tidbclusters"
        client.patch(f"{place}/{owner['metadata']['name']}/status", {"status": status})


def _of(
    client: ApiClient, component: TidbComponent, found: Object, pods: dict[str, bool], before: Any
) -> Object:
    old = before.get("members") or before.get("stores") or {}
    members: dict[str, Any] = {}
    for name, healthy in pods.items():
        known = old.get(name) or {}
        since = known.get("lastTransitionTime")
        if since is None or known.get("health") != healthy:
            since = client.world.timestamp()
        members[name] = {"name": name, "health": healthy, "lastTransitionTime": since}
        if component.name == "pd":
            host = f"{name}.{component.member}-peer.{component.namespace}.svc"
            members[name]["clientURL"] = f"http://{host}:{PORTS['pd']}"
        if component.name == "tikv":
            members[name] |= {"podName": name, "state": "Up" if healthy else "Down"}
    for gone in old:
        members.setdefault(gone, None)
    return {
        "phase": _phase(component, found),
        "image": component.image,
        "stores" if component.name == "tikv" else "members": members,
        "statefulSet": found.get("status") or {},
    }


def _phase(component: TidbComponent, found: Object) -> str:
    status = found.get("status") or {}
    if found["spec"].get("replicas") != component.replicas:
        return "Scale"
    same = status.get("currentRevision") == status.get("updateRevision")
    return "Normal" if same else "Upgrade"


def _condition(client: ApiClient, owner: Object, status: Any, before: Any) -> Object:
    reason, message = _verdict(owner, status)
    state = "True" if reason == "Ready" else "False"
    known = {one["type"]: one for one in before.get("conditions") or ()}.get("Ready") or {}
    now = client.world.timestamp()
    since = known.get("lastTransitionTime", now) if known.get("status") == state else now
    same = known.get("status") == state and known.get("reason") == reason
    return {
        "type": "Ready",
        "status": state,
        "reason": reason,
        "message": message,
        "lastTransitionTime": since,
        "lastUpdateTime": known.get("lastUpdateTime", now) if same else now,
    }


def _verdict(owner: Object, status: Any) -> tuple[str, str]:
    for name in COMPONENTS:
        if owner["spec"].get(name) is None:
            continue
        found = (status.get(name) or {}).get("statefulSet") or {}
        if not found or found.get("currentRevision") != found.get("updateRevision"):
            return "StatefulSetNotUpToDate", "Statefulset(s) are in progress"
    for name in COMPONENTS:
        if owner["spec"].get(name) is None:
            continue
        part = status[name]
        members = [one for one in (part.get("members") or part.get("stores") or {}).values() if one]
        wanted = TidbComponent(owner, name).replicas
        if len(members) != wanted or not all(one["health"] for one in members):
            return _UNHEALTHY[name]
    return "Ready", "TiDB cluster is fully up and running"
