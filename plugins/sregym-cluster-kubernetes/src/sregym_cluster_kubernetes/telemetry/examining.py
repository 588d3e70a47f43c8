"""What of a system an agent will be able to observe, for `sregym doctor`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError, Finding

from sregym_cluster_kubernetes.telemetry.places import found_among
from sregym_cluster_kubernetes.telemetry.services import answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces.cluster import KubeObject

    from sregym_cluster_kubernetes.telemetry.services import Services

# What people call it, and the look that tells whether it answers.
_MODALITIES = {
    "prometheus": ("metrics", "/api/v1/status/buildinfo"),
    "loki": ("logs", "/loki/api/v1/labels"),
    "jaeger": ("traces", "/api/services"),
    "alertmanager": ("alerts", "/api/v2/alerts"),
}
_METRICS = {
    "objects (kube-state-metrics)": "count(kube_pod_info)",
    "containers (cAdvisor)": "count(container_memory_working_set_bytes)",
}
_NONE = "none: agents will have no {what}"
_INSTALL = "or install a small set: sregym telemetry install"


def modalities(services: Services, everywhere: list[KubeObject]) -> Iterator[Finding]:
    """One finding for each kind of telemetry; that there is none is no defect.

    Args:
        services: Of the cluster.
        everywhere: All Services of the cluster, to tell what could be connected.
    """
    found = found_among(everywhere)
    for name, (what, path) in _MODALITIES.items():
        place = services.places.get(name)
        if place is None:
            detail = _NONE.format(what=what) + (" but those of kubectl" if what == "logs" else "")
            if name in found:
                detail += f"; connect Service {found[name]} with the option {name}={found[name]}"
            yield Finding(f"telemetry, {what}", True, f"{detail}, {_INSTALL}")
            continue
        why = answers(services, name, path)
        if why:
            yield Finding(f"telemetry, {what}", False, why, f"look at the option {name!r}")
            continue
        message = f"{name} at {place} answers"
        yield Finding(
            f"telemetry, {what}", True, message + (_of(services) if what == "metrics" else "")
        )


def _of(services: Services) -> str:
    """Of what there are metrics, of those that problems are seen by."""
    have = [what for what, query in _METRICS.items() if _has(services, query)]
    return f", with metrics of {' and '.join(have)}" if have else ", without metrics of Kubernetes"


def _has(services: Services, query: str) -> bool:
    try:
        answer = services.ask("prometheus", "/api/v1/query", [("query", query)], "GET")
        return bool(json.loads(answer.body)["data"]["result"])
    except (ClusterError, ValueError, KeyError, TypeError):
        return False
