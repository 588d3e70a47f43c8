"""Load generators: what they send is the traffic layer's business, here they only run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.kinds.kind import Kind
from sregym_cluster_embedded.userland.life import serve

if TYPE_CHECKING:
    from sregym_apps.model import LoadGeneratorProgram

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class LoadKind(Kind):
    """Sends from the first moment to the last."""

    def begin(self, world: World, process: Process, program: LoadGeneratorProgram) -> None:
        """Plan what the program does first."""
        serve(world, process.ref)
