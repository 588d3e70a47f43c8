"""A RabbitMQ broker of one node: accounts and queues live with the volume at its data directory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    WRITING,
    Process,
    Refusal,
    StoreKind,
    WebAnswer,
    change,
    machine,
    process_of,
    write_log,
)

from sregym_server_rabbitmq.boot import (
    CLUSTERING,
    EPMD,
    MANAGEMENT,
    METRICS,
    Said,
    booting,
    greeting,
    memory_bytes,
    written,
)
from sregym_server_rabbitmq.data import Account, RabbitmqData, load, store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_rabbitmq.program import RabbitmqProgram

_ALL = (".*", ".*", ".*")
_CONNECTION = "<0.912.0>"
_LOGIN = "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details see the broker logfile."


class RabbitmqKind(StoreKind):
    """rabbitmq-server."""

    port_flags = ()

    def protocol_of(self, program: RabbitmqProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return {"server": "amqp", "http": "http"}.get(listener, "tcp")

    def begin(self, world: World, process: Process, program: RabbitmqProgram) -> None:
        """Find the data, greet, and fill what is empty."""
        files = world.service(RUNTIME).files(world, process)
        storage = files.storage(program.data_dir)
        settings = {**process.settings, "rabbitmq.storage": storage}
        process = change(world, process.ref, settings=settings)
        memory, cores = memory_bytes(process, files.container), machine.cpus(files.container)
        lines = greeting(process, program, memory, cores)
        self._write(world, process, program, lines)
        super().begin(world, process, program)

    def ports(self, process: Process, program: RabbitmqProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """For clients, then for people, metrics, other nodes."""
        more = (MANAGEMENT,) if program.management else ()
        return (*super().ports(process, program), *more, METRICS, CLUSTERING, EPMD)

    def listener(self, process: Process, program: RabbitmqProgram, port: int) -> str:
        """The name under which a port is known."""
        if port in (MANAGEMENT, METRICS):
            return "http"
        return "nodes" if port in (CLUSTERING, EPMD) else "server"

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open data and ports."""
        storage = process.settings["rabbitmq.storage"]
        before = load(world, storage)
        after = self._data(process, program, before)
        store(world, storage, after)
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            took_ms = round((world.now - process.started_at) * 1000) - 380
            lines = booting(process, program, before, after, took_ms)
            self._write(world, process, program, lines)

    def _data(
        self, process: Process, program: RabbitmqProgram, before: RabbitmqData
    ) -> RabbitmqData:
        """What it keeps once it serves: the default account only where there was nothing."""
        env = process.environment
        vhost = env.get("RABBITMQ_DEFAULT_VHOST") or "/"
        known = before
        if not before.version:
            name = env.get("RABBITMQ_DEFAULT_USER") or "guest"
            password = env.get("RABBITMQ_DEFAULT_PASS") or "guest"
            account = Account(password, ("administrator",), ((vhost, _ALL),))
            known = replace(before, vhosts=(vhost,), accounts={name: account})
        kept = {name: queue for name, queue in known.queues.items() if queue[1]}
        own = {
            name: (vhost, queue.durable)
            for name, queue in program.queues.items()
            if name not in kept and (not before.version or not queue.durable)
        }
        return replace(known, version=program.version, queues={**kept, **own})

    def dial(
        self, world: World, process: Process, program: RabbitmqProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not; its `database` is the virtual host."""
        data = load(world, process.settings.get("rabbitmq.storage", ""))
        account = data.accounts.get(client.user or "guest")
        if account is None or account.password != (client.password or "guest"):
            return Refusal("auth", _LOGIN)
        vhost = client.database or "/"
        if vhost not in data.vhosts:
            return Refusal("unauthorized", f"NOT_ALLOWED - vhost {vhost} not found")
        if account.may(vhost) is None:
            text = f"NOT_ALLOWED - access to vhost '{vhost}' refused for user '{client.user or 'guest'}'"
            return Refusal("unauthorized", text)
        return None

    def command(
        self,
        world: World,
        process: Process,
        program: RabbitmqProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Take a message, or hand one out."""
        refusal = self.dial(world, process, program, client, "")
        if refusal is not None:
            return refusal
        data = load(world, process.settings["rabbitmq.storage"])
        user, vhost = client.user or "guest", client.database or "/"
        may = data.accounts[user].may(vhost)
        assert may is not None
        if command in WRITING and not may[1]:
            text = f"ACCESS_REFUSED - write access to exchange 'amq.default' in vhost '{vhost}' refused for user '{user}'"
            return Refusal("unauthorized", text)
        if command in WRITING:
            # A message that no queue takes is dropped without notice.
            return None
        if data.queues.get(collection, ("", False))[0] != vhost:
            return Refusal("server", f"NOT_FOUND - no queue '{collection}' in vhost '{vhost}'")
        return None

    def refused(
        self, world: World, process: Process, program: Any, refusal: Refusal, peer: str
    ) -> None:
        """Tell of a login that was refused."""
        if refusal.kind != "auth":
            return
        user = refusal.text.partition("user '")[2].partition("'")[0]
        way = f"{peer}:43210 -> {process.config.pod_ip}:{self.ports(process, program)[0]}"
        told = [
            Said(f"accepting AMQP connection {_CONNECTION} ({way})", who=_CONNECTION),
            Said(f"Error on AMQP connection {_CONNECTION} ({way}, state: starting):\nPLAIN login refused: user '{user}' - invalid credentials", "error", _CONNECTION),
            Said(f"closing AMQP connection {_CONNECTION} ({way})", who=_CONNECTION),
        ]  # fmt: skip
        self._write(world, process, program, told)

    def web(
        self, world: World, process: Process, program: RabbitmqProgram, method: str, path: str
    ) -> WebAnswer | None:
        """The page of the management plugin; its API needs a login."""
        if path.startswith("/api"):
            body = '{"error":"not_authorized","reason":"Not_Authorized"}'
            return WebAnswer(401, body, "application/json")
        body = "<!doctype html>\n<html><head><title>RabbitMQ Management</title></head></html>\n"
        return WebAnswer(200, body, "text/html")

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Say that it stops."""
        told = Said("SIGTERM received - shutting down\n", "notice", "<0.64.0>")
        self._write(world, process, program, [told])
        return super().goodbye(world, process, program)

    def _write(
        self, world: World, process: Process, program: RabbitmqProgram, lines: Sequence[Said | str]
    ) -> None:
        texts = written(world, lines)
        write_log(world, process.ref, program, [Line(text=text, raw=True) for text in texts])
