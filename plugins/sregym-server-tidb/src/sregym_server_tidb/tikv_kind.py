"""TiKV: a store that registers with PD and serves its regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    DataFile,
    StoreKind,
    WebAnswer,
    change,
    end,
    process_of,
    write_problem,
)

from sregym_server_tidb.flags import flag, port_of
from sregym_server_tidb.server_log import tell
from sregym_server_tidb.topology import (
    PD_STORAGE,
    STORE_STORAGE,
    leading_pd,
    load_pd,
    register,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_tidb.program import TikvProgram

# It asks PD again and again, and says so each tenth time.
_ASKS_AGAIN_S = 3.0
_WRITES_S = 1.0
_LOG = "raft-engine/0000000000000001.raftlog"


class TikvKind(StoreKind):
    """tikv-server."""

    taken = ("[FATAL] bind: address already in use (port {port})", 1)

    def protocol_of(self, program: TikvProgram, listener: str) -> str:
        """GRPC for TiDB, HTTP for people."""
        return "http" if listener == "status" else "grpc"

    def ports(self, process: Process, program: TikvProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """That of the store, and that of its status."""
        return (
            port_of(process, flag(process, "addr"), program.port),
            port_of(process, flag(process, "status-addr"), program.status_port),
        )

    def listener(self, process: Process, program: TikvProgram, port: int) -> str:
        """The name under which a port is known."""
        return "store" if port == self.ports(process, program)[0] else "status"

    def version(self, program: TikvProgram, words: list[str]) -> str:
        """What `-V` prints."""
        return f"TiKV \nRelease Version:   {program.version}\nEdition:           Community\n"

    def begin(self, world: World, process: Process, program: TikvProgram) -> None:
        """Find the data, and greet."""
        folder = flag(process, "data-dir", program.data_dir)
        storage = world.service(RUNTIME).files(world, process).storage(folder)
        settings = {**process.settings, STORE_STORAGE: storage, "tikv.dir": folder}
        process = change(world, process.ref, settings=settings)
        tell(
            world,
            process,
            [
                ("info", "lib.rs:88", "Welcome to TiKV", {}),
                ("info", "lib.rs:93", f"Release Version:   {program.version}", {}),
                ("info", "lib.rs:93", "Edition:           Community", {}),
            ],
        )
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Find PD, register, serve; or meet the disk."""
        if arguments == ("write",):
            self._write(world, process, program)
            return
        endpoints = flag(process, "pd-endpoints", flag(process, "pd"))
        pd = leading_pd(world, process, endpoints)
        if pd is None:
            error = 'Other("[components/pd_client/src/util.rs:599]: PD cluster failed to respond")'
            failed = ("warn", "client.rs:168", "validate PD endpoints failed", {"err": error})
            tell(world, process, [failed])
            world.after(_ASKS_AGAIN_S, "userland.event", process.ref, *arguments)
            return
        port = self.ports(process, program)[0]
        address = flag(process, "advertise-addr", f"{process.config.hostname}:{port}")
        storage = process.settings[STORE_STORAGE]
        known = load_pd(world, pd.settings[PD_STORAGE])
        own = register(world, pd, address, storage)
        if own.cluster != known.cluster:
            error = f"cluster ID mismatch, local {own.cluster} != remote {known.cluster}, you are trying to connect to another cluster, please reconnect to the correct PD"
            tell(world, process, [("fatal", "server.rs:472", error, {})])
            end(world, process.ref, 1)
            return
        connected = {"endpoints": endpoints, "cluster_id": known.cluster}
        tell(world, process, [("info", "server.rs:482", "connect to PD cluster", connected)])
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.served_at is not None:
            tell(world, still, [("info", "node.rs:218", "put store to PD", {"store": f"id: {own.number} address: {address}"}), ("info", "server.rs:1150", "TiKV is ready to serve", {})])  # fmt: skip
            self.look_at_disk(world, still, program)

    def data_file(self, process: Process, program: TikvProgram) -> DataFile | None:
        """The log of Raft, which each write goes to."""
        kept = process.settings.get(STORE_STORAGE)
        return None if kept is None else DataFile(kept, process.settings["tikv.dir"], _LOG)

    def look_at_disk(self, world: World, process: Process, program: TikvProgram) -> None:
        """A store that cannot write its log gives up."""
        file = self.data_file(process, program)
        if file is not None and write_problem(world, process, file) is not None:
            world.after(_WRITES_S, "userland.event", process.ref, "write")

    def _write(self, world: World, process: Process, program: TikvProgram) -> None:
        file = self.data_file(process, program)
        trouble = None if file is None else write_problem(world, process, file)
        if trouble is not None:
            error = f"failed to append raft log: IO Error: {trouble.words}"
            tell(world, process, [("fatal", "lib.rs:495", error, {})])
            end(world, process.ref, 1)

    def web(
        self, world: World, process: Process, program: TikvProgram, method: str, path: str
    ) -> WebAnswer | None:
        """Its status port."""
        if path.partition("?")[0] == "/status":
            return WebAnswer(200, "", "text/plain; charset=utf-8")
        return WebAnswer(404, "path not found", "text/plain; charset=utf-8")
