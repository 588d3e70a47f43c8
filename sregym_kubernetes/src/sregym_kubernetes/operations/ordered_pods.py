"""Pods that keep a StatefulSet from going back to its old template.

A StatefulSet whose pods come in order waits for a pod that is not ready before it touches any other,
also when a newer template would mend that pod: it has to be deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import ObjectRef

from sregym_kubernetes.pod_trouble import pod_trouble

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

# Longer than any controller needs to look at a changed object.
LOOKED_AT_S = 60.0
_REVISION = "controller-revision-hash"


def delete_blocking_pods(cluster: Cluster, namespaces: tuple[str, ...]) -> None:
    """Delete the pods of StatefulSets that are not ready and not of the template of now."""

    def ordered() -> list[KubeObject]:
        return [
            obj
            for namespace in namespaces
            for obj in cluster.list("apps/v1", "StatefulSet", namespace)
            if obj["spec"].get("podManagementPolicy") != "Parallel"
        ]

    if not ordered():
        return
    cluster.clock.wait_until(lambda: all(map(_looked_at, ordered())), LOOKED_AT_S)
    for stateful_set in ordered():
        revision = (stateful_set.get("status") or {}).get("updateRevision")
        metadata = stateful_set["metadata"]
        for pod in cluster.list("v1", "Pod", metadata["namespace"]):
            runs = (pod["metadata"].get("labels") or {}).get(_REVISION)
            if _owned(pod, metadata) and runs != revision and pod_trouble(pod) is not None:
                cluster.delete(ObjectRef.of(pod))


def _looked_at(stateful_set: KubeObject) -> bool:
    seen = (stateful_set.get("status") or {}).get("observedGeneration", 0)
    return bool(seen >= stateful_set["metadata"].get("generation", 0))


def _owned(pod: KubeObject, owner: KubeObject) -> bool:
    return any(
        (one.get("kind"), one.get("name")) == ("StatefulSet", owner["name"])
        for one in pod["metadata"].get("ownerReferences") or ()
    )
