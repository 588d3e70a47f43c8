"""`mktemp`."""

from __future__ import annotations

from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Output, Session

# How many letters X a template has at least.
_HOLES, _HOLES_OF_BUSYBOX = 3, 6


def mktemp(session: Session, words: list[str], _stdin: str) -> Output:
    """Make a file, or a folder, of a name by chance."""
    flags, operands = options(words, "p")
    form = operands[0] if operands else "/tmp/tmp.XXXXXX"  # noqa: S108 - the container's folder
    before, _, tail = form.rpartition("X")
    head = before.rstrip("X")
    holes = len(form) - len(head) - len(tail) if "X" in form else 0
    if session.busybox and (tail or holes < _HOLES_OF_BUSYBOX):
        return Output(1, "", "mktemp: (null): Invalid argument\n")
    if holes < _HOLES:
        return Output(1, "", f"mktemp: too few X's in template '{form}'\n")
    path = head + session.world.seed.hexadecimal(holes) + tail
    try:
        if "d" in flags:
            session.files.make_folder(session.path(path), mode=0o700)
        else:
            session.files.write(session.path(path), "")
    except FileError as error:
        return Output(1, "", f"mktemp: {form}: {error.words}\n")
    return Output(0, f"{path}\n")
