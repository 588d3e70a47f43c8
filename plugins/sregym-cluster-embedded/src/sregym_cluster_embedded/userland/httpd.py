"""BusyBox's httpd, which serves the files of small images: what it writes for each request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import FLAVOURS, Line, ProxyProgram

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.life import append, write_log

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_FIRST_PORT, _PORTS = 32768, 28232


def root_of(server: Process) -> str | None:
    """The folder that an httpd serves; None for any other server."""
    listeners = getattr(server.behaviour, "listeners", {}).values()
    roots = [listener.root for listener in listeners if listener.root]
    return roots[0] if roots else None


def is_httpd(world: World, server: Process) -> bool:
    """Whether a server's program is BusyBox's httpd behind a script."""
    lines = world.service(RUNTIME).known(server).interpreted.values()
    return any(words[:1] == ("httpd",) for words in lines)


def note_request(world: World, server: Process, client_ip: str, path: str, status: int) -> None:
    """Let the server log a request; programs behind it (CGI) answer without a line."""
    if isinstance(server.behaviour, ProxyProgram):
        _note_passed(world, server, server.behaviour, client_ip, path, status)
        return
    if root_of(server) is None or path.startswith("/cgi-bin/") or not is_httpd(world, server):
        return
    count = len(server.lines)
    share = world.seed.fraction("port", server.ref, client_ip, world.now, count)
    port = _FIRST_PORT + int(share * _PORTS)
    text = f"[::ffff:{client_ip}]:{port}: response:{status}"
    append(world, server.ref, [LogLine(world.now, "stderr", text)])


def _note_passed(
    world: World, server: Process, program: ProxyProgram, client_ip: str, path: str, status: int
) -> None:
    """A line about a request by hand, as those about all others are."""
    flavour = FLAVOURS[program.flavour]
    flags = "-" if program.flavour != "haproxy" else "----" if status < 500 else "SC--"
    text = flavour.access.format(
        request=f"GET {path}", name="-", status=status, size=0, flags=flags, host="-", place="-"
    )
    given = {"text": text, "format": flavour.form, "fields": {"client": client_ip, "status": str(status)}}  # fmt: skip
    write_log(world, server.ref, program, (Line.model_validate(given),))
