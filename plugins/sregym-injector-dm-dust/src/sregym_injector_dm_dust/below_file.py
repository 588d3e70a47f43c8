"""Faults in blocks of a disk that lie below a file of a datastore."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.errors import TargetError
from sregym_core.interfaces import Command, Fault, FaultContext, node_access
from sregym_core.model import Check, Node, TargetKind
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.node_fitting import runs_no_store
from sregym_injectors.nodes import NodeEdits, current, on_host, repairs
from sregym_injectors.pods import not_terminating, pods_of
from sregym_injectors.pressure import after_pressure, restart_store
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.interfaces import DiskBlocks
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_kubernetes.node_settings import DiskBadBlocks, DiskCorruption


class SectorParameters(BaseModel):
    """Parameters.

    Attributes:
        blocks: Of 4 KiB that are affected, one after the other.
        restart: Whether the server begins anew, and so reads them, at once, and its clients with
            it; else it meets them when it next reads there.
        file: As the container of the datastore sees it; empty for the one that stands for all it keeps.
    """

    model_config = ConfigDict(extra="forbid")

    restart: bool = True
    blocks: int = Field(default=4, ge=1)
    file: str = ""


class BelowFile(Fault):
    """Base of faults in some blocks below a file of a datastore.

    Attributes:
        setting: What holds such blocks of a node.
        repair: Command on the host that makes them whole.
        harm: What they do, as the end of a sentence whose subject they are.
        expected: What holds of a disk, whose node follows, when all is well.
    """

    layer: ClassVar[str] = "hardware"
    Parameters: ClassVar[type[SectorParameters]] = SectorParameters
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.NODE,)
    breaks: ClassVar[TargetKind | None] = TargetKind.COMPONENT  # one file of what runs there
    setting: ClassVar[type[DiskBadBlocks] | type[DiskCorruption]]
    repair: ClassVar[tuple[str, ...]]
    harm: ClassVar[str]
    expected: ClassVar[str]

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        # What a container keeps in its own layer is elsewhere when it starts again.
        return runs_no_store(target, on_volume=True)

    @override
    def settings_on(self, node: str) -> tuple[DiskBadBlocks | DiskCorruption, ...]:
        return (self.setting(node=node, blocks=((0, 0),)),)

    @override
    def inject(self, context: FaultContext) -> None:
        pod = self._pod(context)
        lies = _lies(context, pod)
        found = self.setting(node=context.node.name, disk=lies.disk)
        known = current(context, found).blocks
        wanted = (*known, _chosen(context, lies))
        NodeEdits(context).apply(found.model_copy(update={"blocks": wanted}))
        if context.parameters.restart:
            # What stands in the page cache, or in the memory of the server, hides them.
            stop = ("crictl", "stop", _container(context, pod))
            NodeEdits(context).run(context.node.name, stop, undo=("true",))
            # So does what its clients have loaded.
            component = context.node.component
            assert component is not None, "a pod was found for it"
            restart_rollout(Edits(context), scope.clients(context.application, component))

    @override
    def present(self, context: FaultContext) -> Check:
        node = context.node.name
        blocks = [pair for one in self._standing(context) for pair in one.blocks]
        bad = [f"blocks {first} to {last} of node {node} {self.harm}" for first, last in blocks]
        return defect_check(f"{self.expected} of node {node}", bad)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        found = repairs(context, self._standing(context), (self.repair,))
        repair = (on_host(context, argv) for argv in found)
        return (*repair, *restart_store(context), *after_pressure(context, "Ready"))

    def _standing(self, context: FaultContext) -> list[DiskBadBlocks | DiskCorruption]:
        """On whichever disk of the node: volumes may have their own."""
        access, node = context.cluster.nodes, context.node.name
        standing = () if access is None else access.settings()
        return [one for one in standing if isinstance(one, self.setting) and one.node == node]

    def _pod(self, context: FaultContext) -> KubeObject:
        """The pod of the datastore on the node."""
        node, component = context.node, context.node.component
        workload = None if component is None else context.cluster.get(component.workload)
        pods = [] if workload is None else not_terminating(pods_of(context.cluster, workload))
        for pod in pods:
            if pod["spec"].get("nodeName") == node.name:
                return pod
        whose = "a datastore" if component is None else component.name
        msg = (
            f"{self.name}: no pod of {whose} runs on node {node.name!r}; "
            "target a node that runs one"
        )
        raise TargetError(msg)


def _container(context: FaultContext, pod: KubeObject) -> str:
    """The identity by which the runtime knows the container that serves."""
    component = context.node.component
    assert component is not None, "a pod was found for it"
    for status in pod.get("status", {}).get("containerStatuses") or ():
        if status["name"] == component.container:
            return str(status.get("containerID", "")).rpartition("/")[2]
    return ""


def _lies(context: FaultContext, pod: KubeObject) -> DiskBlocks:
    """Where the file lies."""
    name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
    return node_access(context.cluster).blocks_of(namespace, name, context.parameters.file)


def _chosen(context: FaultContext, lies: DiskBlocks) -> tuple[int, int]:
    """The blocks that go bad: somewhere in the file, as the seed has it."""
    first, last = lies.blocks[0]
    chance = Random(f"sectors below a file, seed {context.seed}")  # noqa: S311 - a game, no secret
    begin = chance.randint(first, max(first, last + 1 - context.parameters.blocks))
    return begin, min(last, begin + context.parameters.blocks - 1)
