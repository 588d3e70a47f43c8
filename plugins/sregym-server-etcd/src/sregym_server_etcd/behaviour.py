"""An etcd server of one member: keys live with the volume at its data directory."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    DataFile,
    Process,
    Refusal,
    StoreKind,
    WebAnswer,
    change,
    end,
    listener_at,
    machine,
    process_of,
    write_log,
    write_problem,
)

from sregym_server_etcd.data import load, store
from sregym_server_etcd.member import (
    Said,
    election,
    greeting,
    leaving,
    member_of,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_etcd.program import EtcdProgram

_WAL = "member/wal/0000000000000000-0000000000000000.wal"
# An entry of the log reaches the disk within this time; one is written at least so often.
_FLUSHES_S = 0.5


class EtcdKind(StoreKind):
    """etcd."""

    def protocol_of(self, program: EtcdProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "etcd"

    def begin(self, world: World, process: Process, program: EtcdProgram) -> None:
        """Read the settings, find the data, and greet."""
        member = member_of(process, program)
        files = world.service(RUNTIME).files(world, process)
        storage = files.storage(member.data_dir)
        data = load(world, storage)
        cores = machine.cpus(files.container)
        lines = greeting(process, program, member, cores, known=data.starts > 0)
        self._write(world, process, program, lines)
        store(world, storage, replace(data, starts=data.starts + 1, name=member.name))
        settings = {**process.settings, "etcd.storage": storage, "etcd.dir": member.data_dir}
        super().begin(world, change(world, process.ref, settings=settings), program)

    def ports(self, process: Process, program: EtcdProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """The port in effect."""
        return (member_of(process, program).port,)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Be elected and serve, or write to the disk."""
        if arguments == ("flush",):
            self._flush(world, process, program)
            return
        member, (port,) = member_of(process, program), self.ports(process, program)
        if listener_at(world, process.ref.pod_uid, port) is not None:
            error = f"listen tcp 0.0.0.0:{port}: bind: address already in use"
            failed = Said("fatal", "etcdmain/etcd.go:204", "discovery failed", {"error": error})
            self._write(world, process, program, [failed])
            end(world, process.ref, 1)
            return
        data = load(world, process.settings["etcd.storage"])
        self._write(world, process, program, election(program, member, data))
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            self.look_at_disk(world, still, program)

    def command(
        self,
        world: World,
        process: Process,
        program: EtcdProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Every client may do everything: authentication is off until it is turned on."""
        return None

    def data_file(self, process: Process, program: EtcdProgram) -> DataFile | None:
        """The write-ahead log."""
        kept = process.settings.get("etcd.storage")
        folder = process.settings.get("etcd.dir", program.data_dir)
        return None if kept is None else DataFile(kept, folder, _WAL)

    def look_at_disk(self, world: World, process: Process, program: EtcdProgram) -> None:
        """A member that cannot write its log gives up."""
        file = self.data_file(process, program)
        if file is not None and write_problem(world, process, file) is not None:
            world.after(_FLUSHES_S, "userland.event", process.ref, "flush")

    def _flush(self, world: World, process: Process, program: EtcdProgram) -> None:
        file = self.data_file(process, program)
        trouble = None if file is None else write_problem(world, process, file)
        if file is None or trouble is None:
            return
        error = f"write {process.settings['etcd.dir']}/{_WAL}: {_go(trouble.words)}"
        text = "failed to save Raft hard state and entries"
        self._write(world, process, program, [Said("fatal", "etcdserver/raft.go:246", text, {"error": error})])  # fmt: skip
        end(world, process.ref, 1)

    def web(
        self, world: World, process: Process, program: EtcdProgram, method: str, path: str
    ) -> WebAnswer | None:
        """`/health`, `/version` and what else there is beside gRPC."""
        place = path.partition("?")[0]
        if place == "/health":
            return WebAnswer(200, '{"health":"true","reason":""}', "application/json")
        if place in ("/livez", "/readyz"):
            return WebAnswer(200, "ok\n", "text/plain; charset=utf-8")
        if place == "/version":
            minor = ".".join(program.version.split(".")[:2])
            body = f'{{"etcdserver":"{program.version}","etcdcluster":"{minor}.0"}}'
            return WebAnswer(200, body, "application/json")
        return WebAnswer(404, "404 page not found\n", "text/plain; charset=utf-8")

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Say what is closed."""
        self._write(world, process, program, leaving(member_of(process, program)))
        return super().goodbye(world, process, program)

    def _write(
        self, world: World, process: Process, program: EtcdProgram, lines: Sequence[Said]
    ) -> None:
        texts = written(world, lines)
        write_log(world, process.ref, program, [_raw(text) for text in texts])


def _raw(text: str) -> Line:
    return Line(text=text, raw=True, stream="stderr")


def _go(words: str) -> str:
    """An error of the system as Go writes it."""
    return words[:1].lower() + words[1:]
