"""readlink and realpath: where links lead to."""

from __future__ import annotations

import posixpath

from sregym_cluster_embedded.userland.files.inode import LINK
from sregym_cluster_embedded.userland.shell.options import options
from sregym_cluster_embedded.userland.shell.session import Command, Output, Session
from sregym_cluster_embedded.userland.toolsets import tool_paths

_MISSING = "No such file or directory"


def _readlink(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    out, err, code = "", "", 0
    for operand in operands:
        path = session.path(operand)
        if {"f", "e", "m"} & set(flags):
            found = _resolved(session, path)
            if found is None and "m" not in flags:
                code = 1
                continue
            out += (found or path) + "\n"
            continue
        inode = session.files.stat(path, follow=False)
        if inode is not None and inode.kind == LINK:
            out += inode.content + "\n"
        elif session.busybox and path in tool_paths(session.image.tools):
            # All commands are links to one.
            out += "busybox\n" if session.flavour == "busybox" else "/bin/busybox\n"
        else:
            code = 1
            if "v" in flags:
                why = _MISSING if inode is None else "Invalid argument"
                form = "cannot read link: " if session.busybox else ""
                err += f"readlink: {operand}: {form}{why}\n"
    if "n" in flags:
        out = out.removesuffix("\n")
    return Output(code, out, err)


def _realpath(session: Session, words: list[str], _stdin: str) -> Output:
    flags, operands = options(words)
    out, err = "", ""
    for operand in operands:
        found = _resolved(session, session.path(operand))
        if found is None and "m" not in flags:
            err += f"realpath: {operand}: {_MISSING}\n"
        else:
            out += (found or session.path(operand)) + "\n"
    return Output(1 if err else 0, out, err)


def _resolved(session: Session, path: str) -> str | None:
    """Where a path leads to; only its last part may be missing."""
    files = session.files
    if session.busybox and path in tool_paths(session.image.tools):
        return "/bin/busybox"
    found = files.resolve(path)
    if files.stat(found) is None and files.stat(posixpath.dirname(found)) is None:
        return None
    return found


LINK_COMMANDS: dict[str, Command] = {"readlink": _readlink, "realpath": _realpath}
