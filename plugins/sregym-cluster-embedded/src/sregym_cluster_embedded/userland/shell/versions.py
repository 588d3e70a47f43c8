"""What the servers of images say when they are asked for their version."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.shell.session import Output

if TYPE_CHECKING:
    from sregym_apps.model import AnyProgram

_ASKS = ("--version", "-V", "-v", "version")


def version_text(program: AnyProgram | None, words: list[str]) -> Output | None:
    """The answer of a server that is started only to name its version; None when it is not."""
    if program is None or len(words) < 2 or words[1] not in _ASKS:
        return None
    version = str(getattr(program, "version", ""))
    if program.kind == "memcached":
        return Output(0, "memcached 1.6.7\n")
    if program.kind == "mongodb":
        about = {"version": version, "modules": [], "allocator": "tcmalloc"}
        return Output(0, f"db version v{version}\nBuild Info: {json.dumps(about, indent=4)}\n")
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
