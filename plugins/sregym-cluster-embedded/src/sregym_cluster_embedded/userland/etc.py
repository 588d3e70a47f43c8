"""The files that a kubelet writes into every container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.network.resolver import domain_of, resolver_of
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.world import World

CLUSTER_DNS = "10.96.0.10"
_HOSTS = (
    "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost "
    "ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\n"
    "fe00::2\tip6-allrouters\n"
)
# The file of the node itself, which pods in its network share.
_NODE_HOSTS = (
    "# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n"
    "::1\tlocalhost ip6-localhost ip6-loopback\nff02::1\tip6-allnodes\nff02::2\tip6-allrouters\n"
)


# The paths of these files.
ETC = ("/etc/hostname", "/etc/hosts", "/etc/resolv.conf", "/dev/termination-log")


def etc_files(world: World, config: ContainerConfig) -> dict[str, str]:
    """Absolute path -> content, of the paths in `ETC`."""
    namespace = config.ref.namespace
    # A pod that is gone by now had no wishes that anybody could still see.
    nothing: Object = {"metadata": {"namespace": namespace}, "spec": {}}
    pod = world.store.get(Key("pods", namespace, config.ref.pod)) or nothing
    return {
        "/etc/hostname": f"{config.hostname}\n",
        "/etc/hosts": _hosts(pod, config),
        "/etc/resolv.conf": resolver_of(pod).text(),
        "/dev/termination-log": "",
    }


def _hosts(pod: Object, config: ContainerConfig) -> str:
    """/etc/hosts: the pod by its full name when it has a subdomain, and its hostAliases."""
    spec = pod["spec"]
    names = config.hostname.partition(".")[0]
    if spec.get("subdomain"):
        names = f"{names}.{domain_of(pod)}\t{names}"
    text = f"{_HOSTS}{config.pod_ip}\t{names}\n"
    if spec.get("hostNetwork"):
        text = f"{_NODE_HOSTS}{config.pod_ip}\t{config.hostname}\n"
    if spec.get("hostAliases"):
        text += "\n# Entries added by HostAliases.\n"
    for alias in spec.get("hostAliases", ()):
        text += "\t".join((alias["ip"], *alias.get("hostnames", ()))) + "\n"
    return text
