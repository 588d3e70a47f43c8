"""kube-router as a process: when it starts it reads with whom its node speaks about routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import Line

from sregym_cluster_embedded.network import routing
from sregym_cluster_embedded.userland.kinds.service import ServiceKind
from sregym_cluster_embedded.userland.life import write_log

if TYPE_CHECKING:
    from sregym_apps.model import ServiceProgram

    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class NodeRouterKind(ServiceKind):
    """A service of a node that peers with those of other nodes."""

    def begin(self, world: World, process: Process, program: ServiceProgram) -> None:
        """Read what the node is, and say so."""
        role = routing.started(world, process.config.node)
        said = [
            Line(text=f"Found rr.{name} for the node to be {value} from the node annotation")
            for name, value in role._asdict().items()
            if value
        ]
        write_log(world, process.ref, program, said)
        super().begin(world, process, program)
