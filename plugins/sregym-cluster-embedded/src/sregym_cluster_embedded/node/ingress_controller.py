"""The objects of an ingress controller, as its manifests make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers.namespace import extra_setup

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

IMAGE = "registry.k8s.io/ingress-nginx/controller:v1.13.3"
NAMESPACE = "ingress-nginx"
_NAME = "ingress-nginx-controller"
_CONTROLLER = "k8s.io/ingress-nginx"
_LABELS = {
    "app.kubernetes.io/component": "controller",
    "app.kubernetes.io/instance": "ingress-nginx",
    "app.kubernetes.io/name": "ingress-nginx",
}
_PORTS = (("http", 80), ("https", 443))
_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def install(world: World) -> None:
    """Put an ingress controller into the cluster, with the default class `nginx`."""
    internal_client.create(
        world, "namespaces", {"metadata": {"name": NAMESPACE, "labels": _LABELS}}
    )
    extra_setup(world, NAMESPACE)
    account = {"metadata": {"name": "ingress-nginx", "namespace": NAMESPACE, "labels": _LABELS}}
    internal_client.create(world, "serviceaccounts", account)
    ingress_class = {
        "metadata": {"name": "nginx", "labels": _LABELS, "annotations": {_DEFAULT: "true"}},
        "spec": {"controller": _CONTROLLER},
    }
    internal_client.create(world, "ingressclasses.networking.k8s.io", ingress_class)
    internal_client.create(world, "services", _service())
    internal_client.create(world, "deployments.apps", _deployment())


def _metadata() -> Object:
    return {"name": _NAME, "namespace": NAMESPACE, "labels": _LABELS}


def _service() -> Object:
    ports = [
        {"name": name, "port": port, "protocol": "TCP", "targetPort": name, "appProtocol": name}
        for name, port in _PORTS
    ]
    return {
        "metadata": _metadata(),
        "spec": {"type": "NodePort", "ports": ports, "selector": _LABELS},
    }


def _deployment() -> Object:
    probe = {"httpGet": {"path": "/healthz", "port": 80, "scheme": "HTTP"}, "periodSeconds": 10}
    container = {
        "name": "controller",
        "image": IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "--election-id=ingress-nginx-leader",
            f"--controller-class={_CONTROLLER}",
            "--ingress-class=nginx",
            "--watch-ingress-without-class=true",
            "--report-node-internal-ip-address",
        ],
        "ports": [
            {"containerPort": port, "name": name, "protocol": "TCP"} for name, port in _PORTS
        ],
        "readinessProbe": {**probe, "initialDelaySeconds": 1},
        "livenessProbe": {**probe, "failureThreshold": 5},
        "resources": {"requests": {"cpu": "100m", "memory": "90Mi"}},
    }
    spec = {
        "containers": [container],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "serviceAccountName": "ingress-nginx",
    }
    return {
        "metadata": _metadata(),
        "spec": {
            "selector": {"matchLabels": _LABELS},
            "template": {"metadata": {"labels": _LABELS}, "spec": spec},
        },
    }
