"""Lines of a server's log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import Line, Program
from sregym_cluster_embedded.sdk.servers import RUNTIME, moment, write_log

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World


def note(world: World, server: Process, role: str, level: str, text: str, pid: int = 1) -> None:
    """Let a server write a line now.

    Args:
        world: The cluster.
        server: Who writes.
        role: `M` for a master, `C` for a child or a server that is not one yet, `S`, `X`.
        level: `.`, `-`, `*` or `#`, from the least to what is a warning.
        text: What it writes.
        pid: Number of the process that writes.
    """
    program = world.service(RUNTIME).program_as(server, Program)
    when = moment(world, world.now)
    stamp = f"{when:%d %b %Y %H:%M:%S}.{when.microsecond // 1000:03d}"
    line = Line(text=f"{pid}:{role} {stamp} {level} {text}", raw=True)
    write_log(world, server.ref, program, (line,))
