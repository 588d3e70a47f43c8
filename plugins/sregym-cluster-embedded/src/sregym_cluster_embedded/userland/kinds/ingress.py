"""Ingress controllers as processes: a reverse proxy on two ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.model import IngressProgram, Line, expand

from sregym_cluster_embedded.network import ingress_status
from sregym_cluster_embedded.userland.kinds.kind import Kind, WebAnswer
from sregym_cluster_embedded.userland.life import end, open_port, serve, write_log
from sregym_cluster_embedded.userland.process import Process, listener_at, process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_READY_S = 1.2


class IngressKind(Kind):
    """Opens its ports, then looks after the Ingresses of its classes."""

    def begin(self, world: World, process: Process, program: IngressProgram) -> None:
        """Load the configuration, which takes a moment."""
        world.after(_READY_S, "userland.event", process.ref, "serve")

    def event(
        self, world: World, process: Process, program: IngressProgram, *arguments: Any
    ) -> None:
        """Open the ports and begin to serve."""
        facts = process.facts()
        for listener, text in (("http", program.http_port), ("https", program.https_port)):
            port = int(expand(text, facts))
            if listener_at(world, process.ref.pod_uid, port):
                taken = f"bind() to 0.0.0.0:{port} failed (98: Address already in use)"
                write_log(world, process.ref, program, (Line(text=f"nginx: [emerg] {taken}"),))
                end(world, process.ref, 1)
                return
            if not open_port(world, process.ref, port, listener):
                return
        write_log(world, process.ref, program, (Line(text="Backend successfully reloaded"),))
        serve(world, process.ref)
        if process_of(world, process.ref) is not None:
            ingress_status.started(world, process.ref.pod_uid, program.controller)

    def protocol_of(self, program: IngressProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "http"

    def web(
        self, world: World, process: Process, program: IngressProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Its own health check; requests of clients go through `userland.shell.proxied`."""
        if path.partition("?")[0] == "/healthz":
            return WebAnswer(200, "ok", "text/plain")
        return WebAnswer(404, "404 page not found\n", "text/plain; charset=utf-8")
