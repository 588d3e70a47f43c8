"""TiDB: MySQL's protocol in front of TiKV; keeps nothing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import (
    DataFile,
    Refusal,
    StoreKind,
    WebAnswer,
    change,
    connected,
    end,
    process_of,
    to_json,
)
from sregym_server_sql.data import Account, SqlData, load, store
from sregym_server_sql.mysql_errors import MysqlError
from sregym_server_sql.mysql_kind import MysqlKind

from sregym_server_tidb.flags import flag, port_of
from sregym_server_tidb.server_log import tell
from sregym_server_tidb.topology import (
    CLUSTER,
    PD_STORAGE,
    leading_pd,
    load_pd,
    outage,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import Client, Line
    from sregym_cluster_embedded.sdk.servers import DiskProblem, Process, World

    from sregym_server_tidb.program import TidbProgram

_ATTEMPTS, _ASKS_AGAIN_S = 30, 1.0
_TRIED = "tidb.attempts"
_MYSQL = "8.0.11-TiDB-"


class TidbKind(MysqlKind):
    """tidb-server."""

    main_file = ""
    taken = ("[FATAL] listen tcp 0.0.0.0:{port}: bind: address already in use", 1)

    def protocol_of(self, program: TidbProgram, listener: str) -> str:
        """MySQL's for clients, HTTP for people."""
        return "http" if listener == "status" else "mysql"

    def ports(self, process: Process, program: TidbProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """That of clients, and that of its status."""
        return (
            port_of(process, f":{flag(process, 'P')}", program.port),
            port_of(process, f":{flag(process, 'status')}", program.status_port),
        )

    def listener(self, process: Process, program: TidbProgram, port: int) -> str:
        """The name under which a port is known."""
        return "server" if port == self.ports(process, program)[0] else "status"

    def version(self, program: Any, words: list[str]) -> str:
        """What `-V` prints."""
        return f"Release Version: {program.version}\nEdition: Community\nStore: unistore\n"

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Greet, and look for PD."""
        settings = {
            **process.settings,
            _TRIED: "0",
            "sql.version": f"{_MYSQL}{program.version}",
            "sql.version_comment": f"TiDB Server (Apache License 2.0) Community Edition, MySQL 8.0 compatible ({program.version})",
        }
        process = change(world, process.ref, settings=settings)
        release = {"Release Version": program.version, "Edition": "Community"}
        tell(world, process, [("info", "printer.go:47", "Welcome to TiDB.", release)])
        StoreKind.begin(self, world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Connect to the stores, and serve once they can be read."""
        endpoints = flag(process, "path")
        failed = outage(world, process, endpoints)
        if failed is not None:
            self._again(world, process, endpoints, failed, arguments)
            return
        pd = leading_pd(world, process, endpoints)
        assert pd is not None
        data = load_pd(world, pd.settings[PD_STORAGE])
        storage = f"tikv/{data.cluster}"
        settings = {**process.settings, "sql.storage": storage, CLUSTER: endpoints}
        process = change(world, process.ref, settings=settings)
        if not load(world, storage).version:
            tell(world, process, [("info", "bootstrap.go:700", "bootstrap successful", {})])
            first = SqlData(program.version, {"test": b""}, {"root": Account("", superuser=True)})
            store(world, storage, first)
        StoreKind.event(self, world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.served_at is not None:
            client, status = self.ports(still, program)
            tell(
                world,
                still,
                [
                    ("info", "server.go:269", "server is running MySQL protocol", {"addr": f"0.0.0.0:{client}"}),
                    ("info", "http_status.go:103", "for status and metrics report", {"listening on addr": f"0.0.0.0:{status}"}),
                ],
            )  # fmt: skip

    def _again(
        self,
        world: World,
        process: Process,
        endpoints: str,
        failed: tuple[int, str],
        arguments: tuple[Any, ...],
    ) -> None:
        tried = int(process.settings[_TRIED]) + 1
        number, words = failed
        error = {"error": f"[tikv:{number}]{words}"}
        if tried >= _ATTEMPTS:
            tell(world, process, [("fatal", "terror.go:309", "unexpected error", error)])
            end(world, process.ref, 1)
            return
        change(world, process.ref, settings={**process.settings, _TRIED: str(tried)})
        where = {"path": f"tikv://{endpoints}", **error}
        tell(world, process, [("warn", "store.go:93", "new store with retry failed", where)])
        world.after(_ASKS_AGAIN_S, "userland.event", process.ref, *arguments)

    def ready_lines(self, process: Process, program: Any) -> tuple[Line, ...]:
        """Said by `event`."""
        return ()

    def failure(self, world: World, process: Process) -> MysqlError | None:
        """Why nothing can be read or written now."""
        failed = outage(world, process, process.settings[CLUSTER])
        return None if failed is None else MysqlError(failed[0], "HY000", failed[1])

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Accounts are in memory; databases are looked up there, too."""
        if CLUSTER not in process.settings:
            return Refusal("reset", "")
        return super().dial(world, process, program, client, peer)

    def command(
        self, world: World, process: Process, program: Any, client: Client, command: str,
        collection: str, dialled: bool,
    ) -> Refusal | None:  # fmt: skip
        """Carry out a command, as far as the stores can be reached."""
        error = self.failure(world, process)
        if error is not None:
            return Refusal("server", f"Error {error.number} ({error.state}): {error}")
        return super().command(world, process, program, client, command, collection, dialled)

    def data_file(self, process: Process, program: Any) -> DataFile | None:
        """It has no data of its own."""
        return None

    def data_files(
        self, world: World, process: Process, program: Any
    ) -> tuple[str, Mapping[str, int]]:
        """Nor a directory."""
        return "", {}

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """It touches no disk."""
        return ""

    def look_at_disk(self, world: World, process: Process, program: Any) -> None:
        """It touches no disk."""

    def cold_share(self, world: World, process: Process, program: Any) -> float:
        """It reads nothing from a disk."""
        return 0.0

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Say that it ends."""
        if process.served_at is not None:
            tell(world, process, [("info", "signal_posix.go:54", "got signal to exit", {"signal": "terminated"}), ("info", "server.go:1013", "kill all connections.", {"category": "server"})])  # fmt: skip
        return StoreKind.goodbye(self, world, process, program)

    def talk(self, world: World, process: Process, program: Any, text: str) -> str:
        """The greeting, which a client of MySQL waits for."""
        return f"J\0\0\0\n{_MYSQL}{program.version}\0"

    def web(
        self, world: World, process: Process, program: Any, method: str, path: str
    ) -> WebAnswer | None:
        """Its status port."""
        if path.partition("?")[0] != "/status":
            return WebAnswer(404, "404 page not found\n", "text/plain; charset=utf-8")
        found = {
            "connections": len(connected(world, process.ref)),
            "version": f"{_MYSQL}{program.version}",
        }
        return WebAnswer(200, to_json(found), "application/json")
