"""Which executable a command line names, and what a container runtime says when there is none."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.toolsets import tool_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Image

    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.userland.filesystem import Files

_CREATE = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
    "runc create failed: unable to start container process: "
)


class NotExecutableError(Exception):
    """A command line that cannot be executed; the text is that of Go's exec package."""


def command_line(config: ContainerConfig, image: Image) -> tuple[str, ...]:
    """What the container runs: command and args of the pod over ENTRYPOINT and CMD of the image."""
    if config.command is not None:
        return (*config.command, *(config.args or ()))
    return (*image.entrypoint, *(image.cmd if config.args is None else config.args))


def find_executable(
    word: str, image: Image, files: Files, environment: Mapping[str, str], working_dir: str
) -> str:
    """The absolute path of the executable that `word` names.

    Raises:
        NotExecutableError: There is none, or what is there cannot be executed.
    """
    known = {**dict.fromkeys(tool_paths(image.tools), ""), **image.binaries}
    if "/" in word:
        path = posixpath.normpath(posixpath.join(working_dir, word))
        if path in known:
            return path
        if files.read(path) is not None or files.is_folder(path):
            raise NotExecutableError(f'exec: "{word}": permission denied')
        raise NotExecutableError(f'exec: "{word}": stat {word}: no such file or directory')
    for folder in environment.get("PATH", "").split(":"):
        path = posixpath.join(folder, word)
        if path in known:
            return path
    raise NotExecutableError(f'exec: "{word}": executable file not found in $PATH')


def start_error(reason: str) -> str:
    """The message of a container that could not be started."""
    return f"{_CREATE}{reason}: unknown"
