"""A plain key-value server that speaks the protocol of Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_apps.model import Line, expand
from sregym_cluster_embedded.sdk.servers import Refusal, StoreKind, parse_words

if TYPE_CHECKING:
    from sregym_apps.model import Client
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_redis.program import KeyValueProgram


class KeyValueKind(StoreKind):
    """A Redis-like server with one password."""

    ipv4_only = True

    def dial(
        self, world: World, process: Process, program: KeyValueProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        wanted = self._password(process, program)
        if wanted and not client.password:
            return Refusal("auth", "NOAUTH Authentication required.")
        if wanted and client.password != wanted:
            text = "WRONGPASS invalid username-password pair or user is disabled."
            return Refusal("auth", text)
        return None

    def command(
        self,
        world: World,
        process: Process,
        program: KeyValueProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Carry out a command, or not."""
        return self.dial(world, process, program, client, "")

    def ready_lines(self, process: Process, program: Any) -> tuple[Line, ...]:
        """What it writes once it serves."""
        return (Line(text="* Ready to accept connections"),)

    def _password(self, process: Process, program: KeyValueProgram) -> str:
        flags, _ = parse_words(process.argv[1:], {})
        return flags.get("requirepass") or expand(program.password, process.facts())
