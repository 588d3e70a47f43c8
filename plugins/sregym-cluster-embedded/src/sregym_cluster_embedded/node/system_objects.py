"""The objects that every cluster begins with, as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

NAMESPACES = ("kube-system", "kube-public", "kube-node-lease", "default")
DNS_ADDRESS = "10.96.0.10"
API_ADDRESS = "10.96.0.1"
COREDNS_IMAGE = "registry.k8s.io/coredns/coredns:v1.12.1"
PAUSE_IMAGE = "registry.k8s.io/pause:3.10"
PAUSE_SIZE_BYTES = 320448
DNS_LABELS = {"k8s-app": "kube-dns"}

COREFILE = """\
.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
    loop
    reload
    loadbalance
}
"""


class Dns(NamedTuple):
    """How the cluster DNS was installed.

    Attributes:
        image: Reference of its image.
        applied: Whether its Service was made by `kubectl apply`, not by an installer.
    """

    image: str = COREDNS_IMAGE
    applied: bool = False


# As an installer of clusters does it.
INSTALLED = Dns()


def namespace(name: str) -> Object:
    """A namespace that is there from the beginning."""
    return {"metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}}}


def priority_classes() -> list[Object]:
    """The two classes for the cluster's own pods."""
    about = "Used for system critical pods that must {}."
    return [
        {
            "metadata": {"name": "system-cluster-critical"},
            "value": 2000000000,
            "description": about.format(
                "run in the cluster, but can be moved to another node if necessary"
            ),
            "preemptionPolicy": "PreemptLowerPriority",
        },
        {
            "metadata": {"name": "system-node-critical"},
            "value": 2000001000,
            "description": about.format("not be moved from their current node"),
            "preemptionPolicy": "PreemptLowerPriority",
        },
    ]


def storage_class() -> Object:
    """The default class: volumes on the node's own disk, made when a pod has got its node."""
    return {
        "metadata": {
            "name": "standard",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "rancher.io/local-path",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def api_service() -> Object:
    """The Service of the API server."""
    return {
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "type": "ClusterIP",
            "clusterIP": API_ADDRESS,
            "clusterIPs": [API_ADDRESS],
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            "sessionAffinity": "None",
            "internalTrafficPolicy": "Cluster",
        },
    }


def api_endpoints(address: str) -> tuple[Object, Object]:
    """Endpoints and EndpointSlice of the API server."""
    metadata = {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
    }
    subset = {
        "addresses": [{"ip": address}],
        "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}],
    }
    sliced = {"name": "kubernetes", "namespace": "default"}
    return (
        {"metadata": metadata, "subsets": [subset]},
        {
            "metadata": {**sliced, "labels": {"kubernetes.io/service-name": "kubernetes"}},
            "addressType": "IPv4",
            "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
            "ports": [{"name": "https", "port": 6443, "protocol": "TCP"}],
        },
    )


def dns_service(dns: Dns) -> Object:
    """The Service of the cluster DNS."""
    addon = {"kubernetes.io/cluster-service": "true", "kubernetes.io/name": "CoreDNS"}
    labels = DNS_LABELS if dns.applied else {**DNS_LABELS, **addon}
    ports = (("dns", 53, "UDP"), ("dns-tcp", 53, "TCP"), ("metrics", 9153, "TCP"))
    metadata: Object = {"name": "kube-dns", "namespace": "kube-system", "labels": labels}
    if dns.applied:
        listed = [
            {"name": name, "port": port, "protocol": protocol} for name, port, protocol in ports
        ]
        spec = {"clusterIP": DNS_ADDRESS, "ports": listed, "selector": DNS_LABELS}
        applied = {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**metadata, "annotations": {}},
            "spec": spec,
        }
        text = json.dumps(applied, sort_keys=True, separators=(",", ":")) + "\n"
        metadata["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": text}
    return {
        "metadata": metadata,
        "spec": {
            "clusterIP": DNS_ADDRESS,
            "selector": DNS_LABELS,
            "ports": [
                {"name": name, "port": port, "protocol": protocol, "targetPort": port}
                for name, port, protocol in ports
            ],
        },
    }


def dns_config() -> Object:
    """The configuration of the cluster DNS."""
    metadata = {"name": "coredns", "namespace": "kube-system"}
    return {"metadata": metadata, "data": {"Corefile": COREFILE}}


def dns_deployment(replicas: int, image: str = COREDNS_IMAGE) -> Object:
    """The Deployment of the cluster DNS."""
    container = {
        "name": "coredns",
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "resources": {
            "limits": {"memory": "170Mi"},
            "requests": {"cpu": "100m", "memory": "70Mi"},
        },
        "ports": [
            {"containerPort": 53, "name": "dns", "protocol": "UDP"},
            {"containerPort": 53, "name": "dns-tcp", "protocol": "TCP"},
            {"containerPort": 9153, "name": "metrics", "protocol": "TCP"},
        ],
        "volumeMounts": [{"name": "config-volume", "mountPath": "/etc/coredns", "readOnly": True}],
        "livenessProbe": {
            "httpGet": {"path": "/health", "port": 8080, "scheme": "HTTP"},
            "initialDelaySeconds": 60,
            "timeoutSeconds": 5,
            "successThreshold": 1,
            "failureThreshold": 5,
        },
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181, "scheme": "HTTP"}},
    }
    items = [{"key": "Corefile", "path": "Corefile"}]
    spec = {
        "priorityClassName": "system-cluster-critical",
        "serviceAccountName": "coredns",
        "tolerations": [
            {"key": "CriticalAddonsOnly", "operator": "Exists"},
            {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"},
        ],
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "dnsPolicy": "Default",
        "containers": [container],
        "volumes": [{"name": "config-volume", "configMap": {"name": "coredns", "items": items}}],
    }
    return {
        "metadata": {"name": "coredns", "namespace": "kube-system", "labels": DNS_LABELS},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": DNS_LABELS},
            "template": {"metadata": {"labels": DNS_LABELS}, "spec": spec},
        },
    }


def authentication_config(authority: str) -> Object:
    """What an API server behind this one has to know to trust it."""
    metadata = {"name": "extension-apiserver-authentication", "namespace": "kube-system"}
    header = "requestheader-{}"
    return {
        "metadata": metadata,
        "data": {
            "client-ca-file": authority,
            header.format("allowed-names"): '["front-proxy-client"]',
            header.format("client-ca-file"): authority,
            header.format("extra-headers-prefix"): '["X-Remote-Extra-"]',
            header.format("group-headers"): '["X-Remote-Group"]',
            header.format("username-headers"): '["X-Remote-User"]',
        },
    }


def token_tracking(since: str) -> Object:
    """From when on the use of token Secrets is written down; `since` is a date."""
    name = "kube-apiserver-legacy-service-account-token-tracking"
    return {"metadata": {"name": name, "namespace": "kube-system"}, "data": {"since": since}}
