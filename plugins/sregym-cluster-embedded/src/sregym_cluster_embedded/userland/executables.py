"""Which executable a command line names, and what a container runtime says when there is none."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.toolsets import tool_paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_apps.model import Image

    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.userland.files.inode import Inode
    from sregym_cluster_embedded.userland.filesystem import Files

# Of one argument or variable (32 pages), and of all of them (a quarter of a stack of 8 MiB).
_LONGEST_BYTES, _ALL_BYTES = 131_072, 2_097_152
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
    tools = tool_paths(image.tools)
    if "/" in word:
        path = posixpath.normpath(posixpath.join(working_dir, word))
        if path in tools or path in image.binaries:
            return path
        inode = files.stat(path)
        if inode is not None and inode.kind == "folder":
            raise NotExecutableError(f'exec: "{word}": is a directory')
        if inode is not None and not _may_run(files, inode):
            raise NotExecutableError(f'exec: "{word}": permission denied')
        if inode is not None:
            return path
        why = "not a directory" if _below_a_file(path, files) else "no such file or directory"
        raise NotExecutableError(f'exec: "{word}": stat {word}: {why}')
    places = environment.get("PATH", "").split(":")
    for place in places:
        path = f"{place}/{word}"
        if place and (path in tools or path in image.binaries):
            return path
    for path in [posixpath.join(place, word) for place in places]:
        if path in tools or path in image.binaries:
            return path
        inode = files.stat(path) if path.startswith("/") else None
        if inode is not None and inode.kind == "file" and _may_run(files, inode):
            return path
    raise NotExecutableError(f'exec: "{word}": executable file not found in $PATH')


def _below_a_file(path: str, files: Files) -> bool:
    while (path := posixpath.dirname(path)) != "/":
        inode = files.stat(path)
        if inode is not None:
            return inode.kind != "folder"
    return False


def _may_run(files: Files, inode: Inode) -> bool:
    return inode.mode & 0o111 != 0 and files.container.credentials.may(inode, 1)


def argument_error(argv: Sequence[str], environment: Mapping[str, str]) -> str:
    """What is written where the kernel takes a command line or an environment for too long; else empty."""
    letters = sum(map(len, argv)) + sum(map(len, environment)) + sum(map(len, environment.values()))
    # Of a letter come four bytes at most, and of a text an equals sign and a zero besides.
    if 4 * letters + 2 * (len(argv) + len(environment)) <= _LONGEST_BYTES:
        return ""
    texts = [*argv, *(f"{name}={value}" for name, value in environment.items())]
    sizes = [len(text.encode()) + 1 for text in texts]
    if max(sizes, default=0) <= _LONGEST_BYTES and sum(sizes) <= _ALL_BYTES:
        return ""
    return f"exec {argv[0]}: argument list too long"


def start_error(reason: str) -> str:
    """The message of a container that could not be started."""
    return f"{_CREATE}{reason}: unknown"
