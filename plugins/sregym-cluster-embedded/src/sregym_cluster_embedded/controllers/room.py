"""All controllers as one part of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.controllers import (
    deployment,
    endpoints,
    garbage,
    namespace,
    provisioning,
    replicaset,
    volumes,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object


def pod_labels(pod: Object) -> list[str]:
    """`NAMESPACE/KEY=VALUE` of a pod's labels."""
    metadata = pod["metadata"]
    namespace_name = metadata["namespace"]
    labels = metadata.get("labels")
    return [f"{namespace_name}/{key}={value}" for key, value in labels.items()] if labels else []


def pod_node(pod: Object) -> list[str]:
    """The node that a pod is bound to."""
    node = pod["spec"].get("nodeName")
    return [node] if node else []


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(
        name="controllers",
        handlers={
            deployment.HANDLER: deployment.reconcile,
            replicaset.HANDLER: replicaset.reconcile,
            endpoints.HANDLER: endpoints.reconcile,
            namespace.HANDLER: namespace.empty,
            namespace.FURNISH: namespace.furnish,
            garbage.DEPENDENTS: garbage.finalize,
            garbage.OWNERS: garbage.collect,
            volumes.CLAIM: volumes.reconcile_claim,
            volumes.VOLUME: volumes.reconcile_volume,
            provisioning.HANDLER: provisioning.provision,
        },
        followers={
            deployment.RESOURCE: (deployment.listen,),
            replicaset.RESOURCE: (deployment.listen, replicaset.listen),
            "pods": (replicaset.listen, endpoints.listen, volumes.listen),
            "services": (endpoints.listen,),
            endpoints.SLICES: (endpoints.listen,),
            "persistentvolumeclaims": (volumes.listen,),
            "persistentvolumes": (volumes.listen,),
            "storageclasses.storage.k8s.io": (volumes.listen,),
            "": (namespace.listen, garbage.listen),
        },
        indexers={
            "pods": {"label": pod_labels, "node": pod_node, "claim": volumes.claim_values},
            "services": {"selector": endpoints.selector_values},
        },
    )
