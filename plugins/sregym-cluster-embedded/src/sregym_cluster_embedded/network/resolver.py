"""A pod's resolver: which name servers it asks, for which names, in which order."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

CLUSTER_DOMAIN = "cluster.local"
# What kubelets are configured with; a Service with this address must exist for it to work.
CLUSTER_DNS = "10.96.0.10"
NODE_DNS = "10.77.0.1"
_CLUSTER_NDOTS = 5
_HOSTNAME_SIZE = 63
# What a resolver library takes.
_MOST_SERVERS, _MOST_SEARCHES = 3, 32


class Resolver(NamedTuple):
    """The content of /etc/resolv.conf.

    Attributes:
        servers: Addresses of name servers, asked in order.
        searches: Search domains.
        ndots: Names with fewer dots are tried with the search domains first.
        options: All options, as written.
    """

    servers: tuple[str, ...]
    searches: tuple[str, ...]
    ndots: int
    options: tuple[str, ...] = ()

    def text(self) -> str:
        """The file."""
        lines = []
        if self.searches:
            lines.append(f"search {' '.join(self.searches)}")
        lines.extend(f"nameserver {server}" for server in self.servers)
        if self.options:
            lines.append(f"options {' '.join(self.options)}")
        return "".join(f"{line}\n" for line in lines)

    def candidates(self, name: str) -> list[str]:
        """The absolute names that are tried for `name`, without the final dot."""
        if name.endswith("."):
            return [name.rstrip(".")]
        searched = [f"{name}.{domain}" for domain in self.searches]
        if name.count(".") >= self.ndots:
            return [name, *searched]
        return [*searched, name]


def resolver_of(pod: Object) -> Resolver:
    """The resolver that a kubelet gives a pod, by dnsPolicy and dnsConfig."""
    spec = pod["spec"]
    if spec.get("dnsPolicy") == "ClusterFirst" and not (
        "dnsConfig" in spec or spec.get("hostNetwork")
    ):
        return _usual(pod["metadata"]["namespace"])
    whole = _asked_for(pod)
    return whole._replace(
        servers=whole.servers[:_MOST_SERVERS], searches=whole.searches[:_MOST_SEARCHES]
    )


@lru_cache(maxsize=1024)
def _usual(namespace: str) -> Resolver:
    """What pods of a namespace get that ask for nothing in particular."""
    return _asked_for({"metadata": {"namespace": namespace}, "spec": {}})


def omissions(pod: Object) -> list[str]:
    """What the kubelet says of a pod that asks for more than a resolver takes."""
    whole, applied = _asked_for(pod), resolver_of(pod)
    said = []
    if whole.servers != applied.servers:
        said.append(
            "Nameserver limits were exceeded, some nameservers have been omitted, the applied "
            f"nameserver line is: {' '.join(applied.servers)}"
        )
    if whole.searches != applied.searches:
        said.append(
            "Search Line limits were exceeded, some search paths have been omitted, the applied "
            f"search line is: {' '.join(applied.searches)}"
        )
    return said


def _asked_for(pod: Object) -> Resolver:
    spec = pod["spec"]
    policy = spec.get("dnsPolicy", "ClusterFirst")
    if policy == "ClusterFirst" and spec.get("hostNetwork"):
        policy = "Default"
    servers: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    if policy in ("ClusterFirst", "ClusterFirstWithHostNet"):
        namespace = pod["metadata"]["namespace"]
        servers = (CLUSTER_DNS,)
        searches = (f"{namespace}.svc.{CLUSTER_DOMAIN}", f"svc.{CLUSTER_DOMAIN}", CLUSTER_DOMAIN)
        options = (f"ndots:{_CLUSTER_NDOTS}",)
    elif policy == "Default":
        servers = (NODE_DNS,)
    config = spec.get("dnsConfig") or {}
    servers = tuple(dict.fromkeys((*servers, *config.get("nameservers", ()))))
    searches = tuple(dict.fromkeys((*searches, *config.get("searches", ()))))
    options = _merged(options, config.get("options", ()))
    return Resolver(servers, searches, _ndots(options), options)


def hostname_of(pod: Object) -> str:
    """What a pod calls itself: its node when it is in the node's network."""
    spec = pod["spec"]
    if spec.get("hostNetwork"):
        return str(spec.get("nodeName", ""))
    # The kernel takes no more than 63 characters; a name does not end in a dash or dot.
    hostname = str(spec.get("hostname") or pod["metadata"]["name"])[:_HOSTNAME_SIZE].rstrip("-.")
    if spec.get("setHostnameAsFQDN") and spec.get("subdomain"):
        return f"{hostname}.{domain_of(pod)}"
    return hostname


def domain_of(pod: Object) -> str:
    """The domain of a pod with a subdomain; empty without one."""
    subdomain = pod["spec"].get("subdomain")
    return f"{subdomain}.{pod['metadata']['namespace']}.svc.{CLUSTER_DOMAIN}" if subdomain else ""


def hosts_of(world: World, pod: Object) -> dict[str, str]:
    """Name -> address as /etc/hosts of the pod has it."""
    spec, status = pod["spec"], pod.get("status", {})
    hosts = {"localhost": "127.0.0.1"}
    hostname = hostname_of(pod).partition(".")[0]
    if status.get("podIP") and not spec.get("hostNetwork"):
        hosts[hostname] = status["podIP"]
        if spec.get("subdomain"):
            hosts[f"{hostname}.{domain_of(pod)}"] = status["podIP"]
    for alias in spec.get("hostAliases", ()):
        for name in alias.get("hostnames", ()):
            hosts[name] = alias["ip"]
    if spec.get("hostNetwork"):
        node = world.store.get(Key("nodes", "", spec.get("nodeName", "")))
        if node is not None:
            hosts[node["metadata"]["name"]] = status.get("hostIP", "127.0.0.1")
    return hosts


def _merged(options: tuple[str, ...], more: list[Object] | tuple[()]) -> tuple[str, ...]:
    by_name = {option.partition(":")[0]: option for option in options}
    for option in more:
        value = option.get("value")
        by_name[option["name"]] = f"{option['name']}:{value}" if value else option["name"]
    return tuple(by_name.values())


def _ndots(options: tuple[str, ...]) -> int:
    for option in options:
        name, _, value = option.partition(":")
        if name == "ndots" and value.isdecimal():
            return int(value)
    return 1
