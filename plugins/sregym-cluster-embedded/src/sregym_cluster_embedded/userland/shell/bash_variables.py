"""Variables that bash has of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

_VERSION = "5.2.15(1)-release"


def bash_variable(session: Session, name: str) -> str | None:
    """What an unset name stands for; None when it stands for nothing."""
    if name in ("BASH_VERSION", "BASH_SUBSHELL", "SHLVL", "OSTYPE", "MACHTYPE", "HOSTTYPE"):
        return {
            "BASH_VERSION": _VERSION,
            "BASH_SUBSHELL": "0",
            "SHLVL": "1",
            "OSTYPE": "linux-gnu",
            "HOSTTYPE": "x86_64",
            "MACHTYPE": "x86_64-pc-linux-gnu",
        }[name]
    if name in ("UID", "EUID"):
        return str(session.rights.uid)
    if name == "PPID":
        return "0"
    if name == "BASH":
        return "/usr/bin/bash"
    if name == "LINENO":
        return str(session.at_line)
    if name == "SECONDS":
        return str(int(session.slept_s))
    if name == "EPOCHSECONDS":
        return str(int(session.files.now))
    if name == "BASHPID":
        return str(session.pid)
    if name in ("BASH_SOURCE", "FUNCNAME"):
        return session.script if name == "BASH_SOURCE" else ""
    return None
