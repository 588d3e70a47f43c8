"""The controller of TidbClusters: PD first, then TiKV, then TiDB, each with Services and a ConfigMap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.controllers import Operator, TableKey

from sregym_operator_tidb.api_writes import SyncError, ensure, event, found_of
from sregym_operator_tidb.cluster import (
    COMPONENT,
    COMPONENTS,
    GROUP,
    TITLES,
    VERSION,
    TidbComponent,
    invalid,
)
from sregym_operator_tidb.scripts import config_map
from sregym_operator_tidb.sets import discovery, services, stateful_set
from sregym_operator_tidb.status import ready_pods, report

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import ApiClient, Object, Subsystem

# It looks at all clusters so often, whether or not anything has changed.
_RESYNC_S = 30.0
# Between two looks at one cluster its client, which asks five times a second, needs this long.
_SYNC_S = 2.0
_SYNCED: TableKey[str, float] = TableKey("tidb-controller-manager.synced")
_IMAGE = "pingcap/tidb-operator:v1.6.3"


def reconcile(client: ApiClient, cluster: Object) -> float | None:
    """Make what a TidbCluster asks for, and say how far it is."""
    metadata = cluster["metadata"]
    key = f"{metadata['namespace']}/{metadata['name']}"
    if metadata.get("deletionTimestamp"):
        return None
    synced, now = client.world.table(_SYNCED), client.world.now
    wait_s = synced.get(metadata["uid"], -_SYNC_S) + _SYNC_S - now
    if wait_s > 0:
        return wait_s
    synced[metadata["uid"]] = now
    wrong = invalid(cluster)
    if wrong:
        text = wrong[0] if len(wrong) == 1 else f"[{', '.join(wrong)}]"
        client.log(f"tidb cluster {key} is not valid and must be fixed first, aggregated error: {text}", "error")  # fmt: skip
        event(client, cluster, "Warning", "FailedValidation", text)
        return None
    sets: dict[str, Object] = {}
    again_s: float | None = None
    try:
        _sync(client, cluster, sets)
    except SyncError as error:
        again_s = _RESYNC_S
        if error.waits:
            client.log(f"TidbCluster: {key}, still need sync: {error}, requeuing")
        else:
            client.log(f"TidbCluster: {key}, sync failed {error}, requeuing", "error")
    report(client, cluster, sets)
    return again_s


def _sync(client: ApiClient, cluster: Object, sets: dict[str, Object]) -> None:
    """Make all components; `sets` gets their StatefulSets as they stand."""
    if not cluster["spec"].get("paused"):
        for obj in discovery(cluster, client.settings.get("discovery_image") or _IMAGE):
            ensure(client, cluster, obj)
    asked = [name for name in COMPONENTS if cluster["spec"].get(name) is not None]
    for name in asked:
        component = TidbComponent(cluster, name)
        found = found_of(client, stateful_set(component, ""))
        if found is not None:
            sets[name] = found
    ready = ready_pods(client, cluster)
    for name in asked:
        component = TidbComponent(cluster, name)
        _await_others(cluster, name, ready)
        sets[name] = _make(client, component, sets.get(name))
    _look_at_classes(client, cluster)


def _await_others(cluster: Object, name: str, ready: dict[str, dict[str, bool]]) -> None:
    """TiKV needs a quorum of PD, TiDB a store of TiKV."""
    key = f"{cluster['metadata']['namespace']}/{cluster['metadata']['name']}"
    if name == "tikv" and cluster["spec"].get("pd") is not None:
        pods = ready["pd"]
        if not pods or sum(pods.values()) <= len(pods) // 2:
            raise SyncError(f"TidbCluster: [{key}], waiting for PD cluster running", waits=True)
    if name == "tidb" and cluster["spec"].get("tikv") is not None:
        pods = ready["tikv"]
        if not any(pods.values()):
            raise SyncError(f"TidbCluster: [{key}], waiting for TiKV cluster running", waits=True)


def _make(client: ApiClient, component: TidbComponent, found: Object | None) -> Object:
    cluster = component.owner
    if cluster["spec"].get("paused"):
        if found is None:
            raise SyncError(f"{component.member} is paused", waits=True)
        return found
    for service in services(component):
        _ask_for(service, client.settings.get("selected_component"))
        ensure(client, cluster, service)
    config = ensure(client, cluster, config_map(component))
    wanted = stateful_set(component, config["metadata"]["name"])
    if found is not None:
        wanted["spec"]["replicas"] = _step(client, component, found)
    return ensure(client, cluster, wanted)


def _ask_for(service: Object, component: str | None) -> None:
    """Let a Service of TiDB select pods by another word for it, as builds do that know the pods by it."""
    selector = service["spec"]["selector"]
    if component and selector[COMPONENT] == "tidb":
        service["spec"]["selector"] = {**selector, COMPONENT: component}


def _step(client: ApiClient, component: TidbComponent, found: Object) -> int:
    """How many pods a set is to have next: one more or one less at a time, out once all are ready."""
    now, wanted = found["spec"].get("replicas", 1), component.replicas
    status = found.get("status") or {}
    settled = status.get("replicas", 0) == now
    whose = f"{component.name} statefulset {component.namespace}/{component.member}"
    if wanted > now and settled and status.get("readyReplicas", 0) >= now:
        client.log(f"scaling out {whose}, ordinal: {now} (replicas: {now + 1}, delete slots: [])")
        return int(now + 1)
    if wanted < now and settled:
        client.log(
            f"scaling in {whose}, ordinal: {now - 1} (replicas: {now - 1}, delete slots: [])"
        )
        return int(now - 1)
    return int(now)


def _look_at_classes(client: ApiClient, cluster: Object) -> None:
    """Compare the volumes with the storage classes that are asked for, which must exist for that."""
    metadata = cluster["metadata"]
    for name in ("pd", "tikv"):
        wanted = (cluster["spec"].get(name) or {}).get("storageClassName")
        if not wanted:
            continue
        if client.get(f"/apis/storage.k8s.io/v1/storageclasses/{wanted}") is None:
            raise SyncError(
                f"{metadata['namespace']}/{metadata['name']} {TITLES[name]}: failed to get desired volumes: "
                f'storageclass.storage.k8s.io "{wanted}" not found'
            )


OPERATOR = Operator(
    name="tidb-controller-manager",
    resource=f"tidbclusters.{GROUP}",
    version=VERSION,
    namespace="tidb-operator",
    account="tidb-controller-manager",
    reconcile=reconcile,
    owns=("statefulsets.apps", "services", "configmaps", "deployments.apps"),
    pods={
        "app.kubernetes.io/name": "tidb-operator",
        "app.kubernetes.io/component": "controller-manager",
    },
    programs=("tidb-controller-manager", "tidb-controller-manager-alpha"),
    lease="tidb-controller-manager",
)


def subsystem() -> Subsystem:
    """What the operator adds to a cluster."""
    return OPERATOR.subsystem()
