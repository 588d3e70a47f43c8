"""How often containers were restarted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ContainerRuns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject


def containers(cluster: Cluster, namespaces: Sequence[str]) -> Iterator[ContainerRuns]:
    """Each container of the pods in these namespaces."""
    for namespace in namespaces:
        for pod in cluster.list("v1", "Pod", namespace):
            owner, uid = _owner(pod), pod["metadata"].get("uid", "")
            for status in (pod.get("status") or {}).get("containerStatuses") or ():
                restarts = int(status.get("restartCount", 0))
                yield ContainerRuns(owner, uid, status["name"], restarts)


def _owner(pod: KubeObject) -> str:
    owners = pod["metadata"].get("ownerReferences") or ()
    owner = next((one for one in owners if one.get("controller")), None)
    if owner is None:
        return str(pod["metadata"]["name"])
    name = str(owner["name"])
    template = (pod["metadata"].get("labels") or {}).get("pod-template-hash", "")
    return name.removesuffix(f"-{template}") if template else name
