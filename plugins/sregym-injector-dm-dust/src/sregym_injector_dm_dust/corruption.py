"""Blocks of a disk that give back other bytes than were written, below a file of a datastore."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Capability, Change, GroundTruth
from sregym_injectors.nodes import truth_on_node
from sregym_kubernetes.node_settings import DiskCorruption
from typing_extensions import override

from sregym_injector_dm_dust.below_file import BelowFile

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext

REPAIR = ("dmsetup", "remove", "vda1-corrupt")


class Corruption(BelowFile):
    """Lets a disk give back wrong bytes of some blocks, without an error of its own."""

    name: ClassVar[str] = "corruption"
    title: ClassVar[str] = "Disk gives back other bytes than were written, without an error"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.DISK_CORRUPTION,)
    setting = DiskCorruption
    repair = REPAIR
    harm = "give back other bytes than were written"
    expected = "what was written is read on the disk"

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        size = f"{context.parameters.blocks * 4} KiB"
        change = Change(
            what="device mapper table of the root disk",
            before="none",
            after=f"{size} are altered when they are read",
        )
        phrases = (
            "silent data corruption",
            "disk corruption",
            "bad disk",
            "data corruption on the disk",
            "disk returns wrong data",
            "corrupt data on the disk",
            "corrupted blocks",
            "bit rot",
            "checksum errors on the disk",
            "random_read_corrupt",
            "hardware data corruption",
        )
        symptom = "the datastore ends or reports checksum errors"
        return truth_on_node(context, "disk-corruption", phrases, change, symptom)
