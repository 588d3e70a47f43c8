"""What datastores have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.model import (
    Line,
    StoreProgram,
    expand,
)

from sregym_cluster_embedded.userland.connect_limits import listen_failure
from sregym_cluster_embedded.userland.kinds.kind import Kind
from sregym_cluster_embedded.userland.life import end, open_port, serve, write_log
from sregym_cluster_embedded.userland.settings import parse_words
from sregym_cluster_embedded.userland.throttling import throttled_duration_s

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class StoreKind(Kind):
    """A server that opens its ports after a while."""

    port_flags: tuple[str, ...] = ("port", "p")
    taken = ("bind: Address already in use", 1)

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Plan what the program does first."""
        seconds = throttled_duration_s(process, program.starts_in_s)
        world.after(seconds, "userland.event", process.ref, "open")

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Go on with what was planned."""
        for port in self.ports(process, program):
            if why := listen_failure(world, process, port):
                text, code = self.taken
                text = text.format(port=port).replace("Address already in use", why)
                text = text.replace("address already in use", why.lower())
                line = Line(text=text, stream="stderr", raw=True)
                write_log(world, process.ref, program, (line,))
                end(world, process.ref, code)
                return
            if not open_port(world, process.ref, port, self.listener(process, program, port)):
                return
        write_log(world, process.ref, program, self.ready_lines(process, program))
        serve(world, process.ref)

    def ports(self, process: Process, program: StoreProgram) -> tuple[int, ...]:
        """The ports in effect: from the command line, or as the program has them."""
        flags, _ = parse_words(process.argv[1:], {})
        for flag in self.port_flags:
            if flags.get(flag, "").isdecimal():
                return (int(flags[flag]),)
        return (int(expand(program.port, process.facts())),)

    def listener(self, process: Process, program: Any, port: int) -> str:
        """The name under which a port is known."""
        return "server"

    def ready_lines(self, process: Process, program: Any) -> tuple[Line, ...]:
        """What the server writes once it serves."""
        return ()
