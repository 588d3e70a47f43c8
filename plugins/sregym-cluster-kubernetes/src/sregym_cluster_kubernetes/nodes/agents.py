"""Settings below the API by an agent on the node: system calls, disks, neighbours."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sregym_core.errors import NodeError
from sregym_core.interfaces import BackEnd, DiskBlocks
from sregym_core.model import Capability, ObjectRef
from sregym_kubernetes.node_settings import DiskUse, NetworkUse, SystemCall, parse_setting
from sregym_nodes.bundle import FOLDER
from sregym_nodes.remote import LEASE_S, AgentError, NodeAgent
from sregym_nodes.renewal import Renewal

from sregym_cluster_kubernetes.nodes.asks import CAPABILITIES, KINDS, ask_of, scope_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import NodeSetting

# What a capability is tried with where no setting is given.
_TRIALS: dict[Capability, dict[str, Any]] = {
    Capability.SYSCALLS: {"kind": "calls", "call": "read", "error": "EIO"},
    Capability.RUNTIME_SYSCALLS: {"kind": "calls", "call": "mmap", "error": "ENOMEM"},
    Capability.EVERY_SYSCALL: {"kind": "calls", "call": "mmap", "error": "ENOMEM"},
    Capability.DISK_BAD_BLOCKS: {"kind": "disk", "mode": "bad"},
    Capability.DISK_CORRUPTION: {"kind": "disk", "mode": "corrupt"},
    Capability.DISK_DELAY: {"kind": "disk", "mode": "slow"},
    Capability.DISK_ERRORS: {"kind": "disk", "mode": "flaky"},
    Capability.DISK_USE: {"kind": "load", "what": "disk"},
    Capability.NETWORK_USE: {"kind": "load", "what": "network"},
    Capability.LINKS: {"kind": "link"},
    Capability.CPU: {"kind": "load", "what": "cpu"},
    Capability.MEMORY: {"kind": "load", "what": "memory"},
}
_KUBELET = "/var/lib/kubelet"
_LONG_LEASE_S = 4 * 3600.0


_AGENT = "agent"


class Agents:
    """An agent on each node, sent there when it is first needed.

    Args:
        cluster: The cluster of the nodes; None for this machine without a cluster.
        run: Runs a command on a node's host.
        owner: Whose changes these are: the same for all that belong together.
        renewed: Whether changes are renewed while this process runs; else they last for hours, since
            the way to nodes leaves traces each time.
    """

    kinds = KINDS
    capabilities = CAPABILITIES

    def __init__(
        self,
        cluster: Cluster | None,
        run: Callable[..., CommandResult],
        owner: str,
        *,
        renewed: bool = True,
    ) -> None:
        self._cluster = cluster
        self._run = run
        self._owner = owner
        self._agents: dict[str, NodeAgent] = {}
        self._python: dict[str, bool] = {}
        self._lease_s = LEASE_S if renewed else _LONG_LEASE_S
        self._renewal = Renewal(LEASE_S / 3) if renewed else None

    def examine(self, node: str, capability: Capability) -> str:
        """Try what it needs there; empty when one back end works."""
        ask = {"key": "trial", **_TRIALS[capability]}
        try:
            (found,) = self._agent(node).examine([ask])
        except AgentError as error:
            return str(error)
        if not all(found.values()):
            return ""
        return f"node {node!r}: " + "; ".join(f"{name}: {why}" for name, why in found.items())

    def run_on(self, node: str) -> bool:
        """Whether the node has what an agent needs."""
        if node not in self._python:
            look = "import sys; sys.exit(sys.version_info < (3, 9))"
            self._python[node] = self._run(node, ("python3", "-c", look)).ok
        return self._python[node]

    def back_ends(
        self, node: str, settings: Sequence[NodeSetting]
    ) -> tuple[tuple[BackEnd, ...], ...]:
        """Try each, but for whom or which device it is about."""
        asks = [_asked(setting) for setting in settings]
        wanted = [ask for ask in asks if not isinstance(ask, str)]
        try:
            tried = iter(self._agent(node).examine(wanted))
        except AgentError as error:
            return tuple((BackEnd(_AGENT, str(error)),) for _ in settings)
        return tuple(
            (BackEnd(_AGENT, ask),)
            if isinstance(ask, str)
            else tuple(BackEnd(name, why) for name, why in next(tried).items())
            for ask in asks
        )

    def read(self, setting: S) -> S:
        """As it was applied, if it stands."""
        for found in self._standing(setting.nodes[0]):
            if found.key == setting.key and isinstance(found, type(setting)):
                return found
        return setting.neutral()

    def repairs(self, setting: NodeSetting) -> tuple[tuple[str, ...], ...]:
        """How an engineer undoes it by hand; nothing where it does not stand."""
        return tuple(
            tuple(argv)
            for change in self._changes(setting.nodes[0])
            if change["key"] == setting.key
            for argv in change["repair"]
        )

    def apply(self, setting: NodeSetting) -> None:
        """Ask the agent for it, or to undo it.

        Raises:
            NodeError: It refused; nothing is changed then.
        """
        node = setting.nodes[0]
        try:
            if setting.is_neutral:
                self._agent(node).undo(setting.key)
            else:
                self._agent(node).apply({**ask_of(setting), **self._about(node, setting)})
                if self._renewal is not None:
                    self._renewal.see_to(self._agent(node))
        except AgentError as error:
            raise NodeError(str(error)) from error

    def settings(self, node: str) -> tuple[NodeSetting, ...]:
        """All that stands on a node; a node that never had an agent is not given one."""
        if node not in self._agents and not self._run(node, ("ls", f"{FOLDER}/held")).stdout:
            return ()
        return self._standing(node)

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """Where a file lies; the agent looks through the eyes of the container's process.

        Raises:
            NodeError: There is no such pod, or its volume lies where nothing can be put below it.
        """
        ref = ObjectRef(api_version="v1", kind="Pod", namespace=namespace, name=pod)
        found = self._cluster.get(ref) if self._cluster is not None else None
        if found is None:
            msg = f"there is no pod {namespace}/{pod}; its file {path!r} cannot be looked for"
            raise NodeError(msg)
        node = str(found["spec"].get("nodeName", ""))
        scope = {"pods": [str(found["metadata"]["uid"])]}
        if container:
            scope["container"] = container  # type: ignore[assignment]
        try:
            where = self._agent(node).ask("locate", {"path": path, "scope": scope})
        except AgentError as error:
            raise NodeError(str(error)) from error
        return DiskBlocks(node, where["device"], tuple((a, b) for a, b in where["blocks"]))

    def _about(self, node: str, setting: NodeSetting) -> dict[str, Any]:
        """Whose processes, which device."""
        if isinstance(setting, SystemCall):
            assert self._cluster is not None, "settings of pods are of a cluster"
            return {"scope": scope_of(self._cluster, setting)}
        if isinstance(setting, NetworkUse):
            route = self._run(node, ("ip", "route", "show", "default")).stdout.split()
            words = dict(pairwise(route))
            return {"device": words.get("dev", "lo"), "to": words.get("via", "127.0.0.1")}
        disk = str(getattr(setting, "disk", ""))
        if not disk or isinstance(setting, DiskUse):
            return {}
        if disk == "root":
            where = self._agent(node).ask("locate", {"path": _KUBELET, "whole": True})
            return {"device": where["device"]}
        return {"device": disk}

    def _standing(self, node: str) -> tuple[NodeSetting, ...]:
        return tuple(parse_setting(one["ask"]["setting"]) for one in self._changes(node))

    def _changes(self, node: str) -> list[Mapping[str, Any]]:
        """What stands of this owner's."""
        try:
            changes = self._agent(node).changes()
        except AgentError as error:
            raise NodeError(str(error)) from error
        return [one for one in changes if one["owner"] == self._owner and one["stands"]]

    def _agent(self, node: str) -> NodeAgent:
        if node not in self._agents:

            def way(argv: Sequence[str], stdin: str = "") -> CommandResult:
                return self._run(node, argv, stdin)

            self._agents[node] = NodeAgent(node, way, self._owner, self._lease_s)
        return self._agents[node]


def _asked(setting: NodeSetting) -> dict[str, Any] | str:
    """What the agent is asked for a setting; or why it cannot be."""
    try:
        return ask_of(setting)
    except NodeError as error:
        return str(error)
