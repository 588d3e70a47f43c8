"""Access to the machines of a real cluster, by whichever way leads to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import NodeAccess
from sregym_core.interfaces.node_objects import nodes_of
from sregym_core.model import (
    Capability,
    CpuUse,
    Daemon,
    DiskFill,
    DiskReadOnly,
    KubeletField,
    MemoryUse,
    ObjectRef,
    Sysctl,
)

from sregym_cluster_kubernetes.nodes.recipes import RECIPES, TRIALS
from sregym_cluster_kubernetes.nodes.transports import DockerExec, PrivilegedPod, Ssh

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import Node, NodeSetting

    from sregym_cluster_kubernetes.nodes.transports import Transport

# What the baseline of a node holds: parameters that faults and engineers change.
SYSCTLS = (
    "fs.file-max",
    "fs.inotify.max_user_instances",
    "kernel.pid_max",
    "net.ipv4.ip_forward",
    "net.ipv4.ip_local_port_range",
    "net.netfilter.nf_conntrack_max",
)
_OF_KUBELET = (Capability.DAEMONS, Capability.KUBELET_CONFIGURATION)
_CAPABILITIES = frozenset({Capability.COMMANDS, *(kind.capability for kind in RECIPES)})


class HostNodes(NodeAccess):
    """Settings by recipes of host commands.

    Args:
        cluster: Whose nodes.
        transport: The way to their hosts.
    """

    def __init__(self, cluster: Cluster, transport: Transport) -> None:
        self._cluster = cluster
        self._transport = transport

    def nodes(self) -> tuple[Node, ...]:
        """Those of the API."""
        return nodes_of(self._cluster)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What there are recipes for."""
        return _CAPABILITIES

    def examine(self, node: str, capability: Capability) -> str:
        """Run harmless commands of the same kind there."""
        if self._transport.under_kubelet and capability in _OF_KUBELET:
            self._check(node)
            return _under(node)
        kinds = [kind for kind in RECIPES if kind.capability is capability]
        trials = [trial for kind in kinds for trial in TRIALS[kind]] or [("true",)]
        for trial in trials:
            try:
                done = self.run(node, trial)
            except NodeError as error:
                return str(error)
            if not done.ok:
                said = (done.stderr or done.stdout).strip()
                command = " ".join(trial)
                return f"node {node!r}: {command!r} ended with {done.exit_code}: {said}"
        return ""

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run a command on a host."""
        self._check(node)
        return self._transport.run(node, argv, stdin)

    def read(self, setting: S) -> S:
        """Read by the setting's recipe."""
        found: S = RECIPES[self._kind(setting)].read(self._said, setting)
        return found

    def apply(self, setting: NodeSetting) -> None:
        """Write by the setting's recipe, unless it is so already."""
        if self.read(setting) == setting:
            return
        if self._transport.under_kubelet and _stops_kubelet(setting):
            raise NodeError(_under(setting.nodes[0]))
        RECIPES[self._kind(setting)].write(self._said, setting)
        after = self.read(setting)
        if after != setting:
            msg = f"{setting.key!r} was set, but the host says otherwise: {after.model_dump()}"
            raise NodeError(msg)

    def settings(self) -> tuple[NodeSetting, ...]:
        """What can be read of each node; a thing that a node does not have is left out."""
        found: dict[str, NodeSetting] = {}
        for node in self.nodes():
            for setting in _baseline_of(node.name):
                try:
                    value = self.read(setting)
                except NodeError:
                    continue
                if not value.is_neutral:
                    found[value.key] = value
        return tuple(found[key] for key in sorted(found))

    def _said(self, node: str, argv: Sequence[str], stdin: str = "") -> str:
        done = self.run(node, argv, stdin)
        if not done.ok:
            said, command = (done.stderr or done.stdout).strip(), " ".join(argv)
            msg = f"on node {node!r} {command!r} ended with {done.exit_code}: {said}"
            raise NodeError(msg)
        return done.stdout

    def _kind(self, setting: NodeSetting) -> type[NodeSetting]:
        if type(setting) not in RECIPES:
            msg = f"there is no recipe for {setting.capability} on this cluster ({setting.key!r})"
            raise NodeError(msg)
        return type(setting)

    def _check(self, node: str) -> None:
        known = [entry.name for entry in self.nodes()]
        if node not in known:
            msg = f"the cluster has no node {node!r}; it has: {', '.join(known) or 'none'}"
            raise NodeError(msg)


def _stops_kubelet(setting: NodeSetting) -> bool:
    if isinstance(setting, Daemon):
        return setting.daemon in ("kubelet", "container-runtime")
    return isinstance(setting, KubeletField)


def _under(node: str) -> str:
    return (
        f"node {node!r}: kubelet and container runtime cannot be changed by a pod that runs under "
        "them; give another way to nodes (option nodes=ssh or nodes=docker)"
    )


def access_to(cluster: Cluster, way: str, ssh_user: str = "root") -> HostNodes | None:
    """Access by the way of an option; None for `none`."""
    if way == "none":
        return None
    if way == "pod":
        return HostNodes(cluster, PrivilegedPod(cluster))
    if way == "ssh":
        return HostNodes(cluster, Ssh(lambda node: _address(cluster, node), ssh_user))
    return HostNodes(cluster, DockerExec(way))


def _address(cluster: Cluster, node: str) -> str:
    """Where a node is reached: its external address, else its internal one, else its name."""
    obj = cluster.get(ObjectRef(api_version="v1", kind="Node", name=node)) or {}
    addresses = (obj.get("status") or {}).get("addresses") or ()
    known = {entry["type"]: str(entry["address"]) for entry in addresses}
    return known.get("ExternalIP") or known.get("InternalIP") or node


def _baseline_of(node: str) -> Iterator[NodeSetting]:
    for name in SYSCTLS:
        yield Sysctl(node=node, name=name)
    for daemon in ("kubelet", "container-runtime"):
        yield Daemon.model_validate({"node": node, "daemon": daemon})
    yield CpuUse(node=node)
    yield MemoryUse(node=node)
    yield DiskFill(node=node)
    yield DiskReadOnly(node=node)
