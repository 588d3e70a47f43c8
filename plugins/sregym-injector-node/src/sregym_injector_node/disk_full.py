"""A file that is not rotated fills the disk of a node."""

from __future__ import annotations

from random import Random
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.errors import NodeError
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Capability, Change, Check, GroundTruth, Node, TargetKind
from sregym_injectors.defects import defect_check
from sregym_injectors.node_fitting import runs_nothing_that_matters
from sregym_injectors.nodes import NodeEdits, from_another_node, read_from_node, truth_on_node
from sregym_injectors.pressure import after_pressure
from typing_extensions import override

_FOLDER = "/var/log"
_NAMES = ("audit.log.1", "containerd.debug.log", "kern.log.1", "tcpdump.pcap", "trace.out")
# Kubelets call a disk short below 15 % for images and 10 % for the rest.
_SHORT = 0.15
_KIB = 1024


class DiskParameters(BaseModel):
    """How full the disk becomes."""

    model_config = ConfigDict(extra="forbid")

    used: float = Field(default=0.97, gt=0.85, lt=1)


class NodeDiskFull(Fault):
    """Fills the root disk of a node with a file among its logs."""

    name: ClassVar[str] = "node-disk-full"
    title: ClassVar[str] = "Disk of a node is full"
    layer: ClassVar[str] = "os"
    Parameters: ClassVar[type[DiskParameters]] = DiskParameters
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.NODE,)
    needs: ClassVar[tuple[Capability, ...]] = (Capability.COMMANDS,)

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        return runs_nothing_that_matters(target)

    @override
    def inject(self, context: FaultContext) -> None:
        node, file = context.node.name, _file(context)
        size_kib, free_kib = _disk(context)
        taken_kib = free_kib - round(size_kib * (1 - context.parameters.used))
        if taken_kib <= 0:
            msg = f"the disk of node {node!r} is fuller than {context.parameters.used:.0%} already"
            raise NodeError(msg)
        argv = ("fallocate", "-l", str(taken_kib * _KIB), file)
        NodeEdits(context).run(node, argv, undo=("rm", "-f", file))

    @override
    def present(self, context: FaultContext) -> Check:
        size_kib, free_kib = _disk(context)
        free = free_kib / size_kib
        node = context.node.name
        defects = [f"node {node} has {free:.0%} of its disk left"] if free < _SHORT else []
        return defect_check(f"more than {_SHORT:.0%} of the disk of node {node} is free", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        change = Change(what=_file(context), after=f"{context.parameters.used:.0%} of disk used")
        phrases = (
            "disk is full",
            "disk full",
            "disk pressure",
            "no space left on device",
            "out of disk space",
            "filesystem is full",
            "log file fills the disk",
        )
        return truth_on_node(context, "disk-full", phrases, change, "pods are evicted")

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        # A kubelet short of disk evicts also the pod that its node is entered with.
        clean = from_another_node(context, ("rm", "-f", _file(context)))
        return (clean, *after_pressure(context, "DiskPressure"))


def _file(context: FaultContext) -> str:
    """Where the file lies; by the seed, not by the node, which may not be known yet."""
    chance = Random(f"file that fills a disk, seed {context.seed}")  # noqa: S311 - a game, no secret
    return f"{_FOLDER}/{chance.choice(_NAMES)}"


def _disk(context: FaultContext) -> tuple[int, int]:
    """Size of the disk below the logs, and what of it is free, in KiB."""
    said = read_from_node(context, context.node.name, ("df", "-P", "-k", _FOLDER)).stdout
    fields = said.splitlines()[-1].split() if said else []
    if len(fields) < 6:
        msg = f"on node {context.node.name!r} df said nothing that can be read: {said!r}"
        raise NodeError(msg)
    size, used = int(fields[1]), int(fields[2])
    return size, size - used
