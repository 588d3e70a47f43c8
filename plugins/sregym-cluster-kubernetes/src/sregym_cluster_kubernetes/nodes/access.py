"""Access to the machines of a real cluster, by whichever way leads to them."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import BackEnd, DiskBlocks, NodeAccess
from sregym_core.model import Capability, Node, ObjectRef
from sregym_kubernetes.node_settings import (
    CpuUse,
    Daemon,
    DiskFill,
    DiskReadOnly,
    KubeletField,
    MemoryUse,
)
from sregym_kubernetes.operations.nodes import nodes_of

from sregym_cluster_kubernetes.nodes.agents import Agents
from sregym_cluster_kubernetes.nodes.asks import CAPABILITIES, KINDS
from sregym_cluster_kubernetes.nodes.recipes import RECIPES, TRIALS, parameters_in
from sregym_cluster_kubernetes.nodes.transports import (
    DockerExec,
    Here,
    PrivilegedPod,
    Ssh,
    UnreachedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import NodeSetting

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
_CAPABILITIES = frozenset(
    {Capability.COMMANDS, *CAPABILITIES, *(kind.capability for kind in RECIPES)}
)


class HostNodes(NodeAccess):
    """Settings by recipes of host commands.

    Args:
        cluster: The cluster of the nodes.
        transport: The way to their hosts.
    """

    def __init__(self, cluster: Cluster | None, transport: Transport) -> None:
        self._cluster = cluster
        self._transport = transport
        self._agents = Agents(cluster, self.run, _owner(), renewed=not transport.under_kubelet)

    def nodes(self) -> tuple[Node, ...]:
        """Those of the API."""
        assert self._cluster is not None, "this machine knows its own"
        return nodes_of(self._cluster)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What there are recipes for, and what an agent on the node does."""
        return _CAPABILITIES

    def examine(self, node: str, capability: Capability) -> str:
        """Run harmless commands of the same kind there."""
        if self._transport.under_kubelet and capability in _OF_KUBELET:
            self._check(node)
            return _under(node)
        kinds = [kind for kind in RECIPES if kind.capability is capability]
        try:
            self._check(node)
            if capability in CAPABILITIES and (not kinds or self._agents.run_on(node)):
                return self._agents.examine(node, capability)
        except NodeError as error:
            return str(error)
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
        """Read by the setting's recipe, or as the agent on the node has it."""
        if self._is_agents(setting):
            return self._agents.read(setting)
        found: S = RECIPES[self._kind(setting)].read(self._said, setting)
        return found

    def apply(self, setting: NodeSetting) -> None:
        """Write by the setting's recipe, or let the agent do it, unless it is so already."""
        if self.read(setting) == setting:
            return
        if self._is_agents(setting):
            self._agents.apply(setting)
            return
        if self._transport.under_kubelet and _stops_kubelet(setting):
            raise NodeError(_under(setting.nodes[0]))
        RECIPES[self._kind(setting)].write(self._said, setting)
        after = self.read(setting)
        if after != setting:
            msg = f"{setting.key!r} was set, but the host says otherwise: {after.model_dump()}"
            raise NodeError(msg)

    def settings(self) -> tuple[NodeSetting, ...]:
        """What can be read of each node: neither things that one does not have, nor nodes out of reach."""
        found: dict[str, NodeSetting] = {}
        for node in self.nodes():
            with suppress(UnreachedError):
                found |= {one.key: one for one in self._settings_of(node.name)}
        return tuple(found[key] for key in sorted(found))

    def _settings_of(self, node: str) -> Iterator[NodeSetting]:
        # All at once: each command costs a login, or a pod.
        yield from parameters_in(node, self.run(node, ("sysctl", *SYSCTLS)).stdout, SYSCTLS)
        for setting in _baseline_of(node):
            if self._is_agents(setting):
                continue
            try:
                value = self.read(setting)
            except UnreachedError:
                raise
            except NodeError:
                continue
            if not value.is_neutral:
                yield value
        yield from self._agents.settings(node)

    def back_ends(
        self, node: str, settings: Sequence[NodeSetting]
    ) -> tuple[tuple[BackEnd, ...], ...]:
        """Those of the agent by trial; a recipe is one by the name of its capability."""
        self._check(node)
        mine = [setting for setting in settings if self._is_agents(setting)]
        tried = iter(self._agents.back_ends(node, mine))
        return tuple(
            next(tried) if setting in mine else self._by_recipe(node, setting)
            for setting in settings
        )

    def _by_recipe(self, node: str, setting: NodeSetting) -> tuple[BackEnd, ...]:
        found = self._usual(node, setting.capability)
        if not found or found[0].why_not:
            return found
        try:
            self.read(setting)
        except NodeError as error:
            return (BackEnd(found[0].name, str(error)),)
        return found

    def _is_agents(self, setting: NodeSetting) -> bool:
        """Whether the agent sees to it; what there is a recipe for goes on nodes without Python, too."""
        if not isinstance(setting, KINDS) or not setting.nodes:
            return False
        node = setting.nodes[0]
        self._check(node)
        return type(setting) not in RECIPES or self._agents.run_on(node)

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """Where a file lies, as the agent on its node finds it."""
        return self._agents.blocks_of(namespace, pod, path, container)

    def repairs(self, setting: NodeSetting) -> tuple[tuple[str, ...], ...]:
        """As the agent on the node says of the back end that it took."""
        return self._agents.repairs(setting) if self._is_agents(setting) else ()

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


def _owner() -> str:
    """A word for the changes of this user of this machine that says nothing of whose they are.

    A later process of the same user can undo what an earlier one left.
    """
    return blake2b(f"{socket.gethostname()} {os.getuid()}".encode(), digest_size=4).hexdigest()


class ThisMachine(HostNodes):
    """The machine that this program runs on, without a cluster."""

    def __init__(self) -> None:
        super().__init__(None, Here())

    def nodes(self) -> tuple[Node, ...]:
        """One, by its own name."""
        return (Node(name=socket.gethostname()),)


def access_to(
    cluster: Cluster, way: str, ssh_user: str = "root", ssh_config: str = ""
) -> HostNodes | None:
    """Access by the way of an option; None for `none`."""
    if way == "none":
        return None
    if way == "pod":
        return HostNodes(cluster, PrivilegedPod(cluster))
    if way == "ssh":
        return HostNodes(
            cluster, Ssh(lambda node: _address(cluster, node), ssh_user, config=ssh_config)
        )
    if way == "local":
        return HostNodes(cluster, Here())
    return HostNodes(cluster, DockerExec(way))


def _address(cluster: Cluster, node: str) -> str:
    """Where a node is reached: its external address, else its internal one, else its name."""
    obj = cluster.get(ObjectRef(api_version="v1", kind="Node", name=node)) or {}
    addresses = (obj.get("status") or {}).get("addresses") or ()
    known = {entry["type"]: str(entry["address"]) for entry in addresses}
    return known.get("ExternalIP") or known.get("InternalIP") or node


def _baseline_of(node: str) -> Iterator[NodeSetting]:
    for daemon in ("kubelet", "container-runtime"):
        yield Daemon.model_validate({"node": node, "daemon": daemon})
    yield CpuUse(node=node)
    yield MemoryUse(node=node)
    yield DiskFill(node=node)
    yield DiskReadOnly(node=node)
