"""A MongoDB server behind the entry point of its official image."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, expand
from sregym_cluster_embedded.sdk.replication import beat, join, leave, turns
from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    WRITING,
    ConnectionLimit,
    DataFile,
    Kind,
    LogLine,
    Process,
    Refusal,
    append,
    change,
    connection_count,
    end,
    listen_failure,
    open_port,
    read_problem,
    serve,
    throttled_duration_s,
    write_problem,
)

from sregym_server_mongodb import checkpoints, encryption, members
from sregym_server_mongodb.administration import MOST_CONNECTIONS, most_connections
from sregym_server_mongodb.builds import build_of
from sregym_server_mongodb.configuration import BAD_OPTIONS, BadOptionsError, options
from sregym_server_mongodb.connection import command_text, needs_login
from sregym_server_mongodb.crowding import HUNG_UP, limited_to
from sregym_server_mongodb.data import Collection, MongoData, load, login_error, store
from sregym_server_mongodb.files import MADE_ANEW, met_by_start, sizes
from sregym_server_mongodb.first_start import initialise, plain
from sregym_server_mongodb.indexes import enlarged, examined
from sregym_server_mongodb.lines import mongod_line
from sregym_server_mongodb.versions import NEEDS_DOWNGRADE, before, upgrade_problem
from sregym_server_mongodb.views import note_view
from sregym_server_mongodb.visits import Denial, Visit, note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.replication import Place
    from sregym_cluster_embedded.sdk.servers import Files, Secured, World

    from sregym_server_mongodb.configuration import Options
    from sregym_server_mongodb.program import MongodbProgram

# Exit codes of mongod that gives up at once, and that meets an error it knows nothing of.
_ABRUPT, _UNCAUGHT = 14, 100
# From the start to the end of a server that cannot use its files.
_REFUSES_S = 0.4
_CLIENT_PORT = 43_210

# Exit code of mongod when it cannot listen.
_PORT_TAKEN = 48


class MongodbKind(Kind):
    """mongod: data under its volume's identity, accounts, init scripts, its own log lines.

    Those of a start are worked out when they are read (`telemetry.mongod_start`).
    """

    ipv4_only = True
    made_anew = MADE_ANEW
    # What is read lies in the cache of the storage engine.
    examining_ms = 0.0007

    def begin(self, world: World, process: Process, program: MongodbProgram) -> None:
        """Plan what the program does first."""
        files = world.service(RUNTIME).files(world, process)
        try:
            given = options(files, process.argv[1:])
        except BadOptionsError as error:
            plain(world, process, str(error))
            end(world, process.ref, BAD_OPTIONS)
            return
        rooted = "MONGO_INITDB_ROOT_USERNAME" in process.environment
        folder = given.folder or program.data_dir
        settings = {
            **process.settings,
            **encryption.settings(given, files),
            "mongod.auth": "true" if given.authorization or rooted else "false",
            "mongod.storage": files.storage(folder),
            "mongod.folder": folder,
            "mongod.port": given.port or expand(program.port, process.facts()),
            "mongod.connections": given.connections or str(MOST_CONNECTIONS),
            "mongod.options": json.dumps(given.told, default=str, skipkeys=True),
            "mongod.set": given.replica_set,
        }
        process = change(world, process.ref, settings=settings)
        if self._unsecured(world, process, given, files):
            return
        if self._cannot_open(world, process, program):
            return
        data = load(world, settings["mongod.storage"])
        major = ".".join(program.version.split(".")[:2])
        if data.version and data.version not in (major, *(program.reads or before(major))):
            self._refuse_files(world, process, program, data.version)
            return
        seconds = throttled_duration_s(process, program.starts_in_s)
        world.after(seconds, "userland.event", process.ref, "ready", data.version == "")

    def event(
        self, world: World, process: Process, program: MongodbProgram, *arguments: Any
    ) -> None:
        """Go on with what was planned."""
        if arguments == ("heartbeat",):
            if process.running and turns(world, process):
                beat(world, process, members.SET)
                note_view(world, process)
            return
        if arguments == ("checkpoint",):
            self._checkpoint(world, process, program)
            return
        storage = process.settings["mongod.storage"]
        data = load(world, storage)
        if not data.version:
            major = ".".join(program.version.split(".")[:2])
            store(world, storage, MongoData(version=major))
            if not initialise(world, process, storage):
                return
        port = int(process.settings["mongod.port"])
        if why := listen_failure(world, process, port):
            text, error = "Failed to set up listener", f"SocketException: {why}"
            self._log(world, process, "CONTROL", 20568, "initandlisten", text, "E", error=error)
            end(world, process.ref, _PORT_TAKEN)
            return
        if not open_port(world, process.ref, port, "server"):
            return
        for address in (f"/tmp/mongodb-{port}.sock", "0.0.0.0"):  # noqa: S104, S108 - its words
            self._log(world, process, "NETWORK", 23015, "listener", "Listening on", address=address)
        text = "Waiting for connections"
        self._log(
            world,
            process,
            "NETWORK",
            23016,
            "listener",
            text,
            port=port,
            ssl=encryption.speaks(process),
        )
        serve(world, process.ref)
        if process.settings["mongod.set"]:
            join(world, process, members.SET)

    def ended(self, world: World, process: Process) -> None:
        """Its data directory keeps how far it is."""
        if process.settings.get("mongod.set"):
            leave(world, process, members.SET)

    def place(self, world: World, process: Process, program: MongodbProgram) -> Place | None:
        """What a member of a replica set tells drivers."""
        return members.place(world, process) if "mongod.set" in process.settings else None

    def behind_s(self, world: World, process: Process, program: MongodbProgram) -> float:
        """How far a secondary is behind."""
        return members.lag_s(world, process)

    def dial(
        self, world: World, process: Process, program: MongodbProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        most, held = most_connections(process), 0
        if most < MOST_CONNECTIONS:
            held = connection_count(world, process.ref)
        if held >= most:
            text = "Connection refused because there are too many open connections"
            remote = f"{peer}:{_CLIENT_PORT}"
            self._log(
                world, process, "NETWORK", 22942, "listener", text,
                remote=remote, connectionCount=held + 1,
            )  # fmt: skip
            return Refusal("overloaded", HUNG_UP)
        error = ""
        if client.user:
            data = load(world, process.settings["mongod.storage"])
            account = data.accounts.get((client.auth_database, client.user))
            error = login_error(account, client.auth_database, client.user, client.password)
        visit = Visit(world.now, peer, "", client.user, client.auth_database, error)
        note(world, process.ref, visit)
        if not error:
            return None
        return Refusal("auth", "Authentication failed.")

    def limits(
        self, world: World, process: Process, program: MongodbProgram, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """All clients together."""
        return limited_to(most_connections(process))

    def command(
        self,
        world: World,
        process: Process,
        program: MongodbProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Carry out a command, or not."""
        data = load(world, process.settings["mongod.storage"])
        account = data.accounts.get((client.auth_database, client.user)) if client.user else None
        known = account is not None and account.password == client.password
        if client.user and not known and not dialled:
            return Refusal("auth", "Authentication failed.")
        action = "write" if command in WRITING else "read"
        if process.settings["mongod.auth"] == "true":
            if account is None:
                return Refusal("unauthorized", needs_login(command, process))
            if not account.may(action, client.database):
                shown = command_text(command, collection, client.database)
                text = f"not authorized on {client.database} to execute command {shown}"
                return Refusal("unauthorized", text)
        if action == "read":
            return None
        if not members.is_writable(world, process):
            return Refusal("server", members.not_primary(program.version))
        return members.unacknowledged(world, process, program.version, client)

    def refused(
        self, world: World, process: Process, program: MongodbProgram, refusal: Refusal, peer: str
    ) -> None:
        """Say in the log that an account had no right to a command."""
        if refusal.kind == "unauthorized":
            note(world, process.ref, Denial(world.now, peer, refusal.text))
        elif said := encryption.handshake_error(refusal):
            note(world, process.ref, Visit(world.now, peer, broken=said))

    def secured(
        self, world: World, process: Process, program: MongodbProgram, listener: str
    ) -> Secured | None:
        """By its mode, and with what it read when it started."""
        return encryption.secured(process)

    def data_file(self, process: Process, program: MongodbProgram) -> DataFile | None:
        """The storage engine's own table."""
        if "mongod.storage" not in process.settings:
            return None
        kept, folder = process.settings["mongod.storage"], process.settings["mongod.folder"]
        return DataFile(kept, folder, "WiredTiger.wt")

    def data_files(
        self, world: World, process: Process, program: MongodbProgram
    ) -> tuple[str, Mapping[str, int]]:
        """Those of its storage engine."""
        settings = process.settings
        return settings["mongod.folder"], sizes(world, settings["mongod.storage"])

    def command_line(self, words: tuple[str, ...], program: MongodbProgram) -> tuple[str, ...]:
        """The entry point of the official image has it listen on all addresses."""
        return (*words, "--bind_ip_all")

    def version(self, program: MongodbProgram, words: list[str]) -> str:
        """The release and how it was built."""
        about = json.dumps(build_of(program.version), indent=4)
        return f"db version v{program.version}\nBuild Info: {about}\n"

    def streams(self, process: Process) -> frozenset[str]:
        """It has written what it writes when it starts."""
        return frozenset({"stdout"}) if "mongod.folder" in process.settings else frozenset()

    def look_at_disk(self, world: World, process: Process, program: MongodbProgram) -> None:
        """A write that fails is met by the next checkpoint, a read by one of those to come."""
        file = self.data_file(process, program)
        due_s = None if file is None else checkpoints.checkpoint_due_s(world, process, file)
        if due_s is not None:
            world.after(due_s, "userland.event", process.ref, "checkpoint")

    def file_lost(self, world: World, process: Process, program: MongodbProgram, name: str) -> None:
        """What it has open it keeps; the next checkpoint misses the folder of the journal."""
        self.look_at_disk(world, process, program)

    def call_failed(
        self, world: World, process: Process, call: str, number: int, words: str
    ) -> int | None:
        """The storage engine ends the server when it cannot read the clock."""
        if call != "clock_gettime":
            return None
        self._panic(world, process, "thread1", number, f"{checkpoints.UNREADABLE_CLOCK}{words}")
        return _ABRUPT

    def _checkpoint(self, world: World, process: Process, program: MongodbProgram) -> None:
        """A storage engine that cannot write, or read what it merges, ends the server."""
        file = self.data_file(process, program)
        met = None if file is None else checkpoints.met_by_checkpoint(world, process, file)
        if met is not None:
            self._panic(world, process, "WTCheckpointThread", *met)
            end(world, process.ref, _ABRUPT)

    def _unsecured(self, world: World, process: Process, given: Options, files: Files) -> bool:
        """End a server that cannot read its certificate; whether it ended."""
        found = encryption.unreadable(given, files)
        if found is None:
            return False
        number, text, facts, why = found
        self._log(world, process, "NETWORK", number, "main", text, "E", **facts)
        error = {"code": 140, "codeName": "InvalidSSLConfiguration", "errmsg": why}
        text = "Error during global initialization"
        self._log(world, process, "CONTROL", 20574, "main", text, "F", error=error)
        end(world, process.ref, encryption.UNSECURED)
        return True

    def _cannot_open(self, world: World, process: Process, program: MongodbProgram) -> bool:
        """End a server that cannot read or write its files when it starts; whether it ended."""
        file = self.data_file(process, program)
        assert file is not None
        reads, writes = read_problem(world, process, file), write_problem(world, process, file)
        met = met_by_start(world, process, file, reads)
        if met is not None:
            self._panic(world, process, "initandlisten", *met)
            world.after(_REFUSES_S, "userland.exit", process.ref, _ABRUPT)
        elif writes is not None:
            error = checkpoints.UNWRITABLE[writes.error == "EROFS"].format(
                folder=file.folder, words=writes.words
            )
            text = "DBException in initAndListen, terminating"
            self._log(world, process, "CONTROL", 20557, "initandlisten", text, "E", error=error)
            world.after(_REFUSES_S, "userland.exit", process.ref, _UNCAUGHT)
        return met is not None or writes is not None

    def _panic(self, world: World, process: Process, context: str, number: int, text: str) -> None:
        """What the storage engine says when a call fails, and the server when it gives up."""
        message = "WiredTiger error"
        detail = {"error": number, "message": text}
        self._log(world, process, "STORAGE", 22435, context, message, "E", **detail)
        self._log(
            world, process, "-", 23089, context, "Fatal assertion", "F", msgid=50853,
            file="src/mongo/db/storage/wiredtiger/wiredtiger_util.cpp", line=532,
        )  # fmt: skip
        self._log(
            world, process, "-", 23090, context, "\n\n***aborting after fassert() failure\n\n", "F"
        )

    def seed(
        self, world: World, process: Process, client: Client, collection: str, documents: int,
        record: str = "",
    ) -> None:  # fmt: skip
        """Fill a collection that is empty."""
        storage = process.settings["mongod.storage"]
        data = load(world, storage)
        if data.collection(client.database, collection).count == 0:
            content = Collection(documents, (), record, documents)
            store(world, storage, data.with_collection(client.database, collection, content))

    def enlarge(
        self, world: World, process: Process, client: Client, collection: str, total: int,
        indexes: tuple[str, ...],
    ) -> None:  # fmt: skip
        """Count more in a collection that is as it was filled."""
        storage = process.settings["mongod.storage"]
        data = load(world, storage)
        content = enlarged(data.collection(client.database, collection), total, indexes)
        store(world, storage, data.with_collection(client.database, collection, content))

    def examined(
        self, world: World, process: Process, client: Client, collection: str, by: tuple[str, ...]
    ) -> int:
        """All of them where no index serves."""
        data = load(world, process.settings["mongod.storage"])
        return examined(data.collection(client.database, collection), by)

    def _refuse_files(
        self, world: World, process: Process, program: MongodbProgram, written: str
    ) -> None:
        error = upgrade_problem(program.version, written)
        text = "Wrong mongod version"
        self._log(world, process, "CONTROL", 20573, "initandlisten", text, "F", error=error)
        world.after(program.starts_in_s, "userland.exit", process.ref, NEEDS_DOWNGRADE)

    def _log(
        self,
        world: World,
        process: Process,
        component: str,
        number: int,
        context: str,
        text: str,
        severity: str = "I",
        **attributes: object,
    ) -> None:
        line = mongod_line(world, world.now, severity, component, number, context, text, attributes)
        append(world, process.ref, [LogLine(world.now, "stdout", line)])
