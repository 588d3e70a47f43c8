"""The machines of a cluster in memory: settings are kept, and nothing follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import DiskBlocks, NodeAccess
from sregym_core.model import Capability, Node
from sregym_kubernetes.node_settings import DiskFill

from sregym_testing.memory.host import run_on_small_host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sregym_core.interfaces import CommandResult
    from sregym_core.interfaces.nodes import S
    from sregym_core.model import NodeSetting

    OnHost = Callable[[str, Sequence[str], str], CommandResult]


class MemoryNodes(NodeAccess):
    """Settings by key.

    Args:
        nodes: The machines.
        lacks: Capabilities that this access does not have.

    Attributes:
        executor: What answers `run`, given node, command and stdin, instead of the few commands of
            `sregym_testing.memory.host`.
    """

    def __init__(self, nodes: Sequence[Node], lacks: Iterable[Capability] = ()) -> None:
        self.executor: OnHost | None = None
        self._nodes = tuple(sorted(nodes, key=lambda node: node.name))
        self._lacks = frozenset(lacks)
        self._settings: dict[str, NodeSetting] = {}
        self._files: dict[tuple[str, str], int] = {}

    def nodes(self) -> tuple[Node, ...]:
        """As given."""
        return self._nodes

    @property
    def capabilities(self) -> frozenset[Capability]:
        """All but those that a test took away."""
        return frozenset(Capability) - self._lacks

    def examine(self, node: str, capability: Capability) -> str:
        """Nothing stands in the way of what there is."""
        self._known(node)
        if capability in self.capabilities:
            return ""
        return f"node {node!r}: this cluster in memory was made without {capability}"

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Ask the executor."""
        self._known(node)
        if self.executor is not None:
            return self.executor(node, argv, stdin)
        return run_on_small_host(self, self._files, node, argv)

    def read(self, setting: S) -> S:
        """What was applied last, neutral before."""
        for node in setting.nodes:
            self._known(node)
        kept = self._settings.get(setting.key)
        if isinstance(setting, DiskFill):
            files = sum(size for (node, _), size in self._files.items() if node == setting.node)
            own = kept.taken_bytes if isinstance(kept, DiskFill) else 0
            return setting.model_copy(update={"taken_bytes": own + files})
        return setting.neutral() if kept is None else type(setting)(**kept.model_dump())

    def apply(self, setting: NodeSetting) -> None:
        """Keep it."""
        for node in setting.nodes:
            self._known(node)
        if setting.capability not in self.capabilities:
            msg = f"this cluster in memory was made without {setting.capability}"
            raise NodeError(msg)
        if setting.is_neutral:
            self._settings.pop(setting.key, None)
        else:
            self._settings[setting.key] = setting

    def settings(self) -> tuple[NodeSetting, ...]:
        """What was applied and is not neutral."""
        full = [self.read(DiskFill(node=node)) for node, _ in self._files]
        found = {**self._settings, **{setting.key: setting for setting in full}}
        return tuple(found[key] for key in sorted(found))

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """All files of all pods lie in one place, on the first node."""
        return DiskBlocks(self._nodes[0].name, "root", ((1000, 1999),))

    def copy(self) -> MemoryNodes:
        """The same machines, which go on by themselves."""
        copied = MemoryNodes(self._nodes, self._lacks)
        copied.executor = self.executor
        copied._settings = dict(self._settings)
        copied._files = dict(self._files)
        return copied

    def _known(self, node: str) -> None:
        names = [known.name for known in self._nodes]
        if node not in names:
            msg = f"the cluster has no node {node!r}; it has: {', '.join(names) or 'none'}"
            raise NodeError(msg)
