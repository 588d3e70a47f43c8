"""All controllers as one part of a cluster."""

from __future__ import annotations

from sregym_cluster_embedded.contribution import Contribution
from sregym_cluster_embedded.controllers import deployment, namespace, replicaset
from sregym_cluster_embedded.store import Object


def pod_labels(pod: Object) -> list[str]:
    """`NAMESPACE/KEY=VALUE` of a pod's labels."""
    metadata = pod["metadata"]
    namespace = metadata["namespace"]
    labels = metadata.get("labels")
    return [f"{namespace}/{key}={value}" for key, value in labels.items()] if labels else []


def contribution() -> Contribution:
    """What this room adds to a cluster."""
    return Contribution(
        name="controllers",
        handlers={
            deployment.HANDLER: deployment.reconcile,
            replicaset.HANDLER: replicaset.reconcile,
            namespace.HANDLER: namespace.empty,
            namespace.FURNISH: namespace.furnish,
        },
        listeners=(deployment.listen, replicaset.listen, namespace.listen),
        indexers={"pods": {"label": pod_labels}},
    )
