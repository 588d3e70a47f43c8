"""Where commands run: one place in one container, at one moment."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from sregym_apps.model import Image

    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class Output(NamedTuple):
    """What a command gave: exit code, standard output, standard error."""

    code: int = 0
    out: str = ""
    err: str = ""


@dataclass
class Session:
    """A place in a container where commands can be run; lives as long as one command line.

    Attributes:
        world: The cluster.
        runtime: The container runtime.
        process: The container's main process.
        image: Its image.
        files: Its files.
        environment: Variables, exported or not.
        working_dir: Present folder.
        arguments: `$0`, `$1` ...
    """

    world: World
    runtime: Runtime
    process: Process
    image: Image
    files: Files
    environment: dict[str, str]
    working_dir: str
    arguments: tuple[str, ...] = ("sh",)
    slept_s: float = 0.0
    last: int = 0
    budget: list[int] = field(default_factory=lambda: [20_000])

    @property
    def busybox(self) -> bool:
        """Whether the commands are BusyBox's, with its words."""
        return "busybox" in self.image.tools or "alpine" in self.image.tools

    def path(self, name: str) -> str:
        """A path as an absolute one."""
        joined = posixpath.normpath(posixpath.join(self.working_dir, name))
        return joined.replace("//", "/")


Command: TypeAlias = Callable[[Session, list[str], str], Output]
