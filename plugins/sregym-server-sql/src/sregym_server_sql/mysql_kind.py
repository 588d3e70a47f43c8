"""MySQL and PostgreSQL servers behind the entry points of their official images."""

from __future__ import annotations

import errno
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line, Program
from sregym_cluster_embedded.sdk.servers import (
    ALTERED,
    RUNTIME,
    WRITING,
    ConnectionLimit,
    DataFile,
    DiskProblem,
    Process,
    Refusal,
    change,
    end,
    moment,
    parse_words,
    process_of,
    read_problem,
    write_log,
)

from sregym_server_sql import mysql_replica
from sregym_server_sql.data import Account, SqlData, load, right_for, store
from sregym_server_sql.engine import statements_of
from sregym_server_sql.missing_files import first_missing, innodb_without
from sregym_server_sql.mysql_accounts import rights_on
from sregym_server_sql.mysql_errors import withstood
from sregym_server_sql.mysql_limits import MYSQL_FILES, connection_limits, no_slot
from sregym_server_sql.mysql_server import MysqlConnection, MysqlError
from sregym_server_sql.mysql_tables import auto_increment_exhausted
from sregym_server_sql.mysql_variables import in_effect, option_against_writes
from sregym_server_sql.seeding import FilledTables
from sregym_server_sql.server_log import (
    LogEntry,
    innodb_altered,
    innodb_unread,
    lines,
    mysql_entry,
    mysql_first,
    mysql_last,
    mysql_start,
)
from sregym_server_sql.sleeping import WAKES, end_sleep
from sregym_server_sql.tables import exhausted
from sregym_server_sql.unread import cold_share, size_of, until_next_failure_s

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_sql.program import MysqlProgram

_INIT_FOLDER = "/docker-entrypoint-initdb.d"
# A read that fails, and the setting of a process for which one is planned.
_READS, _MEETS = ("read",), "sql.meets"


def _is_mysql(program: MysqlProgram) -> bool:
    """Whether it is no MariaDB, whose versions are two digits long and whose lines are others."""
    return not program.version.startswith("1")


