"""Access to the machines of a cluster: commands on hosts, and settings that can be read and made so."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

from sregym_core.errors import MissingCapabilityError, NodeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_core.interfaces.cluster import Cluster, CommandResult
    from sregym_core.model import Capability, Node
    from sregym_core.model.node_setting import NodeSetting

Blocks = tuple[tuple[int, int], ...]
S = TypeVar("S", bound="NodeSetting")


@dataclass(frozen=True)
class DiskBlocks:
    """Where a file lies.

    Attributes:
        node: On whose disk.
        disk: Its name in settings.
        blocks: Of 4 KiB, as (first, last) with both included.
    """

    node: str
    disk: str
    blocks: Blocks


@dataclass(frozen=True)
class BackEnd:
    """A way in which an access can make a setting so, on one node.

    Attributes:
        name: `strace`, `dm-error` ...
        why_not: Empty when a trial worked; else what was seen and what to do about it.
    """

    name: str
    why_not: str = ""


class NodeAccess(ABC):
    """The machines behind the nodes of a cluster.

    What fails raises `NodeError` (an error of the world, never an agent's). A node that the
    cluster does not have is such an error.
    """

    @abstractmethod
    def nodes(self) -> tuple[Node, ...]:
        """The machines, sorted by name, with role and zone."""

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[Capability]:
        """What this back end can do in principle; `examine` finds out whether a node allows it."""

    @abstractmethod
    def examine(self, node: str, capability: Capability) -> str:
        """Try a capability on a node, and undo the trial.

        Returns:
            Empty when it works; else what was seen and what to do about it.
        """

    @abstractmethod
    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run a command on the host, as root; waits for its end. No shell is between."""

    @abstractmethod
    def read(self, setting: S) -> S:
        """How the thing is now that a setting is about; its other fields are not looked at."""

    @abstractmethod
    def apply(self, setting: NodeSetting) -> None:
        """Make the thing as the setting says; nothing happens when it is so already.

        Returns when the host has it, not when its effect shows.
        """

    @abstractmethod
    def settings(self) -> tuple[NodeSetting, ...]:
        """All that is set and not neutral, on all nodes, sorted by key: the baseline of nodes."""

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """On which blocks of which disk a file lies that a container sees under this path.

        Args:
            namespace: Of the pod.
            pod: Its name.
            path: Of the file; empty for the one that stands for all that the main process keeps.
            container: Its name; empty for the first that keeps such a file.
        """
        msg = (
            f"this access to nodes cannot tell on which blocks {path} of pod {namespace}/{pod} lies"
        )
        raise NodeError(msg)

    def repairs(self, setting: NodeSetting) -> tuple[tuple[str, ...], ...]:
        """Commands on the host by which an engineer makes a thing as it was, as it is set now.

        Those of a machine differ with what it is set by there. Empty where this access does not know
        more than its caller.

        Args:
            setting: Which thing; what it is set to is not looked at.
        """
        return ()

    def back_ends(
        self, node: str, settings: Sequence[NodeSetting]
    ) -> tuple[tuple[BackEnd, ...], ...]:
        """By which back ends each setting can be made so on a node, best first, found by trial.

        By default one, named after the capability; none where the access lacks that.
        """
        return tuple(self._usual(node, setting.capability) for setting in settings)

    def _usual(self, node: str, capability: Capability) -> tuple[BackEnd, ...]:
        if capability not in self.capabilities:
            return ()
        return (BackEnd(str(capability), self.examine(node, capability)),)

    def state(self) -> Mapping[str, str]:
        """Digests of `settings`, by key: two equal answers mean two equal configurations."""
        return {setting.key: _digest(setting) for setting in self.settings()}


def _digest(setting: NodeSetting) -> str:
    text = json.dumps(setting.model_dump(mode="json"), sort_keys=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def node_access(cluster: Cluster, needs: Iterable[Capability] = (), whose: str = "") -> NodeAccess:
    """The access to a cluster's nodes, when it has what is needed.

    Args:
        cluster: Whose nodes.
        needs: Capabilities without which the caller can do nothing.
        whose: Who needs them, for the error: `fault 'node-kubelet-stopped'`.

    Raises:
        MissingCapabilityError: The cluster has no access to its nodes, or not all that is needed.
    """
    access, wanted = cluster.nodes, sorted(needs)
    who = whose or "this"
    if access is None:
        what = ", ".join(wanted) or "access to nodes"
        msg = f"{who} needs {what}, and this cluster gives no access to its nodes"
        raise MissingCapabilityError(msg)
    missing = [capability for capability in wanted if capability not in access.capabilities]
    if missing:
        msg = f"{who} needs {', '.join(missing)}, which the access to this cluster's nodes lacks"
        raise MissingCapabilityError(msg)
    return access


def restore_settings(access: NodeAccess, baseline: Iterable[NodeSetting]) -> None:
    """Make everything that is set on nodes as it was: what differs, and what is new."""
    before = {setting.key: setting for setting in baseline}
    now = {setting.key: setting for setting in access.settings()}
    for key in sorted(now.keys() - before.keys()):
        access.apply(now[key].neutral())
    for key in sorted(before):
        if now.get(key) != before[key]:
            access.apply(before[key])
