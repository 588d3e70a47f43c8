"""`tail -f`: a command line that goes on as files grow, until its reader is gone.

A shell in a container runs a command line to its end. One that follows a file has none: what it has
written since is found by running it again, from the places in the files at which it began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.interpreter import Interpreter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class Following(NamedTuple):
    """A command line that follows files.

    Attributes:
        runtime: The container runtime.
        ref: The life of the container.
        command: The command line.
        stdin: Its input.
        places: Path -> number of characters at which it began to read.
        ends: Whether it ends by itself, after the time that its result tells.
    """

    runtime: Runtime
    ref: ContainerRef
    command: tuple[str, ...]
    stdin: str
    places: Mapping[str, int]
    ends: bool

    def written(self, world: World) -> str | None:
        """All that it has written to its standard output up to now; None when it runs no more."""
        process = process_of(world, self.ref)
        if process is None or not process.running:
            return None
        session = self.runtime.session(world, process)
        session.followed = dict(self.places)
        return Interpreter(session).execute(list(self.command), self.stdin).out
