"""PostgreSQL servers behind the entry point of their official image."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.replication import PRIMARY, SECONDARY, Place
from sregym_cluster_embedded.sdk.servers import (
    ALTERED,
    RUNTIME,
    WRITING,
    ConnectionLimit,
    Process,
    Refusal,
    change,
    end,
    moment,
    process_of,
    write_log,
    write_problem,
)

from sregym_server_sql import standby
from sregym_server_sql.data import Account, SqlData, load, right_for
from sregym_server_sql.engine import statements_of
from sregym_server_sql.missing_files import (
    LOCK_CHECK_S,
    LOCK_FILE,
    postgres_unlocked,
    postgres_without,
)
from sregym_server_sql.mysql_kind import SqlKind
from sregym_server_sql.postgres_limits import connection_limits, require_connection_slot
from sregym_server_sql.postgres_panic import SYNC, fall, panic
from sregym_server_sql.postgres_sequences import sequence_exhausted
from sregym_server_sql.postgres_server import PostgresConnection, PostgresError
from sregym_server_sql.postgres_settings import in_effect, settings_at_start
from sregym_server_sql.program import PostgresProgram
from sregym_server_sql.refused_clients import backend_pid, matched_rule
from sregym_server_sql.server_log import (
    LogEntry,
    postgres_first,
    postgres_last,
    postgres_start,
    stamp,
)
from sregym_server_sql.tables import exhausted
from sregym_server_sql.unread import until_next_failure_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import DataFile, DiskProblem, World

# The process of the server that serves a session.
_BACKEND = 61
_PAGE_BYTES = 8192
# Set while it is about to fall; and the event of that.
_FALLS, _SYNCS = "sql.falls", ("sync",)
# It looks for its lock file.
_LOOKS = ("lock-file",)
_STATES = {"ENOSPC": "53100", "EROFS": "25006", ALTERED: "XX001"}
# Path in the data directory -> bytes.
_FILES = {
    "PG_VERSION": 3, "pg_hba.conf": 5743, "pg_ident.conf": 2640, "postgresql.auto.conf": 88,
    "postgresql.conf": 30_777, "postmaster.opts": 36, "postmaster.pid": 94,
    "base/1/112": 8192, "base/1/PG_VERSION": 3, "base/4/112": 8192, "base/4/PG_VERSION": 3,
    "base/5/112": 8192, "base/5/PG_VERSION": 3, "global/pg_control": 8192,
    "global/pg_filenode.map": 524, "global/1262": 8192, "pg_logical/replorigin_checkpoint": 8,
    "pg_multixact/members/0000": 8192, "pg_multixact/offsets/0000": 8192,
    "pg_subtrans/0000": 8192, "pg_wal/000000010000000000000001": 16_777_216, "pg_xact/0000": 8192,
}  # fmt: skip


class _Unlogged(PostgresConnection):
    """What a client of the traffic would meet: its attempts are logged at their rate."""

    def turned_away(self, text: str, why: str = "", *, by_rule: bool = False) -> PostgresError:
        return PostgresError(f"{self._head}FATAL:  {text}")


class PostgresKind(SqlKind):
    """postgres."""

    files = MappingProxyType(_FILES)
    made_anew = (LOCK_FILE, "postmaster.opts")
    main_file = "base/16384/16385"
    unknown_column = 'ERROR: column "{}" does not exist (SQLSTATE 42703)'
    taken = ("FATAL:  could not create any TCP/IP sockets: Address already in use", 1)

    def version(self, program: PostgresProgram, words: list[str]) -> str:
        """One line."""
        return f"postgres (PostgreSQL) {program.version}\n"

    def data_files(
        self, world: World, process: Process, program: Any
    ) -> tuple[str, Mapping[str, int]]:
        """Where the environment wants them."""
        return process.environment.get("PGDATA") or str(program.data_dir), self.files

    def file_lost(
        self, world: World, process: Process, program: PostgresProgram, name: str
    ) -> None:
        """What is open stays open; but it does not serve without its lock file."""
        if name == LOCK_FILE and process.served_at is not None:
            due_s = LOCK_CHECK_S - (world.now - process.served_at) % LOCK_CHECK_S
            world.after(due_s, "userland.event", process.ref, *_LOOKS)

    def without_file(self, world: World, program: PostgresProgram, name: str) -> Sequence[LogEntry]:
        """As the part of it says that needs the file first."""
        return postgres_without(program.data_dir, name)

    def first_data(self, process: Process, program: PostgresProgram) -> SqlData | str:
        """The superuser and the database that the environment names."""
        env = process.environment
        password = env.get("POSTGRES_PASSWORD", "")
        if not password and env.get("POSTGRES_HOST_AUTH_METHOD") != "trust":
            return (
                "Error: Database is uninitialized and superuser password is not specified.\n"
                "       You must specify POSTGRES_PASSWORD to a non-empty value for the\n"
                '       superuser. For example, "-e POSTGRES_PASSWORD=password" on "docker run".\n\n'
                '       You may also use "POSTGRES_HOST_AUTH_METHOD=trust" to allow all\n'
                "       connections without a password. This is *not* recommended.\n\n"
                '       See PostgreSQL documentation about "trust":\n'
                "       https://www.postgresql.org/docs/current/auth-trust.html"
            )
        user = env.get("POSTGRES_USER", "postgres")
        names = dict.fromkeys(["postgres", "template0", "template1", env.get("POSTGRES_DB", user)])
        accounts = {user: Account(password, superuser=True)}
        return SqlData(program.version, dict.fromkeys(names, b""), accounts)

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Take up what was set by ALTER SYSTEM and waited for a restart."""
        storage = world.service(RUNTIME).files(world, process).storage(program.data_dir)
        settings = {**settings_at_start(load(world, storage).settings), **process.settings}
        super().begin(world, change(world, process.ref, settings=settings), program)
        begun = process_of(world, process.ref)
        if begun is not None and begun.running:
            standby.signalled(world, begun)

    def ended(self, world: World, process: Process) -> None:
        """The sender of its changes stops."""
        super().ended(world, process)
        standby.ended(world, process)

    def initialise(self, world: World, process: Process, script: str) -> None:
        """Run an init script as the superuser; the first error ends it."""
        env = process.environment
        user = env.get("POSTGRES_USER", "postgres")
        name = env.get("POSTGRES_DB", user)
        connection = PostgresConnection(world, process, user, "", name, "")
        for statement in statements_of(script):
            try:
                connection.execute(statement)
            except PostgresError as error:
                program = world.service(RUNTIME).program_as(process, PostgresProgram)
                write_log(
                    world, process.ref, program, (Line(text=str(error), raw=True, stream="stderr"),)
                )
                return

    def open(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so."""
        port = self.ports(process, program)[0]
        closed_at = self.reopened(world, process)
        super().open(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            form, began = "postgres", moment(world, process.started_at)
            closed = None if closed_at is None else stamp(moment(world, closed_at), form)
            before = f"{began:%Y-%m-%d %H:%M:%S} UTC"
            follows = standby.data_of(world, process).standby
            closed = None if closed is None else f"{closed[:19]} UTC"
            self.tell(
                world,
                process,
                program,
                postgres_start(program.version, port, closed, before, follows=follows),
            )
            standby.start(world, process)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """A standby looks for changes; or what all servers of SQL do."""
        if arguments == _SYNCS:
            self._sync(world, process, program)
        elif arguments == _LOOKS:
            self.tell(world, process, program, postgres_unlocked())
            end(world, process.ref, 0)
        elif arguments != ("stream",):
            super().event(world, process, program, *arguments)
        elif said := standby.replicate(world, process):
            self.tell(world, process, program, said)

    def place(self, world: World, process: Process, program: Any) -> Place | None:
        """Whether it takes writes, as drivers ask that are given several addresses."""
        if "sql.storage" not in process.settings:
            return None
        follows = standby.data_of(world, process).standby
        return Place(SECONDARY if follows else PRIMARY)

    def behind_s(self, world: World, process: Process, program: Any) -> float:
        """How far a standby is behind."""
        return standby.lag_s(world, process)

    def first_lines(
        self, world: World, process: Process, program: PostgresProgram, scripts: Sequence[str]
    ) -> Sequence[LogEntry]:
        """What is written while an empty directory is filled."""
        env, now = process.environment, moment(world, world.now)
        database = env.get("POSTGRES_DB", env.get("POSTGRES_USER", "postgres"))
        shut_down = f"{now:%Y-%m-%d %H:%M:%S} UTC"
        return postgres_first(program.version, program.data_dir, database, scripts, shut_down)

    def last_lines(self, program: PostgresProgram) -> Sequence[LogEntry]:
        """What is written when the server is told to end."""
        return postgres_last()

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not; `peer` is empty where the traffic asks on behalf of many attempts."""
        try:
            connection = (PostgresConnection if peer else _Unlogged)(
                world, process, client.user, client.password, client.database or client.user, " "
            )
            require_connection_slot(connection)
        except PostgresError as error:
            text = str(error).strip().replace("FATAL:  ", "FATAL: ")
            return Refusal("auth", f"failed to connect: {text}")
        return None

    def limits(
        self, world: World, process: Process, program: Any, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """Those of the server and of the role."""
        return connection_limits(world, process, client.user)

    def command(
        self, world: World, process: Process, program: Any, client: Client, command: str,
        collection: str, dialled: bool,
    ) -> Refusal | None:  # fmt: skip
        """Carry out a command, or not."""
        data = load(world, process.settings["sql.storage"])
        account = data.acting(client.user)
        if account is None or account.password != client.password:
            return self.dial(world, process, program, client, "")
        write = command in WRITING
        database = client.database or client.user
        if database not in data.databases:
            return self.dial(world, process, program, client, "")
        if collection and data.misses(database, collection):
            text = f'ERROR: relation "{collection}" does not exist (SQLSTATE 42P01)'
            return Refusal("server", text)
        allowed = account.may(database, write=write)
        if collection:
            allowed = right_for(command, write=write) in account.rights(database, collection)
        if not allowed:
            table = collection.rpartition(".")[2]
            return Refusal(
                "unauthorized", f"ERROR: permission denied for table {table} (SQLSTATE 42501)"
            )
        verb = right_for(command, write=write)
        if collection and verb == "INSERT" and (spent := exhausted(data, database, collection)):
            return Refusal(
                "server",
                f"{sequence_exhausted(data, database, collection, spent)} (SQLSTATE 2200H)",
            )
        settings = {**data.settings, **account.settings}
        read_only = settings.get("default_transaction_read_only") == "on" or data.standby
        if write and read_only:
            verb = right_for(command, write=True)
            text = f"ERROR: cannot execute {verb} in a read-only transaction (SQLSTATE 25006)"
            return Refusal("server", text)
        if write and standby.unsynchronised(world, process, data):
            return Refusal("timeout", "")
        return None

    def turned_away(
        self, world: World, process: Process, text: str, why: str, by_rule: bool
    ) -> None:
        """A client was not let in: say so, and by which rule for clients."""
        program = world.service(RUNTIME).program_as(process, PostgresProgram)
        said = [f"FATAL:  {text}"]
        if by_rule:
            rule = matched_rule(program)
            said.append(f"DETAIL:  {why}\n\t{rule}" if why else f"DETAIL:  {rule}")
        pid = backend_pid(process.started_at, world.now)
        self.tell(world, process, program, [LogEntry(f"{{at}} [{pid}] {line}") for line in said])

    def failed(self, world: World, process: Process, text: str, statement: str) -> None:
        """A statement of a session failed: say so, and which one it was."""
        first, _, rest = text.partition("\n")
        mark = re.search(r"LINE 1: (.*)\n( *)\^", text)
        at = f" at character {len(mark.group(2)) - 7}" if mark is not None else ""
        said = [f"{first}{at}"]
        said += [line for line in rest.split("\n") if line.startswith(("DETAIL:", "HINT:"))]
        said.append(f"STATEMENT:  {statement}")
        self.tell(
            world,
            process,
            world.service(RUNTIME).program_as(process, PostgresProgram),
            [LogEntry(f"{{at}} [{_BACKEND}] {line}") for line in said],
        )

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """A file cannot be extended or read."""
        state = _STATES.get(trouble.error, "58030")
        if write and trouble.call == SYNC:
            return f"PANIC: {panic(trouble)} (SQLSTATE {state})"
        text = (
            f'could not extend file "{file.name}": {trouble.words}'
            if write
            else self._unreadable(trouble)
        )
        return f"ERROR: {text} (SQLSTATE {state})"

    def look_at_disk(self, world: World, process: Process, program: PostgresProgram) -> None:
        """A failed fsync is noticed by the first session that commits."""
        super().look_at_disk(world, process, program)
        process = process_of(world, process.ref) or process
        trouble = self._unsynced(world, process, program)
        if trouble is not None and process.served_at is not None and _FALLS not in process.settings:
            change(world, process.ref, settings={**process.settings, _FALLS: "yes"})
            due_s = until_next_failure_s(world, process, trouble.share)
            world.after(due_s, "userland.event", process.ref, *_SYNCS)

    def _unsynced(
        self, world: World, process: Process, program: PostgresProgram
    ) -> DiskProblem | None:
        """What its syncs meet, where they alone do."""
        file = self.data_file(process, program)
        trouble = None if file is None else write_problem(world, process, file)
        return trouble if trouble is not None and trouble.call == SYNC else None

    def _sync(self, world: World, process: Process, program: PostgresProgram) -> None:
        """It falls, and cannot recover; or all is well again meanwhile."""
        settings = {key: value for key, value in process.settings.items() if key != _FALLS}
        process = change(world, process.ref, settings=settings)
        trouble = self._unsynced(world, process, program)
        if trouble is not None:
            last = stamp(moment(world, process.served_at or 0.0), "postgres")
            self.tell(world, process, program, fall(trouble, _BACKEND, program.data_dir, last))
            end(world, process.ref, 1)

    def pool_bytes(self, world: World, process: Process) -> int:
        """The shared buffers."""
        kept = load(world, process.settings["sql.storage"]).settings
        pages = in_effect(process.settings, kept, "shared_buffers")
        return int(pages) * _PAGE_BYTES if pages.isdecimal() else 0

    def unread(
        self, world: World, program: PostgresProgram, trouble: DiskProblem
    ) -> Sequence[LogEntry]:
        """As the client is told."""
        lines = [f"ERROR:  {self._unreadable(trouble)}"]
        if trouble.error == ALTERED:
            sums = [int(world.seed.fraction("page", what, world.now) * 2**16) for what in (0, 1)]
            warned = f"calculated checksum {sums[0]} but expected {sums[1]}"
            lines.insert(0, f"WARNING:  page verification failed, {warned}")
        return [LogEntry(f"{{at}} [{_BACKEND}] {line}") for line in lines]

    def _unreadable(self, trouble: DiskProblem) -> str:
        block = trouble.offset // _PAGE_BYTES
        if trouble.error == ALTERED:
            return f"invalid page in block {block} of relation {self.main_file}"
        return f'could not read block {block} in file "{self.main_file}": {trouble.words}'
