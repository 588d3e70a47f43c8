"""The objects of a metrics server, as its manifests make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.resource_metrics import API_SERVICE, GROUP, VERSION

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

IMAGE = "registry.k8s.io/metrics-server/metrics-server:v0.8.0"
_NAME, _NAMESPACE = "metrics-server", "kube-system"
_LABELS = {"k8s-app": _NAME}
_PORT = 10250
_SCRATCH = "/tmp"  # noqa: S108  the path in the container
_RBAC = "rbac.authorization.k8s.io"
_READ = ["get", "list", "watch"]


def install(world: World) -> None:
    """Put a metrics server into the cluster; it serves when its pod is ready."""
    for resource, obj in _objects():
        internal_client.create(world, resource, obj)


def _objects() -> list[tuple[str, Object]]:
    roles = f"clusterroles.{_RBAC}"
    aggregate = "rbac.authorization.k8s.io/aggregate-to-"
    reader = {
        "metadata": {
            "name": "system:aggregated-metrics-reader",
            "labels": {
                **_LABELS,
                **{f"{aggregate}{role}": "true" for role in ("admin", "edit", "view")},
            },
        },
        "rules": [{"apiGroups": [GROUP], "resources": ["pods", "nodes"], "verbs": _READ}],
    }
    own = {
        "metadata": {"name": f"system:{_NAME}", "labels": _LABELS},
        "rules": [
            {"apiGroups": [""], "resources": ["nodes/metrics"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["pods", "nodes"], "verbs": _READ},
        ],
    }
    return [
        ("serviceaccounts", {"metadata": _metadata()}),
        (roles, reader),
        (roles, own),
        (
            f"clusterrolebindings.{_RBAC}",
            _binding(f"{_NAME}:system:auth-delegator", "system:auth-delegator"),
        ),
        (f"clusterrolebindings.{_RBAC}", _binding(f"system:{_NAME}", f"system:{_NAME}")),
        ("services", _service()),
        ("deployments.apps", _deployment()),
        (API_SERVICE.resource, _api_service()),
    ]


def _metadata() -> Object:
    return {"name": _NAME, "namespace": _NAMESPACE, "labels": _LABELS}


def _binding(name: str, role: str) -> Object:
    return {
        "metadata": {"name": name, "labels": _LABELS},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": _NAME, "namespace": _NAMESPACE}],
    }


def _service() -> Object:
    port = {"name": "https", "port": 443, "protocol": "TCP", "targetPort": "https"}
    return {"metadata": _metadata(), "spec": {"ports": [port], "selector": _LABELS}}


def _api_service() -> Object:
    return {
        "metadata": {"name": API_SERVICE.name, "labels": _LABELS},
        "spec": {
            "group": GROUP,
            "groupPriorityMinimum": 100,
            "insecureSkipTLSVerify": True,
            "service": {"name": _NAME, "namespace": _NAMESPACE, "port": 443},
            "version": VERSION,
            "versionPriority": 100,
        },
    }


def _deployment() -> Object:
    container = {
        "name": _NAME,
        "image": IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            f"--cert-dir={_SCRATCH}",
            f"--secure-port={_PORT}",
            "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
            "--kubelet-use-node-status-port",
            "--metric-resolution=15s",
        ],
        "ports": [{"containerPort": _PORT, "name": "https", "protocol": "TCP"}],
        "readinessProbe": {
            "tcpSocket": {"port": "https"},
            "initialDelaySeconds": 20,
            "periodSeconds": 10,
            "failureThreshold": 3,
        },
        "livenessProbe": {
            "tcpSocket": {"port": "https"},
            "periodSeconds": 10,
            "failureThreshold": 3,
        },
        "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}},
        "volumeMounts": [{"mountPath": _SCRATCH, "name": "tmp-dir"}],
    }
    spec = {
        "containers": [container],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": _NAME,
        "volumes": [{"emptyDir": {}, "name": "tmp-dir"}],
    }
    return {
        "metadata": _metadata(),
        "spec": {
            "selector": {"matchLabels": _LABELS},
            "strategy": {"rollingUpdate": {"maxUnavailable": 0}},
            "template": {"metadata": {"labels": _LABELS}, "spec": spec},
        },
    }
