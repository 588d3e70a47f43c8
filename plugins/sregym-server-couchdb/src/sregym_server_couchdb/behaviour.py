"""A CouchDB server of one node: databases live with the volume at its data directory."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.servers import (
    ALTERED,
    DataFile,
    DiskProblem,
    Process,
    Refusal,
    StoreKind,
    WebAnswer,
    WebRequest,
    change,
    end,
    invalidate_traffic,
    moment,
    process_of,
    storage,
    write_log,
)

from sregym_server_couchdb.api import Admin, Asked, answer
from sregym_server_couchdb.data import Database, load, store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_couchdb.program import CouchProgram

_SHARDS = "shards/00000000-1fffffff"
_STARTED = tuple(
    f"Application {name} started on node nonode@nohost"
    for name in ("couch_log", "folsom", "couch_stats", "khash", "couch_event", "ibrowse", "ioq")
)
_STATUS = {200: "OK", 201: "Created", 400: "Bad Request", 401: "Unauthorized", 404: "Object Not Found", 405: "Method Not Allowed", 412: "Precondition Failed"}  # fmt: skip
_PARTY = (
    "WARNING: no admin account is set, everybody may do everything; set COUCHDB_USER and "
    "COUCHDB_PASSWORD"
)
# From this release on a server without an administrator does not start.
_NO_PARTY = 3
_NO_ADMIN = (
    "ERROR: CouchDB 3.0+ does not run without an admin account; set COUCHDB_USER and "
    "COUCHDB_PASSWORD"
)


class CouchKind(StoreKind):
    """Apache CouchDB."""

    port_flags = ()
    taken = (
        "Failure to start Mochiweb: eaddrinuse\n"
        "[os_mon] cpu supervisor port (cpu_sup): Erlang has closed",
        1,
    )

    def begin(self, world: World, process: Process, program: CouchProgram) -> None:
        """Find the data, make the databases that a first start has, and greet."""
        kept = storage(world, process, program.data_dir)
        environment = process.environment
        settings = {
            "couchdb.storage": kept,
            "couchdb.user": environment.get("COUCHDB_USER", ""),
            "couchdb.password": environment.get("COUCHDB_PASSWORD", ""),
        }
        process = change(world, process.ref, settings={**process.settings, **settings})
        if not settings["couchdb.user"] and int(program.version.partition(".")[0]) >= _NO_PARTY:
            write_log(
                world, process.ref, program, (Line(text=_NO_ADMIN, raw=True, stream="stderr"),)
            )
            end(world, process.ref, 1)
            return
        data = load(world, kept)
        if not data.starts:
            for name, documents in program.databases.items():
                data = data.with_database(name, Database(documents))
        store(world, kept, data._replace(starts=data.starts + 1))
        if not settings["couchdb.user"]:
            write_log(world, process.ref, program, (Line(text=_PARTY, raw=True, stream="stderr"),))
        self._write(world, process, program, "info", _STARTED)
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port, and say so."""
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is None or not still.running:
            return
        port = self.ports(process, program)[0]
        lines = (
            f"Apache CouchDB has started on http://any:{port}/",
            "Application couch started on node nonode@nohost",
        )
        self._write(world, process, program, "info", lines)

    def dial(
        self, world: World, process: Process, program: CouchProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Whether a client is let in."""
        if _admin(process).knows(client.user, client.password):
            return None
        words = "Name or password is incorrect." if client.user else "You are not a server admin."
        return Refusal("auth", f"unauthorized: {words}")

    def command(
        self,
        world: World,
        process: Process,
        program: CouchProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Look for a document or write one, when there is such a database."""
        refused = self.dial(world, process, program, client, "")
        if refused is not None:
            return refused
        data = load(world, process.settings.get("couchdb.storage", ""))
        if collection and collection not in data.databases:
            return Refusal("server", "not_found: Database does not exist.")
        return None

    def seed(
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        documents: int,
        record: str = "",
    ) -> None:
        """Fill a database that is empty."""
        kept = process.settings["couchdb.storage"]
        data = load(world, kept)
        known = data.databases.get(collection)
        if known is not None and not known.documents:
            store(world, kept, data.with_database(collection, Database(documents, record)))
            invalidate_traffic(world)

    def respond(
        self, world: World, process: Process, program: CouchProgram, request: WebRequest
    ) -> WebAnswer | None:
        """Its HTTP API."""
        kept = process.settings.get("couchdb.storage")
        if kept is None:
            return None
        data = load(world, kept)
        uuid = blake2b(kept.encode(), digest_size=16).hexdigest()
        asked = Asked(request, program.version, uuid, _admin(process), data)
        found, after = answer(asked)
        if after is not data:
            store(world, kept, after)
            invalidate_traffic(world)
        return found

    def talk(self, world: World, process: Process, program: CouchProgram, text: str) -> str:
        """An HTTP request that a person types."""
        head, _, _ = text.partition("\r\n\r\n")
        first, *rest = head.splitlines() or [""]
        words = first.split()
        if len(words) != 3 or not words[2].startswith("HTTP/"):
            return ""
        pairs = (line.partition(":") for line in rest)
        headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
        request = WebRequest(words[0], words[1], headers=headers)
        found = self.respond(world, process, program, request)
        if found is None:
            return ""
        status = f"{found.status} {_STATUS.get(found.status, 'Error')}"
        size = len(found.body.encode())
        return f"HTTP/1.1 {status}\r\nContent-Type: {found.content_type}\r\nContent-Length: {size}\r\n\r\n{found.body}"

    def data_file(self, process: Process, program: CouchProgram) -> DataFile | None:
        """The file of one of its shards."""
        kept = process.settings.get("couchdb.storage")
        return None if kept is None else DataFile(kept, program.data_dir, f"{_SHARDS}/_dbs.couch")

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """Its words when the disk does not do what it should."""
        if trouble.error == ALTERED:
            return "file_corruption: file corruption"
        return f"{trouble.words.lower().replace(' ', '_')}: unknown_error"

    def cold_share(self, world: World, process: Process, program: Any) -> float:
        """The file system's cache has what was read before."""
        return 0.2

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Say that it ends."""
        self._write(world, process, program, "info", ("SIGTERM received - shutting down",))
        return super().goodbye(world, process, program)

    def _write(
        self,
        world: World,
        process: Process,
        program: CouchProgram,
        level: str,
        texts: Sequence[str],
    ) -> None:
        when = moment(world, world.now)
        stamp = f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}Z"
        lines = [
            Line(text=f"[{level}] {stamp} nonode@nohost <0.9.0> -------- {text}", raw=True, stream="stderr")
            for text in texts
        ]  # fmt: skip
        write_log(world, process.ref, program, lines)


def _admin(process: Process) -> Admin:
    """Who administers a server: as its start found it."""
    return Admin(
        process.settings.get("couchdb.user", ""), process.settings.get("couchdb.password", "")
    )
