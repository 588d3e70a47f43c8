"""What kubeadm puts into `kube-system`: static pods of the control plane, kube-proxy, the pod network.

The pods show what there is; what they do is done by the layers: `api`, `controllers`, `scheduler`,
`network`. kube-router is the pod network because it is one as the layer `network` has it: a bridge
on each node with the node's own range, routes between nodes, policies enforced.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import yaml

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.kubelet.keys import STATIC_PODS
from sregym_cluster_embedded.node.control_plane import SERVICE_RANGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

VERSION = "v1.36.2"
_ROLE = "node-role.kubernetes.io/control-plane"
LABELS: Mapping[str, str] = MappingProxyType(
    {_ROLE: "", "node.kubernetes.io/exclude-from-external-load-balancers": ""}
)
TAINT: Mapping[str, str] = MappingProxyType({"key": _ROLE, "effect": "NoSchedule"})
_PODS_RANGE = "10.244.0.0/16"
_REGISTRY = "registry.k8s.io"
_ETCD_IMAGE = f"{_REGISTRY}/etcd:3.6.5-0"
_PROXY_IMAGE = f"{_REGISTRY}/kube-proxy:{VERSION}"
_ROUTER_IMAGE = "docker.io/cloudnativelabs/kube-router:v2.6.1"
_PKI = "/etc/kubernetes/pki"
_SYSTEM = "kube-system"
_RBAC = "rbac.authorization.k8s.io"
_PROXY_CONFIG = f"""apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0
clientConnection:
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
clusterCIDR: {_PODS_RANGE}
kind: KubeProxyConfiguration
mode: iptables
"""
_CNI_CONFIG = """{
  "cniVersion": "1.0.0",
  "name": "cluster",
  "plugins": [
    {"name": "kubernetes", "type": "bridge", "bridge": "cni0", "isDefaultGateway": true, "ipam": {"type": "host-local"}},
    {"type": "portmap", "capabilities": {"snat": true, "portMappings": true}}
  ]
}
"""


def images_of(role: str) -> tuple[str, ...]:
    """The images that a node has been prepared with."""
    control_plane = tuple(f"{_REGISTRY}/{name}:{VERSION}" for name in _COMPONENTS)
    leads = (*control_plane, _ETCD_IMAGE) if role == machines.CONTROL_PLANE else ()
    return (*leads, _PROXY_IMAGE, _ROUTER_IMAGE)


def manifests(node: str, address: str) -> dict[str, str]:
    """File name -> text of what the kubelet of the control plane's node finds."""
    pods = [_etcd(node, address), *(_component(name, address) for name in _COMPONENTS)]
    return {f"{pod['metadata']['name']}.yaml": yaml.safe_dump(pod, sort_keys=True) for pod in pods}


def install(world: World) -> None:
    """Let the control plane's node run its pods, and all nodes kube-proxy and the pod network."""
    for machine in machines.machines(world):
        if machine.role == machines.CONTROL_PLANE:
            for file, text in manifests(machine.name, machine.address).items():
                world.service(STATIC_PODS).write(world, machine.name, file, text)
    server = f"https://{machines.control_plane_address(world)}:6443"
    for resource, obj in (*_proxy(server), *_router()):
        internal_client.create(world, resource, obj)


_AUDIT_LOG = "/var/log/kubernetes/audit/audit.log"
_COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
_PORTS = {"kube-apiserver": 6443, "kube-controller-manager": 10257, "kube-scheduler": 10259}
_CPU = {"kube-apiserver": "250m", "kube-controller-manager": "200m", "kube-scheduler": "100m"}


