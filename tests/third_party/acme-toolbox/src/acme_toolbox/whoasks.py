"""`whoasks [-n] [PORT]`: who holds connections to this container's server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output
from sregym_cluster_embedded.sdk.servers import connection_sources

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.commands import Session

_USAGE = "usage: whoasks [-n]\n"


def whoasks(session: Session, words: list[str], stdin: str) -> Output:
    """One line for each connection; with -n only their number."""
    if set(words[1:]) - {"-n"}:
        return Output(2, "", _USAGE)
    held = connection_sources(session.world, session.process)
    if "-n" in words:
        return Output(0, f"{len(held)}\n")
    return Output(0, "".join(f"{one.ip}:{one.port}\n" for one in held))
