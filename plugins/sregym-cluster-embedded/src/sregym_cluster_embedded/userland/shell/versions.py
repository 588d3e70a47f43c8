"""What the servers of images say when they are asked for their version."""

from __future__ import annotations

import hashlib
import json
import textwrap
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_apps.model import AnyProgram

# The commit of a release of MongoDB that is known; others are told by a digest of their name.
_COMMITS = {"4.4.6": "72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7"}
# OpenSSL and the system that a series is built for.
_SYSTEMS = {
    "4.4.6": ("OpenSSL 1.1.1  11 Sep 2018", "ubuntu1804"),
    "4": ("OpenSSL 1.1.1f  31 Mar 2020", "ubuntu2004"),
    "5": ("OpenSSL 1.1.1f  31 Mar 2020", "ubuntu2004"),
}
_NEWER = ("OpenSSL 3.0.2 15 Mar 2022", "ubuntu2204")
_ASKS = ("--version", "-V", "-v", "version")


def build_of(version: str) -> dict[str, object]:
    """How a release of MongoDB was built."""
    major = version.partition(".")[0]
    library, system = _SYSTEMS.get(version) or _SYSTEMS.get(major) or _NEWER
    digest = hashlib.sha1(version.encode(), usedforsecurity=False).hexdigest()
    commit = _COMMITS.get(version, digest)
    return {
        "version": version, "gitVersion": commit, "openSSLVersion": library, "modules": [],
        "allocator": "tcmalloc",
        "environment": {"distmod": system, "distarch": "x86_64", "target_arch": "x86_64"},
    }  # fmt: skip


def version_text(program: AnyProgram | None, words: list[str]) -> Output | None:
    """The answer of a server that is started only to name its version; None when it is not."""
    if program is None or len(words) < 2 or words[1] not in _ASKS:
        return None
    version = str(getattr(program, "version", ""))
    if program.kind == "memcached":
        return Output(0, "memcached 1.6.7\n")
    if program.kind == "mongodb":
        about = json.dumps(build_of(version), indent=4)
        return Output(0, f"db version v{version}\nBuild Info: {about}\n")
    if program.kind == "redis":
        name = "Valkey" if program.flavour == "valkey" else "Redis"
        rest = "sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=b1f7c2ae2a1c7d5e"
        return Output(0, f"{name} server v={version} {rest}\n")
    if program.kind == "mysql":
        return Output(
            0, f"{words[0]}  Ver {version} for Linux on x86_64 (MySQL Community Server - GPL)\n"
        )
    if program.kind == "postgres":
        return Output(0, f"postgres (PostgreSQL) {version}\n")
    return None


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
