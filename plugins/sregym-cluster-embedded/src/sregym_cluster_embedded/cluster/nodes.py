"""Access to the machines of a world: commands on hosts, and settings that are plain state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import CommandResult, DiskBlocks, NodeAccess
from sregym_core.model import Capability, Node
from sregym_kubernetes.operations.nodes import CONTROL_PLANE, ZONE

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.cluster import file_blocks
from sregym_cluster_embedded.cluster.node_settings import SETTINGS, all_settings
from sregym_cluster_embedded.userland.host.hosts import run_on_host

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces.nodes import S
    from sregym_core.model import NodeSetting

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.world import World

# What is simulated.
CAPABILITIES = frozenset(
    {
        Capability.COMMANDS,
        Capability.RUNTIME_SYSCALLS,
        *(Capability(kind.capability) for kind in SETTINGS),
    }
)


class EmbeddedNodes(NodeAccess):
    """The machines of a world.

    Args:
        live: The world.
    """

    def __init__(self, live: LiveWorld) -> None:
        self._live = live

    def nodes(self) -> tuple[Node, ...]:
        """The machines that have a Node object, sorted by name."""
        with self._live.open() as world:
            labels = {
                obj["metadata"]["name"]: obj["metadata"].get("labels") or {}
                for obj in world.store.list("nodes")
            }
            names = sorted(entry.name for entry in machines.machines(world))
        return tuple(
            Node(
                name=name,
                role="control-plane" if CONTROL_PLANE in labels[name] else "worker",
                zone=labels[name].get(ZONE, ""),
            )
            for name in names
            if name in labels
        )

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What is simulated."""
        return CAPABILITIES

    def examine(self, node: str, capability: Capability) -> str:
        """Whether it is simulated, and whether the machine runs."""
        with self._live.open() as world:
            _check(world, node)
            present = machines.machine(world, node)
        if capability not in self.capabilities:
            return f"node {node!r}: {capability} is not simulated"
        if present is not None and not present.powered and capability is not Capability.POWER:
            return f"node {node!r} is off; switch it on first"
        return ""

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        """Run a command as root on a host."""
        with self._live.open() as world:
            _check(world, node)
            try:
                done = run_on_host(world, node, tuple(argv), stdin)
            except LookupError as error:
                raise NodeError(str(error)) from error
        if done.error:
            return CommandResult(127, done.stdout, f"{done.error}\n")
        return CommandResult(done.exit_code, done.stdout, done.stderr)

    def blocks_of(self, namespace: str, pod: str, path: str, container: str = "") -> DiskBlocks:
        """Where a file lies on the root disk."""
        with self._live.open() as world:
            return file_blocks.blocks_of(world, namespace, pod, path, container)

    def read(self, setting: S) -> S:
        """How a thing is."""
        with self._live.open() as world:
            return _read(world, setting)

    def apply(self, setting: NodeSetting) -> None:
        """Change the world's state; symptoms follow."""
        with self._live.open() as world:
            if _read(world, setting) == setting:
                return
            SETTINGS[type(setting)].write(world, setting)
            after = _read(world, setting)
        if after != setting:
            wanted, got = setting.model_dump(mode="json"), after.model_dump(mode="json")
            wrong = ", ".join(
                f"{field} is {got[field]!r} and not {wanted[field]!r}"
                for field in wanted
                if wanted[field] != got[field]
            )
            msg = f"{setting.key!r} could not be set: {wrong}"
            raise NodeError(msg)

    def settings(self) -> tuple[NodeSetting, ...]:
        """All that is not as it was when the machines came, sorted by key."""
        with self._live.open() as world:
            found = [_read(world, setting) for setting in all_settings(world)]
        changed = {setting.key: setting for setting in found if not setting.is_neutral}
        return tuple(changed[key] for key in sorted(changed))


def _read(world: World, setting: S) -> S:
    for node in setting.nodes:
        _check(world, node)
    kind = SETTINGS.get(type(setting))
    if kind is None:
        msg = f"{setting.capability} is not simulated ({setting.key!r})"
        raise NodeError(msg)
    found: S = kind.read(world, setting)
    return found


def _check(world: World, node: str) -> None:
    if machines.machine(world, node) is None:
        known = ", ".join(sorted(entry.name for entry in machines.machines(world)))
        msg = f"the cluster has no machine {node!r}; it has: {known}"
        raise NodeError(msg)
