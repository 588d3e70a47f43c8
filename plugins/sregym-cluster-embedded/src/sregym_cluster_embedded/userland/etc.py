"""The files that a kubelet writes into every container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.world import World

CLUSTER_DNS = "10.96.0.10"
_HOSTS = (
    "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost "
    "ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\n"
    "fe00::2\tip6-allrouters\n"
)


def etc_files(world: World, config: ContainerConfig) -> dict[str, str]:
    """Absolute path -> content."""
    return {
        "/etc/hostname": f"{config.hostname}\n",
        "/etc/hosts": f"{_HOSTS}{config.pod_ip}\t{config.hostname}\n",
        "/etc/resolv.conf": _resolv_conf(world, config),
        "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
        "/dev/termination-log": "",
    }


def _resolv_conf(world: World, config: ContainerConfig) -> str:
    namespace = config.ref.namespace
    pod = world.store.get(Key("pods", namespace, config.ref.pod)) or {}
    spec = pod.get("spec", {})
    given = spec.get("dnsConfig", {})
    search: list[str] = []
    servers: list[str] = []
    options: list[str] = []
    if spec.get("dnsPolicy", "ClusterFirst") in ("ClusterFirst", "ClusterFirstWithHostNet"):
        search = [f"{namespace}.svc.cluster.local", "svc.cluster.local", "cluster.local"]
        servers, options = [CLUSTER_DNS], ["ndots:5"]
    elif spec.get("dnsPolicy") == "Default":
        servers = ["10.77.0.1"]
    search += [name for name in given.get("searches", ()) if name not in search]
    servers += [server for server in given.get("nameservers", ()) if server not in servers]
    for option in given.get("options", ()):
        value = option.get("value")
        options.append(option["name"] if value is None else f"{option['name']}:{value}")
    lines = [f"search {' '.join(search)}"] if search else []
    lines += [f"nameserver {server}" for server in servers]
    lines += [f"options {' '.join(options)}"] if options else []
    return "\n".join(lines) + "\n"
