"""The exporters of the cluster itself and of generic programs, as the documentation has them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.metrics.exporters.blackbox import Blackbox
from sregym_cluster_embedded.telemetry.metrics.exporters.cadvisor import Cadvisor
from sregym_cluster_embedded.telemetry.metrics.exporters.control_plane import ApiServer, Scheduler
from sregym_cluster_embedded.telemetry.metrics.exporters.dns import CoreDns
from sregym_cluster_embedded.telemetry.metrics.exporters.etcd import Etcd
from sregym_cluster_embedded.telemetry.metrics.exporters.k6 import K6
from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state import KubeState
from sregym_cluster_embedded.telemetry.metrics.exporters.kubelets import Kubelets
from sregym_cluster_embedded.telemetry.metrics.exporters.load import LoadGenerators
from sregym_cluster_embedded.telemetry.metrics.exporters.node import NodeExporter
from sregym_cluster_embedded.telemetry.metrics.exporters.services import Services
from sregym_cluster_embedded.telemetry.metrics.exporters.spans import SpanMetrics

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter


class Chapter(NamedTuple):
    """Exporters that belong together.

    Attributes:
        title: Heading in the documentation.
        about: Jobs, labels, and what is worth knowing.
        exporters: The exporters.
    """

    title: str
    about: str
    exporters: tuple[Exporter, ...]


@lru_cache(maxsize=1)
def builtin_exporters() -> tuple[Chapter, ...]:
    """The exporters of the cluster itself and of generic programs."""
    return (
        Chapter(
            "Objects of the API: kube-state-metrics",
            "Job `kube-state-metrics`, one target. Series carry the labels of the object: "
            "`namespace` and `pod`, `deployment`, `node` and so on.",
            (KubeState(),),
        ),
        Chapter(
            "Containers: cAdvisor",
            'Job `kubelet`, `metrics_path="/metrics/cadvisor"`, one target for each node, with '
            "`node`. Containers have `namespace`, `pod`, `container`, `image`, `name` (their id) "
            "and `id` (their control group); a container that is started again is another series. "
            "Series without `container` are those of the pod.",
            (Cadvisor(),),
        ),
        Chapter(
            "Kubelets",
            'Job `kubelet`, `metrics_path="/metrics"`.',
            (Kubelets(),),
        ),
        Chapter(
            "Nodes: node-exporter",
            "Job `node-exporter`; `instance` is the name of the node.",
            (NodeExporter(),),
        ),
        Chapter(
            "Control plane",
            "Jobs `apiserver`, `kube-scheduler` and `etcd`. How long requests, scheduling and writes take is always the same: "
            "it is no state of the cluster.",
            (ApiServer(), Scheduler(), Etcd()),
        ),
        Chapter(
            "Cluster DNS: CoreDNS",
            "Job `kube-dns`, one target for each replica.",
            (CoreDns(),),
        ),
        Chapter(
            "Probes: blackbox exporter",
            "Job `blackbox`: a TCP connection to each port of each Service with a selector, with "
            "`namespace` and `service`. Job `blackbox-http`: each path of each Ingress with a host, "
            "through the ingress controller, with `namespace` and `ingress`. Probes come from "
            "another namespace, and go on when what they probe is deleted.",
            (Blackbox(),),
        ),
        Chapter(
            "Calls between services: span metrics",
            "Job `otel-collector`. `service_name`, `span_name`, `span_kind` (`SPAN_KIND_SERVER` "
            "for what a service served, `SPAN_KIND_CLIENT` for what it called, `SPAN_KIND_PRODUCER` "
            "and `SPAN_KIND_CONSUMER` for messages that it sent and worked on), `status_code` "
            "(`STATUS_CODE_UNSET`, `STATUS_CODE_ERROR`), `k8s_namespace_name`, `k8s_pod_name`. "
            "Counters begin anew with each process.",
            (SpanMetrics(),),
        ),
        Chapter(
            "Services themselves",
            "The job is the name of the workload; one target for each container, with "
            "`namespace`, `pod`, `container`, `service` and `node`. It is down while the process "
            "does not serve.",
            (Services(),),
        ),
        Chapter(
            "Load generators",
            "Those of the tool that the program is called after, or that the service model names "
            "(`metrics`). Job `locust`, with `namespace` and `pod`; `method` and `name` (the "
            "operation). Job `k6`, under the names of k6's remote write, with `scenario` besides. "
            "Tools that export nothing (wrk, hey, ab, vegeta and their like) have no job: what "
            "they saw stands in their logs.",
            (LoadGenerators(), K6()),
        ),
    )
