"""Commands about where one is: mountpoint, arch, logname."""

from __future__ import annotations

from sregym_cluster_embedded.userland.files.inode import FOLDER
from sregym_cluster_embedded.userland.files.machine import hardware
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session


def _mountpoint(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    if not operands:
        if session.busybox:
            return Output(1, "", "mountpoint: bad usage\n")
        return Output(
            1, "", "mountpoint: bad usage\nTry 'mountpoint --help' for more information.\n"
        )
    path = session.path(operands[0])
    inode = session.files.stat(path)
    if inode is None:
        return Output(1, "", f"mountpoint: {operands[0]}: No such file or directory\n")
    if inode.kind != FOLDER:
        said = "" if "q" in flags else f"{operands[0]} is not a mountpoint\n"
        return Output(1 if session.busybox else 32, said)
    mounted = any(point.place == path for point in session.files.container.all_points())
    said = f"{operands[0]} is {'' if mounted else 'not '}a mountpoint\n"
    return Output(0 if mounted else 1 if session.busybox else 32, "" if "q" in flags else said)


def _arch(session: Session, _words: list[str], _stdin: str) -> Output:
    return Output(0, f"{hardware(session.files.container)}\n")


def _logname(session: Session, _words: list[str], _stdin: str) -> Output:
    said = (
        "logname: getlogin: No such device or address"
        if session.busybox
        else "logname: no login name"
    )
    return Output(1, "", f"{said}\n")


PLACE_COMMANDS: dict[str, Command] = {
    "arch": _arch,
    "logname": _logname,
    "mountpoint": _mountpoint,
}
