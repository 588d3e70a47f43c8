"""What servers and BusyBox say when they are asked for their version."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from sregym_apps.model import expand

from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_apps.model import AnyProgram

    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.userland.shell.session import Session

_ASKS = ("--version", "-V", "-v", "version")


def version_text(runtime: Runtime, program: AnyProgram | None, words: list[str]) -> str | None:
    """The answer of a server that is started only to name its version; None when it is not."""
    if program is None or len(words) < 2 or words[1] not in _ASKS:
        return None
    return runtime.kinds.of(program.kind).version(program, words)


def version_output(session: Session, path: str, words: list[str]) -> Output:
    """What an executable answers that tells its version and does nothing else here."""
    asked, name = words[1:2], words[0]
    if not asked:
        return Output()  # as an interpreter whose input is empty
    if asked[0] in _ASKS:
        return Output(0, expanded(session, path))
    file = "" if asked[0].startswith("-") else asked[0]
    if file and session.files.stat(session.path(file)) is None:
        return Output(2, "", f"{name}: can't open '{file}': No such file or directory\n")
    return Output(126, "", f"{name}: cannot execute: it only tells its version here\n")


def expanded(session: Session, path: str) -> str:
    """The words of an executable about its version, with variables of the image in them."""
    text = expand(session.image.versions[path], session.image.env)
    return text if text.endswith("\n") else f"{text}\n"


_BUSYBOX = {
    "busybox": "BusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.",
    "alpine": "BusyBox v1.36.1 (2024-06-10 07:11:47 UTC) multi-call binary.",
}
_ABOUT = """
BusyBox is copyrighted by many authors between 1998-2015.
Licensed under GPLv2. See source distribution for detailed
copyright notices.

Usage: busybox [function [arguments]...]
   or: busybox --list[-full]
   or: busybox --show SCRIPT
   or: busybox --install [-s] [DIR]
   or: function [arguments]...

\tBusyBox is a multi-call binary that combines many common Unix
\tutilities into a single executable.  Most people will create a
\tlink to busybox for each function they wish to use and BusyBox
\twill act like whatever it was invoked as.

Currently defined functions:
"""


def banner(flavour: str) -> str:
    """The first line of what BusyBox says of itself and of the use of its functions."""
    return _BUSYBOX.get(flavour, _BUSYBOX["alpine"])


def busybox_text(flavour: str, names: tuple[str, ...], words: list[str]) -> Output:
    """What BusyBox says of itself when it is told no function, or asked for their list."""
    known = sorted(name for name in names if name != "busybox")
    if words[1:] == ["--list"]:
        return Output(0, "".join(f"{name}\n" for name in known))
    listed = textwrap.fill(", ".join(known), 75, initial_indent="\t", subsequent_indent="\t")
    return Output(0, f"{banner(flavour)}{_ABOUT}{listed}\n")