def _component(name: str, address: str) -> Object:
    kubeconfig = f"/etc/kubernetes/{name.removeprefix('kube-')}.conf"
    arguments = {
        "kube-apiserver": (
            f"--advertise-address={address}",
            "--allow-privileged=true",
            f"--audit-log-path={_AUDIT_LOG}",
            "--audit-policy-file=/etc/kubernetes/audit-policy.yaml",
            "--authorization-mode=Node,RBAC",
            f"--client-ca-file={_PKI}/ca.crt",
            "--enable-admission-plugins=NodeRestriction",
            "--enable-bootstrap-token-auth=true",
            f"--etcd-cafile={_PKI}/etcd/ca.crt",
            "--etcd-servers=https://127.0.0.1:2379",
            "--secure-port=6443",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
            f"--tls-cert-file={_PKI}/apiserver.crt",
        ),
        "kube-controller-manager": (
            "--allocate-node-cidrs=true",
            "--bind-address=127.0.0.1",
            f"--cluster-cidr={_PODS_RANGE}",
            "--cluster-name=kubernetes",
            "--controllers=*,bootstrapsigner,tokencleaner",
            f"--kubeconfig={kubeconfig}",
            "--leader-elect=true",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
            "--use-service-account-credentials=true",
        ),
        "kube-scheduler": (
            f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}",
            "--bind-address=127.0.0.1",
            f"--kubeconfig={kubeconfig}",
            "--leader-elect=true",
        ),
    }[name]
    host = address if name == "kube-apiserver" else "127.0.0.1"
    probe = {"host": host, "path": "/livez", "port": _PORTS[name], "scheme": "HTTPS"}
    folders = [
        (_PKI, "k8s-certs", "DirectoryOrCreate"),
        ("/etc/kubernetes/audit-policy.yaml", "audit-policy", "FileOrCreate"),
        (_AUDIT_LOG.rpartition("/")[0], "audit-log", "DirectoryOrCreate"),
    ]
    if name != "kube-apiserver":
        folders = [(kubeconfig, "kubeconfig", "FileOrCreate")]
    container = {
        "name": name,
        "image": f"{_REGISTRY}/{name}:{VERSION}",
        "imagePullPolicy": "IfNotPresent",
        "command": [name, *arguments],
        "livenessProbe": _probe(probe, 8),
        "readinessProbe": {
            **_probe({**probe, "path": "/readyz"}, 3),
            "initialDelaySeconds": 0,
            "periodSeconds": 1,
        },
        "startupProbe": _probe(probe, 24),
        "resources": {"requests": {"cpu": _CPU[name]}},
    }
    return _static(name, container, folders)


def _etcd(node: str, address: str) -> Object:
    probe = {"host": "127.0.0.1", "path": "/livez", "port": 2381, "scheme": "HTTP"}
    container = {
        "name": "etcd",
        "image": _ETCD_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": [
            "etcd",
            f"--advertise-client-urls=https://{address}:2379",
            "--data-dir=/var/lib/etcd",
            f"--initial-cluster={node}=https://{address}:2380",
            f"--listen-client-urls=https://127.0.0.1:2379,https://{address}:2379",
            "--listen-metrics-urls=http://127.0.0.1:2381",
            f"--listen-peer-urls=https://{address}:2380",
            f"--name={node}",
            "--snapshot-count=10000",
        ],
        "livenessProbe": _probe(probe, 8),
        "startupProbe": _probe(probe, 24),
        "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}},
    }
    folders = [
        ("/var/lib/etcd", "etcd-data", "DirectoryOrCreate"),
        (f"{_PKI}/etcd", "etcd-certs", "DirectoryOrCreate"),
    ]
    return _static("etcd", container, folders)


def _probe(request: Object, failures: int) -> Object:
    return {
        "httpGet": request,
        "failureThreshold": failures,
        "initialDelaySeconds": 10,
        "periodSeconds": 10,
        "timeoutSeconds": 15,
    }


def _static(name: str, container: Object, folders: list[tuple[str, str, str]]) -> Object:
    mounts = [
        {"mountPath": path, "name": volume, "readOnly": volume != "etcd-data"}
        for path, volume, _ in folders
    ]
    volumes = [
        {"name": volume, "hostPath": {"path": path, "type": kind}} for path, volume, kind in folders
    ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": _SYSTEM,
            "labels": {"component": name, "tier": "control-plane"},
        },
        "spec": {
            "containers": [{**container, "volumeMounts": mounts}],
            "hostNetwork": True,
            "priorityClassName": "system-node-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "volumes": volumes,
        },
    }


