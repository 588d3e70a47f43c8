"""An exporter of what pods have been through."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import ObjectExporter, of_objects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.controllers import Object
    from sregym_cluster_embedded.sdk.exporters import Pairs


def _labels(pod: Object) -> Pairs:
    metadata = pod["metadata"]
    return (("namespace", metadata["namespace"]), ("pod", metadata["name"]))


def _born(pod: Object) -> Iterator[tuple[Pairs, float]]:
    yield _labels(pod), datetime.fromisoformat(pod["metadata"]["creationTimestamp"]).timestamp()


def _restarts(pod: Object) -> Iterator[tuple[Pairs, float]]:
    containers = pod.get("status", {}).get("containerStatuses") or ()
    yield _labels(pod), float(sum(one.get("restartCount", 0) for one in containers))


EXPORTER = ObjectExporter(
    "pods",
    "acme-ages",
    (
        of_objects("acme_pod_created", "gauge", "Unix time at which a pod was created.", _born),
        of_objects("acme_pod_restarts_total", "counter", "Restarts of containers.", _restarts),
    ),
    port=9747,
)
