"""MySQL and PostgreSQL servers behind the entry points of their official images."""

from __future__ import annotations

import errno
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line, MysqlProgram, PostgresProgram

from sregym_cluster_embedded.userland.disk import DataFile, Trouble
from sregym_cluster_embedded.userland.formats import moment
from sregym_cluster_embedded.userland.kinds.kind import WRITING, Refusal
from sregym_cluster_embedded.userland.kinds.stores import StoreKind
from sregym_cluster_embedded.userland.life import end, say
from sregym_cluster_embedded.userland.process import Process, change, process_of
from sregym_cluster_embedded.userland.settings import parse_words
from sregym_cluster_embedded.userland.sql.data import Account, SqlData, load, store
from sregym_cluster_embedded.userland.sql.engine import statements_of
from sregym_cluster_embedded.userland.sql.journal import (
    Said,
    lines,
    mysql_entry,
    mysql_first,
    mysql_last,
    mysql_start,
    postgres_first,
    postgres_last,
    postgres_start,
    stamp,
)
from sregym_cluster_embedded.userland.sql.mysql_server import MysqlConnection, MysqlError
from sregym_cluster_embedded.userland.sql.postgres_server import PostgresConnection, PostgresError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.world import World

# The process of the server that serves a session.
_BACKEND = 61
_INIT_FOLDER = "/docker-entrypoint-initdb.d"


def _is_mysql(program: MysqlProgram) -> bool:
    """Whether it is no MariaDB, whose versions are two digits long and whose lines are others."""
    return not program.version.startswith("1")


class SqlKind(StoreKind):
    """What both servers have in common: first start with an empty directory, accounts, settings."""

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Read the settings; fill an empty data directory, or end when no password is given."""
        files = world.room("runtime").files(world, process)
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
        if not load(world, storage).version:
            made = self.first_data(process, program)
            if isinstance(made, str):
                self.tell(world, process, program, [Said(text) for text in made.split("\n")])
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

    def first_data(self, process: Process, program: Any) -> SqlData | str:
        """What an empty directory is filled with, or why it cannot be."""
        raise NotImplementedError

    def greet(self, world: World, process: Process, program: Any) -> None:
        """What the entry point writes before it looks at the data."""

    def first_lines(
        self, world: World, process: Process, program: Any, scripts: Sequence[str]
    ) -> Sequence[Said]:
        """What is written while an empty directory is filled."""
        return ()

    def last_lines(self, program: Any) -> Sequence[Said]:
        """What is written when the server is told to end."""
        return ()

    def tell(self, world: World, process: Process, program: Any, said: Sequence[Said]) -> None:
        """Write lines of now."""
        say(world, process.ref, program, lines(world, said, str(program.kind)))

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

    def initialise(self, world: World, process: Process, script: str) -> None:
        """Run an init script as the first user."""
        raise NotImplementedError

    def protocol_of(self, program: Any, listener: str) -> str:
        """What is spoken on a listener."""
        return str(program.kind)


class MysqlKind(SqlKind):
    """mysqld and mariadbd."""

    main_file = "ibdata1"
    taken = (
        "[ERROR] [MY-010262] [Server] Can't start server: Bind on TCP/IP port: Address already in use",
        1,
    )

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
    ) -> Sequence[Said]:
        """What is written while an empty directory is filled."""
        env = process.environment
        if not _is_mysql(program):
            return ()
        database, user = env.get("MYSQL_DATABASE", ""), env.get("MYSQL_USER", "")
        return mysql_first(program.version, database, user, scripts)

    def last_lines(self, program: MysqlProgram) -> Sequence[Said]:
        """What is written when the server is told to end."""
        return mysql_last(program.version) if _is_mysql(program) else ()

    def ready_lines(self, process: Process, program: MysqlProgram) -> tuple[Line, ...]:
        """What it writes once it serves."""
        port = self.ports(process, program)[0]
        text = f"/usr/sbin/mysqld: ready for connections. Version: '{program.version}'  socket: '/var/run/mysqld/mysqld.sock'  port: {port}  MySQL Community Server - GPL."
        return (Line(text=f"${{time}} 0 [System] [MY-010931] [Server] {text}", raw=True),)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Say the time that its lines bear, and open the port."""
        self.reopened(world, process)
        if _is_mysql(program):
            self.tell(world, process, program, mysql_start(program.version))
        process = process_of(world, process.ref) or process
        settings = {**process.settings, "time": self._time(world)}
        super().event(world, change(world, process.ref, settings=settings), program, *arguments)

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
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
        refusal = self.dial(world, process, program, client, "")
        if refusal is not None:
            return refusal
        data = load(world, process.settings["sql.storage"])
        write = command in WRITING
        if not data.accounts[client.user].may(client.database, write=write):
            verb = "INSERT" if write else "SELECT"
            text = f"Error 1142 (42000): {verb} command denied to user '{client.user}'@'%' for table '{collection}'"
            return Refusal("unauthorized", text)
        if write and data.settings.get("read_only") == "ON":
            text = "Error 1290 (HY000): The MySQL server is running with the --read-only option so it cannot execute this statement"
            return Refusal("server", text)
        return None

    def withstands(self, trouble: Trouble, file: DataFile, collection: str, write: bool) -> str:
        """A table that cannot grow is full, whatever keeps it from growing."""
        if trouble.error == "ENOSPC":
            return f"Error 1114 (HY000): The table '{collection}' is full"
        number = getattr(errno, trouble.error)
        verb = "writing" if write else "reading"
        code = 1026 if write else 1024
        return f"Error {code} (HY000): Error {verb} file './{collection}.ibd' (OS errno {number} - {trouble.words})"

    def talk(self, world: World, process: Process, program: Any, text: str) -> str:
        """The greeting, which a client of MySQL waits for."""
        return f"J\0\0\0\n{program.version}\0"

    def _time(self, world: World) -> str:
        return f"{moment(world, world.now):%Y-%m-%dT%H:%M:%S.%fZ}"

    def _say(self, world: World, process: Process, text: str) -> None:
        program = world.room("runtime").program_of(process)
        say(world, process.ref, program, (Line(text=text, raw=True, stream="stderr"),))