def _proxy(server: str) -> list[tuple[str, Object]]:
    kubeconfig = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {
                "cluster": {
                    "certificate-authority": "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
                    "server": server,
                },
                "name": "default",
            }
        ],
        "contexts": [
            {
                "context": {"cluster": "default", "namespace": "default", "user": "default"},
                "name": "default",
            }
        ],
        "current-context": "default",
        "users": [
            {
                "name": "default",
                "user": {"tokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token"},
            }
        ],
    }
    container = {
        "name": "kube-proxy",
        "image": _PROXY_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": [
            "/usr/local/bin/kube-proxy",
            "--config=/var/lib/kube-proxy/config.conf",
            "--hostname-override=$(NODE_NAME)",
        ],
        "env": [{"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"mountPath": "/var/lib/kube-proxy", "name": "kube-proxy"},
            {"mountPath": "/run/xtables.lock", "name": "xtables-lock"},
            {"mountPath": "/lib/modules", "name": "lib-modules", "readOnly": True},
        ],
    }
    volumes = [{"name": "kube-proxy", "configMap": {"name": "kube-proxy"}}, *_OF_THE_HOST]
    data = {
        "config.conf": _PROXY_CONFIG,
        "kubeconfig.conf": yaml.safe_dump(kubeconfig, sort_keys=True),
    }
    return [
        *_account("kube-proxy", "kubeadm:node-proxier", "system:node-proxier"),
        ("configmaps", _named("kube-proxy", {"app": "kube-proxy"}, data=data)),
        ("daemonsets.apps", _daemon_set("kube-proxy", container, volumes)),
    ]


def _router() -> list[tuple[str, Object]]:
    container = {
        "name": "kube-router",
        "image": _ROUTER_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "args": [
            "--run-router=true",
            "--run-firewall=true",
            "--run-service-proxy=false",
            "--bgp-graceful-restart=true",
        ],
        "env": [
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "KUBE_ROUTER_CNI_CONF_FILE", "value": "/etc/cni/net.d/10-cluster.conflist"},
        ],
        "livenessProbe": {
            "httpGet": {"path": "/healthz", "port": 20244},
            "initialDelaySeconds": 10,
            "periodSeconds": 3,
        },
        "resources": {"requests": {"cpu": "250m", "memory": "250Mi"}},
        "securityContext": {"privileged": True},
        "volumeMounts": [
            {"mountPath": "/etc/kube-router", "name": "kube-router-cfg", "readOnly": True},
            {"mountPath": "/run/xtables.lock", "name": "xtables-lock"},
            {"mountPath": "/lib/modules", "name": "lib-modules", "readOnly": True},
        ],
    }
    volumes = [{"name": "kube-router-cfg", "configMap": {"name": "kube-router-cfg"}}, *_OF_THE_HOST]
    rules = [
        {
            "apiGroups": [""],
            "resources": ["namespaces", "pods", "services", "nodes", "endpoints"],
            "verbs": ["list", "get", "watch"],
        },
        {
            "apiGroups": ["networking.k8s.io"],
            "resources": ["networkpolicies"],
            "verbs": ["list", "get", "watch"],
        },
        {
            "apiGroups": ["discovery.k8s.io"],
            "resources": ["endpointslices"],
            "verbs": ["get", "list", "watch"],
        },
    ]
    labels = {"k8s-app": "kube-router", "tier": "node"}
    return [
        (f"clusterroles.{_RBAC}", {"metadata": {"name": "kube-router"}, "rules": rules}),
        *_account("kube-router", "kube-router", "kube-router"),
        ("configmaps", _named("kube-router-cfg", labels, data={"cni-conf.json": _CNI_CONFIG})),
        ("daemonsets.apps", _daemon_set("kube-router", container, volumes)),
    ]


_OF_THE_HOST = (
    {"name": "xtables-lock", "hostPath": {"path": "/run/xtables.lock", "type": "FileOrCreate"}},
    {"name": "lib-modules", "hostPath": {"path": "/lib/modules", "type": ""}},
)


def _named(name: str, labels: Mapping[str, str] | None = None, **fields: object) -> Object:
    metadata: Object = {"name": name, "namespace": _SYSTEM}
    if labels:
        metadata["labels"] = dict(labels)
    return {"metadata": metadata, **fields}


def _account(name: str, binding: str, role: str) -> list[tuple[str, Object]]:
    subject = {"kind": "ServiceAccount", "name": name, "namespace": _SYSTEM}
    reference = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": role}
    bound = {"metadata": {"name": binding}, "roleRef": reference, "subjects": [subject]}
    return [("serviceaccounts", _named(name)), (f"clusterrolebindings.{_RBAC}", bound)]


def _daemon_set(name: str, container: Object, volumes: list[Object]) -> Object:
    labels = {"k8s-app": name}
    spec = {
        "containers": [container],
        "hostNetwork": True,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "priorityClassName": "system-node-critical",
        "serviceAccountName": name,
        "tolerations": [{"operator": "Exists"}],
        "volumes": volumes,
    }
    fields = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec},
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
    }
    return _named(name, labels, spec=fields)
