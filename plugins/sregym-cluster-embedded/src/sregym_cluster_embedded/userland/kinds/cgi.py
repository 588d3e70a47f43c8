"""Scripts behind an HTTP server: run for each request, they write the head and the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebAnswer

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_TEXT = "text/plain"


def run_cgi(world: World, server: Process, path: str, query: str) -> WebAnswer:
    """What the script at `path` answers, and how long it takes.

    It runs in the server's container with `QUERY_STRING` in its environment. A script that writes
    no head is answered for with 500, as BusyBox's httpd does.
    """
    command = ("env", f"QUERY_STRING={query}", "sh", path)
    result = world.service(RUNTIME).exec(world, server.ref, command, "")
    head, blank, body = result.stdout.partition("\n\n")
    if not blank:
        return WebAnswer(500, "", _TEXT, result.duration_s)
    kind, status = _TEXT, 200
    for line in head.splitlines():
        name, _, value = line.partition(":")
        if name.lower() == "content-type":
            kind = value.strip()
        elif name.lower() == "status" and value.split()[:1] and value.split()[0].isdecimal():
            status = int(value.split()[0])
    return WebAnswer(status, body, kind, result.duration_s)