class SqlKind(FilledTables):
    """What both servers have in common: first start with an empty directory, accounts, settings."""

    ipv4_only = True
    files: Mapping[str, int] = MappingProxyType({})

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Read the settings; fill an empty data directory, or end when no password is given."""
        files = world.service(RUNTIME).files(world, process)
        flags, _ = parse_words(process.argv[1:], {})
        given = {f"sql.{name.replace('-', '_')}": value for name, value in flags.items()}
        words = list(process.argv[1:])
        for place, word in enumerate(words[:-1]):
            if word == "-c" and "=" in words[place + 1]:
                name, _, value = words[place + 1].partition("=")
                given[f"sql.{name}"] = value
        settings = {
            **process.settings, **given,
            "sql.storage": files.storage(program.data_dir), "sql.version": program.version,
        }  # fmt: skip
        process = change(world, process.ref, settings=settings)
        storage = settings["sql.storage"]
        self.greet(world, process, program)
        if name := first_missing(world, process, self.data_files(world, process, program)[0]):
            self.tell(world, process, program, self.without_file(world, program, name))
            end(world, process.ref, 1)
            return
        if not load(world, storage).version:
            made = self.first_data(process, program)
            if isinstance(made, str):
                self.tell(world, process, program, [LogEntry(text) for text in made.split("\n")])
                end(world, process.ref, 1)
                return
            store(world, storage, replace(made, closed_at=world.now))
            scripts = [
                f"{_INIT_FOLDER}/{name}"
                for name in files.listing(_INIT_FOLDER) or ()
                if name.endswith(".sql")
            ]
            self.tell(world, process, program, self.first_lines(world, process, program, scripts))
            for path in scripts:
                self.initialise(world, process, files.read(path) or "")
        super().begin(world, process, program)

    def without_file(self, world: World, program: Any, name: str) -> Sequence[LogEntry]:
        """What it writes when a file of its data directory is not there at its start."""
        raise NotImplementedError

    def first_data(self, process: Process, program: Any) -> SqlData | str:
        """What an empty directory is filled with, or why it cannot be."""
        raise NotImplementedError

    def greet(self, world: World, process: Process, program: Any) -> None:
        """What the entry point writes before it looks at the data."""

    def first_lines(
        self, world: World, process: Process, program: Any, scripts: Sequence[str]
    ) -> Sequence[LogEntry]:
        """What is written while an empty directory is filled."""
        return ()

    def last_lines(self, program: Any) -> Sequence[LogEntry]:
        """What is written when the server is told to end."""
        return ()

    def tell(self, world: World, process: Process, program: Any, said: Sequence[LogEntry]) -> None:
        """Write lines of now."""
        write_log(world, process.ref, program, lines(world, said, str(program.kind)))

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """End in order."""
        left_s = super().goodbye(world, process, program)
        storage = process.settings.get("sql.storage", "")
        if left_s is not None and process.served_at is not None:
            self.tell(world, process, program, self.last_lines(program))
            store(world, storage, replace(load(world, storage), closed_at=world.now))
        return left_s

    def reopened(self, world: World, process: Process) -> float | None:
        """When the server before ended in order; from now on none has."""
        data = load(world, process.settings["sql.storage"])
        if data.closed_at is not None:
            store(world, process.settings["sql.storage"], replace(data, closed_at=None))
        return data.closed_at

    # The file that stands for all that it keeps.
    main_file = ""

    def data_file(self, process: Process, program: Any) -> DataFile | None:
        """The file with most of its data."""
        kept = process.settings.get("sql.storage")
        return None if kept is None else DataFile(kept, program.data_dir, self.main_file)

    def data_files(
        self, world: World, process: Process, program: Any
    ) -> tuple[str, Mapping[str, int]]:
        """Those that stand there whatever is stored."""
        return str(program.data_dir), self.files

    def pool_bytes(self, world: World, process: Process) -> int:
        """How large a part of its memory it keeps pages of its files in."""
        raise NotImplementedError

    def unread(self, world: World, program: Any, trouble: DiskProblem) -> Sequence[LogEntry]:
        """What it writes when it cannot read a page."""
        raise NotImplementedError

    def cold_share(self, world: World, process: Process, program: Any) -> float:
        """What has no room in its memory, and a little that was never read."""
        return cold_share(world, process, self.pool_bytes(world, process))

    def look_at_disk(self, world: World, process: Process, program: Any) -> None:
        """A page that cannot be read fails the first statement that needs it."""
        file = self.data_file(process, program)
        if file is None or process.served_at is None or _MEETS in process.settings:
            return
        trouble = read_problem(world, process, file)
        if trouble is not None:
            share = trouble.share * self.cold_share(world, process, program)
            change(world, process.ref, settings={**process.settings, _MEETS: "yes"})
            due_s = until_next_failure_s(world, process, share)
            world.after(due_s, "userland.event", process.ref, *_READS)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Begin to serve, let a session wake up, or meet a page that cannot be read."""
        if arguments[:1] == (WAKES,):
            end_sleep(world, process, int(arguments[1]))
            return
        if arguments != _READS:
            self.open(world, process, program, *arguments)
        else:
            settings = {key: value for key, value in process.settings.items() if key != _MEETS}
            process = change(world, process.ref, settings=settings)
            file = self.data_file(process, program)
            trouble = None if file is None else read_problem(world, process, file)
            if trouble is not None:
                self.tell(world, process, program, self.unread(world, program, trouble))
        self.look_at_disk(world, process_of(world, process.ref) or process, program)

    def open(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open its port and say so."""
        super().event(world, process, program, *arguments)

    def initialise(self, world: World, process: Process, script: str) -> None:
        """Run an init script as the first user."""
        raise NotImplementedError

    def protocol_of(self, program: Any, listener: str) -> str:
        """What is spoken on a listener."""
        return str(program.kind)


class MysqlKind(SqlKind):
    """mysqld and mariadbd."""

    files = MappingProxyType(MYSQL_FILES)
    made_anew = ("auto.cnf", "*.pem", "ib_buffer_pool", "ibtmp1")
    main_file = "ibdata1"
    unknown_column = "Error 1054 (42S22): Unknown column '{}' in 'field list'"
    taken = (
        "[ERROR] [MY-010262] [Server] Can't start server: Bind on TCP/IP port: Address already in use",
        1,
    )

    def version(self, program: MysqlProgram, words: list[str]) -> str:
        """One line, in which it calls itself what it was called."""
        message = f"Ver {program.version} for Linux on x86_64 (MySQL Community Server - GPL)"
        return f"{words[0]}  {message}\n"

    def first_data(self, process: Process, program: MysqlProgram) -> SqlData | str:
        """Root and the database that the environment names."""
        env = process.environment
        root = env.get("MYSQL_ROOT_PASSWORD") or env.get("MARIADB_ROOT_PASSWORD", "")
        empty = any(
            env.get(name) for name in ("MYSQL_ALLOW_EMPTY_PASSWORD", "MYSQL_RANDOM_ROOT_PASSWORD")
        )
        if not root and not empty:
            return (
                "{clock} [ERROR] [Entrypoint]: Database is uninitialized and password option is not specified\n"
                "    You need to specify one of the following as an environment variable:\n"
                "    - MYSQL_ROOT_PASSWORD\n    - MYSQL_ALLOW_EMPTY_PASSWORD\n    - MYSQL_RANDOM_ROOT_PASSWORD"
            )
        data = SqlData(program.version, {}, {"root": Account(root, superuser=True)})
        name = env.get("MYSQL_DATABASE") or env.get("MARIADB_DATABASE", "")
        data = data.with_database(name, b"") if name else data
        user = env.get("MYSQL_USER") or env.get("MARIADB_USER", "")
        if user:
            password = env.get("MYSQL_PASSWORD") or env.get("MARIADB_PASSWORD", "")
            data = data.with_account(user, Account(password, databases=(name,) if name else ()))
        return data

    def initialise(self, world: World, process: Process, script: str) -> None:
        """Run an init script as root; what fails is skipped."""
        data = load(world, process.settings["sql.storage"])
        password = data.accounts["root"].password
        connection = MysqlConnection(world, process, "root", password, "localhost")
        connection.database = process.environment.get("MYSQL_DATABASE", "")
        for statement in statements_of(script):
            try:
                connection.execute(statement)
            except MysqlError as error:
                self._say(world, process, f"ERROR {error.number} ({error.state}): {error}")
                return

    def greet(self, world: World, process: Process, program: MysqlProgram) -> None:
        """The entry point of the official image."""
        if _is_mysql(program):
            self.tell(world, process, program, mysql_entry(program.version))

    def first_lines(
        self, world: World, process: Process, program: MysqlProgram, scripts: Sequence[str]
    ) -> Sequence[LogEntry]:
        """What is written while an empty directory is filled."""
        env = process.environment
        if not _is_mysql(program):
            return ()
        database, user = env.get("MYSQL_DATABASE", ""), env.get("MYSQL_USER", "")
        return mysql_first(program.version, database, user, scripts)

    def last_lines(self, program: MysqlProgram) -> Sequence[LogEntry]:
        """What is written when the server is told to end."""
        return mysql_last(program.version) if _is_mysql(program) else ()

    def ready_lines(self, process: Process, program: MysqlProgram) -> tuple[Line, ...]:
        """What it writes once it serves."""
        port = self.ports(process, program)[0]
        text = f"/usr/sbin/mysqld: ready for connections. Version: '{program.version}'  socket: '/var/run/mysqld/mysqld.sock'  port: {port}  MySQL Community Server - GPL."
        return (Line(text=f"${{time}} 0 [System] [MY-010931] [Server] {text}", raw=True),)

    def open(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Say the time that its lines bear, and open the port."""
        self.reopened(world, process)
        if _is_mysql(program):
            self.tell(world, process, program, mysql_start(program.version))
        process = process_of(world, process.ref) or process
        settings = {**process.settings, "time": f"{moment(world, world.now):%Y-%m-%dT%H:%M:%S.%fZ}"}
        super().open(world, change(world, process.ref, settings=settings), program, *arguments)
        if (still := process_of(world, process.ref)) is not None and still.running:
            mysql_replica.begin(world, still)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """A replica looks for changes; or what all servers of SQL do."""
        if arguments != ("replicate",):
            super().event(world, process, program, *arguments)
        elif said := mysql_replica.replicate(world, process):
            self.tell(world, process, program, said)

    def ended(self, world: World, process: Process) -> None:
        """It takes nothing any more."""
        super().ended(world, process)
        mysql_replica.ended(world, process)

    def behind_s(self, world: World, process: Process, program: Any) -> float:
        """How far a replica is behind."""
        return mysql_replica.lag_s(world, process)

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        return self._let_in(world, process, client, peer) or no_slot(world, process, client.user)

    def limits(
        self, world: World, process: Process, program: Any, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """Those of the server and of the user."""
        return connection_limits(world, process, client.user)

    def _let_in(self, world: World, process: Process, client: Client, peer: str) -> Refusal | None:
        try:
            connection = MysqlConnection(world, process, client.user, client.password, peer)
            if client.database:
                connection.use(client.database)
        except MysqlError as error:
            return Refusal("auth", f"Error {error.number} ({error.state}): {error}")
        return None

    def command(
        self, world: World, process: Process, program: Any, client: Client, command: str,
        collection: str, dialled: bool,
    ) -> Refusal | None:  # fmt: skip
        """Carry out a command, or not."""
        refusal = self._let_in(world, process, client, "")
        if refusal is not None:
            return refusal
        data = load(world, process.settings["sql.storage"])
        write = command in WRITING
        verb = right_for(command, write=write)
        if verb not in rights_on(data.accounts[client.user], client.database, collection):
            text = f"Error 1142 (42000): {verb} command denied to user '{client.user}'@'%' for table '{collection}'"
            return Refusal("unauthorized", text)
        if data.misses(client.database, collection):
            text = f"Error 1146 (42S02): Table '{client.database}.{collection}' doesn't exist"
            return Refusal("server", text)
        if verb == "INSERT" and (spent := exhausted(data, client.database, collection)):
            return Refusal("server", f"Error 1062 (23000): {auto_increment_exhausted(spent)}")
        superuser = write and data.accounts[client.user].superuser
        option = option_against_writes(process.settings, data.settings, superuser) if write else ""
        if option:
            text = f"Error 1290 (HY000): The MySQL server is running with the --{option} option so it cannot execute this statement"
            return Refusal("server", text)
        return None

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """A table that cannot grow is full, whatever keeps it from growing."""
        return withstood(trouble, collection, write=write)

    def pool_bytes(self, world: World, process: Process) -> int:
        """The buffer pool of InnoDB."""
        kept = load(world, process.settings["sql.storage"]).settings
        return size_of(in_effect(process.settings, kept, "innodb_buffer_pool_size"))

    def unread(self, world: World, program: Any, trouble: DiskProblem) -> Sequence[LogEntry]:
        """The number of the error, and what it means."""
        if trouble.error == ALTERED:
            return innodb_altered(world, trouble.offset, mariadb=not _is_mysql(program))
        number = getattr(errno, trouble.error)
        return innodb_unread(world, number, trouble.words, mariadb=not _is_mysql(program))

    def without_file(self, world: World, program: Any, name: str) -> Sequence[LogEntry]:
        """InnoDB cannot open it, and the server gives up."""
        return innodb_without(world, mariadb=not _is_mysql(program))

    def talk(self, world: World, process: Process, program: Any, text: str) -> str:
        """The greeting, which a client of MySQL waits for."""
        return f"J\0\0\0\n{program.version}\0"

    def _say(self, world: World, process: Process, text: str) -> None:
        program = world.service(RUNTIME).program_as(process, Program)
        write_log(world, process.ref, program, (Line(text=text, raw=True, stream="stderr"),))