class PostgresKind(SqlKind):
    """postgres."""

    main_file = "base/16384/16385"
    taken = ("FATAL:  could not create any TCP/IP sockets: Address already in use", 1)

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
                program = world.room("runtime").program_of(process)
                say(
                    world, process.ref, program, (Line(text=str(error), raw=True, stream="stderr"),)
                )
                return

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so."""
        port = self.ports(process, program)[0]
        closed_at = self.reopened(world, process)
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            form, began = "postgres", moment(world, process.started_at)
            closed = None if closed_at is None else stamp(moment(world, closed_at), form)
            before = f"{began:%Y-%m-%d %H:%M:%S} UTC"
            closed = None if closed is None else f"{closed[:19]} UTC"
            self.tell(
                world, process, program, postgres_start(program.version, port, closed, before)
            )

    def first_lines(
        self, world: World, process: Process, program: PostgresProgram, scripts: Sequence[str]
    ) -> Sequence[Said]:
        """What is written while an empty directory is filled."""
        env, now = process.environment, moment(world, world.now)
        database = env.get("POSTGRES_DB", env.get("POSTGRES_USER", "postgres"))
        shut_down = f"{now:%Y-%m-%d %H:%M:%S} UTC"
        return postgres_first(program.version, program.data_dir, database, scripts, shut_down)

    def last_lines(self, program: PostgresProgram) -> Sequence[Said]:
        """What is written when the server is told to end."""
        return postgres_last()

    def dial(
        self, world: World, process: Process, program: Any, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        try:
            PostgresConnection(
                world, process, client.user, client.password, client.database or client.user, " "
            )
        except PostgresError as error:
            text = str(error).strip().replace("FATAL:  ", "FATAL: ")
            self._log(world, process, program, text.removeprefix("FATAL: "), "FATAL")
            return Refusal("auth", f"failed to connect: {text}")
        return None

    def command(
        self, world: World, process: Process, program: Any, client: Client, command: str,
        collection: str, dialled: bool,
    ) -> Refusal | None:  # fmt: skip
        """Carry out a command, or not."""
        data = load(world, process.settings["sql.storage"])
        account = data.accounts.get(client.user)
        if account is None or account.password != client.password:
            return self.dial(world, process, program, client, "")
        write = command in WRITING
        if not account.may(client.database or client.user, write=write):
            return Refusal(
                "unauthorized", f"ERROR: permission denied for table {collection} (SQLSTATE 42501)"
            )
        if write and data.settings.get("default_transaction_read_only") == "on":
            return Refusal(
                "server", "ERROR: cannot execute INSERT in a read-only transaction (SQLSTATE 25006)"
            )
        return None

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
            world.room("runtime").program_of(process),
            [Said(f"{{at}} [{_BACKEND}] {line}") for line in said],
        )

    def withstands(self, trouble: Trouble, file: DataFile, collection: str, write: bool) -> str:
        """A file cannot be extended or read."""
        state = {"ENOSPC": "53100", "EROFS": "25006"}.get(trouble.error, "58030")
        act = "extend" if write else "read block 0 in"
        return f'ERROR: could not {act} file "{file.name}": {trouble.words} (SQLSTATE {state})'

    def _log(
        self, world: World, process: Process, program: Any, text: str, level: str = "LOG"
    ) -> None:
        when = moment(world, world.now)
        stamp = f"{when:%Y-%m-%d %H:%M:%S}.{when.microsecond // 1000:03d} UTC"
        line = Line(text=f"{stamp} [1] {level}:  {text}", raw=True, stream="stderr")
        say(world, process.ref, program, (line,))
