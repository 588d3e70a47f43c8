"""Probing clients of the harness: they send requests as users do, and no process in the cluster can change their results."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError, ProbeError
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, Prober, Traffic
    from sregym_core.interfaces.cluster import KubeObject

# Any cluster that can still start pods has started one within this time.
START_S = 180.0
_POLL_S = 1.0
# A namespace has an account for its pods within this time.
_ACCOUNT_S = 60.0
# What clients before these left behind is gone within this time.
_GONE_S = 120.0
# Pods that are restarted are ready within this time, or they do not get ready.
_ANEW_S = 240.0
_LOOK_S = 5.0
_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


def restart(cluster: Cluster, workloads: Sequence[ObjectRef]) -> None:
    """Start the pods of these workloads anew, and wait until they are ready."""
    for ref in workloads:
        try:
            cluster.patch(ref, _anew(cluster), "strategic")
        except ClusterError as error:
            msg = f"{ref} cannot be started anew: {error.message}"
            raise ProbeError(msg) from error

    def unready() -> list[str]:
        return [str(ref) for ref in workloads if not _rolled_out(cluster.get(ref))]

    if workloads and not cluster.clock.wait_until(lambda: not unready(), _ANEW_S, _LOOK_S):
        msg = (
            f"{', '.join(unready())} did not get ready again within {_ANEW_S:g} s when started anew"
        )
        raise ProbeError(msg)


def _anew(cluster: Cluster) -> KubeObject:
    """A patch with which a workload's pods restart, as `kubectl rollout restart` makes it."""
    moment = datetime.fromtimestamp(int(cluster.clock.now()), UTC)
    annotations = {_RESTARTED_AT: moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return {"spec": {"template": {"metadata": {"annotations": annotations}}}}


def _rolled_out(workload: KubeObject | None) -> bool:
    """Whether all pods of a Deployment, StatefulSet or DaemonSet are of its template, and ready."""
    if workload is None:
        return False
    status = workload.get("status") or {}
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 0):
        return False
    if workload["kind"] == "DaemonSet":
        wanted, fields = status.get("desiredNumberScheduled", 0), _OF_DAEMON_SETS
    else:
        wanted, fields = workload["spec"].get("replicas", 1), _OF_OTHERS
    return all(status.get(field, 0) >= wanted for field in fields)


_OF_DAEMON_SETS = ("updatedNumberScheduled", "numberReady")
_OF_OTHERS = ("updatedReplicas", "readyReplicas")


def probe(cluster: Cluster, prober: Prober, seconds: float) -> Traffic:
    """Start clients, let them send requests for so long, and remove them again."""
    place = ObjectRef(api_version="v1", kind="Namespace", name=prober.pod.namespace)
    try:
        _start(cluster, prober, place)
        cluster.clock.advance(prober.warm_up_s + seconds)
        return prober.read(cluster, seconds)
    except ClusterError as error:
        if error.status == 0 or error.status >= 500:
            raise
        msg = f"the API server refuses them: {error.message}"
        raise ProbeError(msg) from error
    finally:
        cluster.delete(place)


def _start(cluster: Cluster, prober: Prober, place: ObjectRef) -> None:
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place.name}}
    cluster.clock.wait_until(lambda: cluster.get(place) is None, _GONE_S, _POLL_S)
    cluster.create(namespace)
    account = ObjectRef(
        api_version="v1", kind="ServiceAccount", namespace=place.name, name="default"
    )
    cluster.clock.wait_until(lambda: cluster.get(account) is not None, _ACCOUNT_S, _POLL_S)
    for obj in prober.objects:
        cluster.create(obj)
    if not cluster.clock.wait_until(lambda: not _missing(cluster, prober), START_S, _POLL_S):
        raise ProbeError(_missing(cluster, prober))


def _missing(cluster: Cluster, prober: Prober) -> str:
    """Why their pod does not run; empty once it does."""
    pod = cluster.get(prober.pod)
    if pod is None:
        return "their pod was deleted"
    status = pod.get("status") or {}
    conditions = {one["type"]: one for one in status.get("conditions") or ()}
    if (conditions.get("Ready") or {}).get("status") == "True":
        return ""
    scheduled = conditions.get("PodScheduled") or {}
    if scheduled.get("status") == "False":
        return f"their pod was not scheduled: {scheduled.get('message', '')}"
    waiting = [
        reason
        for one in status.get("containerStatuses") or ()
        if (reason := ((one.get("state") or {}).get("waiting") or {}).get("reason"))
    ]
    return f"their pod did not start within {START_S:g} s: {', '.join(waiting) or status.get('phase', '')}"
