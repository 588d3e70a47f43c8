"""Consul in development mode: registrations live as long as the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.model import Line, expand
from sregym_cluster_embedded.sdk.servers import StoreKind, WebAnswer, write_log

from sregym_server_consul.api import answer

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_consul.program import RegistryProgram


class RegistryKind(StoreKind):
    """A registry; most lines of its log are worked out when they are read (`telemetry.consul`)."""

    port_flags = ("http-port",)
    taken = ("==> Error starting agent: listen tcp 0.0.0.0:{port}: bind: address already in use", 1)

    def protocol_of(self, program: RegistryProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "registry"

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Plan what the program does first."""
        line = Line(text="==> Starting Consul agent...", raw=True)
        write_log(world, process.ref, program, (line,))
        super().begin(world, process, program)

    def ports(self, process: Process, program: Any) -> tuple[int, ...]:
        """The ports in effect."""
        more = (int(expand(port, process.facts())) for port in program.ports)
        return (*super().ports(process, program), *more)

    def web(
        self, world: World, process: Process, program: RegistryProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Answer an HTTP request."""
        return WebAnswer(*answer(world, process, program.version, method, path))
