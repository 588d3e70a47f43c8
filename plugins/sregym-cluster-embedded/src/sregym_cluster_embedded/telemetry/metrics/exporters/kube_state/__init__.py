"""kube-state-metrics: what the objects of the API say."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state import (
    cluster,
    others,
    pods,
    workloads,
)
from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state.measures import (
    Measure,
    rows_of,
)
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    FOREVER,
    Exporter,
    Family,
    Part,
    Target,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_cluster_embedded.telemetry.metrics.view import View

_BY_RESOURCE: Mapping[str, tuple[Measure, ...]] = MappingProxyType(
    {
        "pods": pods.MEASURES,
        "deployments.apps": workloads.DEPLOYMENTS,
        "replicasets.apps": workloads.REPLICASETS,
        "statefulsets.apps": workloads.STATEFULSETS,
        "daemonsets.apps": workloads.DAEMONSETS,
        "jobs.batch": workloads.JOBS,
        "cronjobs.batch": workloads.CRONJOBS,
        "horizontalpodautoscalers.autoscaling": workloads.AUTOSCALERS,
        "poddisruptionbudgets.policy": workloads.BUDGETS,
        "nodes": cluster.NODES,
        "namespaces": cluster.NAMESPACES,
        "services": cluster.SERVICES,
        "endpoints": cluster.ENDPOINTS,
        "endpointslices.discovery.k8s.io": cluster.SLICES,
        "configmaps": cluster.CONFIGMAPS,
        "secrets": cluster.SECRETS,
        "persistentvolumeclaims": cluster.CLAIMS,
        "persistentvolumes": cluster.VOLUMES,
        "storageclasses.storage.k8s.io": cluster.CLASSES,
        "resourcequotas": cluster.QUOTAS,
        "limitranges": cluster.RANGES,
        "ingresses.networking.k8s.io": cluster.INGRESSES,
        "networkpolicies.networking.k8s.io": cluster.POLICIES,
        "leases.coordination.k8s.io": cluster.LEASES,
        "mutatingwebhookconfigurations.admissionregistration.k8s.io": others.MUTATING,
        "validatingwebhookconfigurations.admissionregistration.k8s.io": others.VALIDATING,
        "certificatesigningrequests.certificates.k8s.io": others.REQUESTS,
        "volumeattachments.storage.k8s.io": others.ATTACHMENTS,
        "replicationcontrollers": others.REPLICATION_CONTROLLERS,
    }
)
_BY_NAME: Mapping[str, tuple[str, Measure]] = MappingProxyType(
    {
        measure.family.name: (resource, measure)
        for resource, measures in _BY_RESOURCE.items()
        for measure in measures
    }
)
# Label of the object itself, where it tells objects of a resource apart.
_OWN_LABEL = MappingProxyType(
    {"pods": "pod", "deployments.apps": "deployment", "services": "service", "nodes": "node"}
)
_INSTANCE = "kube-state-metrics:8080"


class KubeState(Exporter):
    """One target for the whole cluster, whose series carry the labels of the objects."""

    families: Sequence[Family] = tuple(measure.family for _, measure in _BY_NAME.values())
    reads = tuple(_BY_RESOURCE)
    found_by = ()

    def reads_for(self, sample: str) -> tuple[str, ...]:
        """The resource that the measure is about."""
        return (_BY_NAME[sample][0],)

    def alike(self, sample: str) -> bool:
        """All but those that tell labels of objects."""
        return not sample.endswith("_labels")

    def targets(self, view: View) -> Sequence[Target]:
        """The one instance."""
        labels = (("job", "kube-state-metrics"), ("instance", _INSTANCE))
        url = f"http://{_INSTANCE}/metrics"
        return [Target("kube-state-metrics", url, labels, honours=True)]

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """What each object of the measure's resource says."""
        resource, measure = _BY_NAME[sample]
        label = _OWN_LABEL.get(resource)
        for line in view.past.of(resource):
            _, namespace, name = key = line.key
            known = (("namespace", namespace),) if namespace else ()
            if label is not None:
                known = (*known, (label, name))
            versions = line.versions
            since = versions[0].since
            until = FOREVER if versions[-1].obj is not None else versions[-1].since
            yield Part(key, (line,), known, since, until, partial(rows_of, line, measure))
