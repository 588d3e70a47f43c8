"""Sectors of a disk that cannot be read, below a file of a datastore."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Capability, Change, GroundTruth
from sregym_injectors.nodes import truth_on_node
from sregym_kubernetes.node_settings import DiskBadBlocks
from typing_extensions import override

from sregym_injector_dm_dust.below_file import BelowFile

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext

# `badblocks` counts in KiB, and two sectors are one.
REPAIR = (
    "sh",
    "-c",
    "for block in $(badblocks /dev/vda); do "
    "hdparm --yes-i-know-what-i-am-doing --repair-sector $((block * 2)) /dev/vda; done",
)


class BadSectors(BelowFile):
    """Lets a disk no longer read some sectors below a file of a datastore."""

    name: ClassVar[str] = "bad-sectors"
    title: ClassVar[str] = "Sectors below a datastore's file cannot be read"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.DISK_BAD_BLOCKS,)
    setting = DiskBadBlocks
    repair = REPAIR
    harm = "cannot be read"
    expected = "all can be read on the disk"

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        given = context.parameters
        change = Change(what="sectors of the disk", after=f"{given.blocks * 4} KiB cannot be read")
        phrases = (
            "bad sectors",
            "bad disk",
            "unreadable sectors",
            "latent sector errors",
            "medium error",
            "disk I/O errors",
            "input/output error",
            "failing disk",
            "pending sectors",
            "hardware disk failure",
        )
        symptom = "the datastore ends or reports Input/output error"
        return truth_on_node(context, "bad-sectors", phrases, change, symptom)
