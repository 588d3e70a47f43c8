"""A Redis or Valkey server: settings from file and command line, data under its volume's identity."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line
from sregym_cluster_embedded.sdk.replication import PRIMARY, SECONDARY, Place
from sregym_cluster_embedded.sdk.servers import (
    ALTERED,
    RUNTIME,
    WRITING,
    ConnectionLimit,
    DataFile,
    DiskProblem,
    Process,
    Refusal,
    StoreKind,
    change,
    connection_count,
    counted,
    end,
    process_of,
    read_problem,
    store_bytes,
    write_log,
    write_problem,
)

from sregym_server_redis.connection import (
    FULL_OF_CLIENTS,
    NO_AUTH,
    WRONG_PASS,
    Connection,
    not_saved,
)
from sregym_server_redis.data import forget, load
from sregym_server_redis.replication import check_link, ended, follow
from sregym_server_redis.replies import BlockedCommand, encoded, requests
from sregym_server_redis.server import CommandConnection
from sregym_server_redis.server_log import note
from sregym_server_redis.settings import canonical, checked, known
from sregym_server_redis.vocabulary import Refused, specs

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_redis.program import RedisProgram

# After a snapshot that failed the next one is tried so much later.
_RETRY_S = 6.0
_CHILD = 25
_RDB = "short read or unsupported RDB version"
_USUAL_CLIENTS = 10_000

# What a child says whose snapshot fails at a call, or at any that writes.
_NOT_WRITTEN = "Write error while saving DB to the disk(rdbSaveRio)"
_NOT_SAVED = MappingProxyType({"fsync": "Write error saving DB on disk(fsync)"})


class RedisKind(StoreKind):
    """redis-server and valkey-server."""

    ipv4_only = True
    taken = (
        "Warning: Could not create server TCP listening socket *:{port}: bind: Address already in use",
        1,
    )

    def version(self, program: RedisProgram, words: list[str]) -> str:
        """One line, with the build."""
        name = "Valkey" if program.flavour == "valkey" else "Redis"
        rest = "sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=b1f7c2ae2a1c7d5e"
        return f"{name} server v={program.version} {rest}\n"

    def protocol_of(self, program: RedisProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "keyvalue"

    def begin(self, world: World, process: Process, program: RedisProgram) -> None:
        """Read the settings and greet, or end with the server's words."""
        settings, error = _settings(world, process)
        files = world.service(RUNTIME).files(world, process)
        found = {
            **process.settings,
            **{f"redis.{name}": value for name, value in settings.items()},
            "redis.storage": files.storage(settings.get("dir", program.data_dir)),
            "redis.version": program.version,
            "redis.name": program.flavour,
        }
        process = change(world, process.ref, settings=found)
        forget(world, found["redis.storage"])
        name = program.flavour.capitalize()
        if error:
            text = f"*** FATAL CONFIG FILE ERROR ({name} {program.version}) ***\n{error}"
            write_log(world, process.ref, program, (Line(text=text, stream="stderr", raw=True),))
            end(world, process.ref, 1)
            return
        strong = _strong(program)
        note(world, process, "C", strong, f"oO0OoO0OoO0Oo {name} is starting oO0OoO0OoO0Oo")
        version = f"{name} version={program.version}, bits=64, commit=00000000, modified=0, pid=1, just started"
        note(world, process, "C", strong, version)
        if len(process.argv) > 1:
            note(world, process, "C", strong, "Configuration loaded")
        else:
            where = f"{program.flavour}-server /path/to/{program.flavour}.conf"
            text = f"Warning: no config file specified, using the default config. In order to specify a config file use {where}"
            note(world, process, "C", "#", text)
        super().begin(world, process, program)

    def ports(self, process: Process, program: RedisProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """The port in effect."""
        given = process.settings.get("redis.port", "")
        return (int(given),) if given.isdecimal() else super().ports(process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so; later, save what has changed."""
        if arguments[:1] == ("save",):
            self._save(world, process, program)
            return
        if arguments[:1] == ("replicate",):
            check_link(Connection(world, process))
            return
        port = self.ports(process, program)[0]
        strong = _strong(program)
        note(world, process, "M", "*", "monotonic clock: POSIX clock_gettime")
        note(world, process, "M", "*", f"Running mode=standalone, port={port}.")
        note(world, process, "M", strong, "Server initialized")
        if not self._load(world, process, program):
            end(world, process.ref, 1)
            return
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            ready = "Ready to accept connections" + (" tcp" if strong == "*" else "")
            note(world, process, "M", "*", ready)
            self.opened(world, still)

    def opened(self, world: World, process: Process) -> None:
        """It serves from now on: follow a master, if it was started with one."""
        follow(Connection(world, process))

    def client(self, world: World, process: Process) -> CommandConnection:
        """A client that speaks to it."""
        return CommandConnection(world, process)

    def ended(self, world: World, process: Process) -> None:
        """Its link is no more."""
        ended(world, process)

    def place(self, world: World, process: Process, program: Any) -> Place | None:
        """What clients are told that have come by a Sentinel."""
        if "redis.storage" not in process.settings:
            return None
        follows = bool(Connection(world, process).setting("replicaof"))
        return Place(SECONDARY if follows else PRIMARY)

    def _load(self, world: World, process: Process, program: RedisProgram) -> bool:
        """Say what was in the snapshot, or why it cannot be used; whether the server may go on."""
        kept = load(world, process.settings["redis.storage"])
        count = sum(map(len, kept.databases.values()))
        store_bytes(world, process.ref, kept.held_bytes())
        file = self.data_file(process, program)
        if not count or file is None:
            return True
        trouble = read_problem(world, process, file)
        if trouble is not None and trouble.error == ALTERED:
            sums = [
                f"{int(world.seed.fraction('rdb', what, process.ref) * 2**64):016x}"
                for what in ("expected", "found")
            ]
            wrong = f"Wrong RDB checksum expected: ({sums[0]}) but got ({sums[1]}). Aborting now."
            note(world, process, "M", "#", wrong)
            note(world, process, "M", "#", f"Fatal error loading the DB, check server logs: {_RDB}")
            return False
        size = kept.used_bytes() / (1 << 20)
        for text in (
            f"Loading RDB produced by version {program.version}",
            "RDB age 1 seconds",
            f"RDB memory usage when created {size:.2f} Mb",
            f"Done loading RDB, keys loaded: {count}, keys expired: 0.",
            "DB loaded from disk: 0.000 seconds",
        ):
            note(world, process, "M", "*", text)
        return True

    def shut_down(self, world: World, process: Process, program: RedisProgram) -> None:
        """End because a client says so."""
        self._bye(world, process, program)
        end(world, process.ref, 0)

    def _bye(self, world: World, process: Process, program: RedisProgram) -> None:
        strong = _strong(program)
        note(world, process, "M", strong, "User requested shutdown...")
        if self.data_file(process, program) is not None:
            note(world, process, "M", "*", "Saving the final RDB snapshot before exiting.")
            note(world, process, "M", "*", "DB saved on disk")
        name = program.flavour.capitalize()
        note(world, process, "M", "#", f"{name} is now ready to exit, bye bye...")

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Save what is kept, and say so."""
        if process.served_at is not None:
            now = int(world.epoch + world.now)
            received = f"1:signal-handler ({now}) Received SIGTERM scheduling shutdown..."
            write_log(world, process.ref, program, (Line(text=received, raw=True),))
            self._bye(world, process, program)
        return super().goodbye(world, process, program)

    def ready_lines(self, process: Process, program: Any) -> tuple[Line, ...]:
        """Nothing: `event` writes it with its time."""
        return ()

    def dial(
        self, world: World, process: Process, program: RedisProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        most = int(Connection(world, process).setting("maxclients"))
        if most < _USUAL_CLIENTS and connection_count(world, process.ref) >= most:
            return Refusal("overloaded", FULL_OF_CLIENTS)
        return self._let_in(world, process, client)

    def limits(
        self, world: World, process: Process, program: RedisProgram, client: Client
    ) -> tuple[ConnectionLimit, ...]:
        """All clients together."""
        most = int(Connection(world, process).setting("maxclients"))
        return (ConnectionLimit(most, FULL_OF_CLIENTS),)

    def _let_in(self, world: World, process: Process, client: Client) -> Refusal | None:
        connection, user = Connection(world, process), client.user or "default"
        if client.password and not (connection.known and user == "default"):
            return None if connection.log_in(client.password, user) else Refusal("auth", WRONG_PASS)
        return None if connection.known else Refusal("auth", NO_AUTH)

    def command(
        self,
        world: World,
        process: Process,
        program: RedisProgram,
        client: Client,
        command: str,
        collection: str,
        dialled: bool,
    ) -> Refusal | None:
        """Carry out a command, or not."""
        refusal = self._let_in(world, process, client)
        if refusal is not None:
            return refusal
        connection = Connection(world, process)
        known = specs().get(command)
        if known is not None and not connection.account(client.user or "default").runs(known):
            return Refusal("unauthorized", connection.no_permission(client.user, known))
        if command not in WRITING:
            return None
        try:
            connection.demand_write(specs()["set"], disk=False)
        except Refused as error:
            return Refusal("server", str(error))
        return None

    def data_file(self, process: Process, program: RedisProgram) -> DataFile | None:
        """The snapshot; None for a server that keeps none."""
        kept = process.settings.get("redis.storage")
        if kept is None or process.settings.get("redis.save", "3600 1") == "":
            return None
        return DataFile(kept, process.settings.get("redis.dir", program.data_dir), "dump.rdb")

    def withstands(self, trouble: DiskProblem, file: DataFile, collection: str, write: bool) -> str:
        """A server that cannot save a snapshot refuses writes; reads come from memory."""
        return not_saved("redis") if write else ""

    def look_at_disk(self, world: World, process: Process, program: RedisProgram) -> None:
        """A disk that takes no writes is met by the next snapshot."""
        if process.served_at is None or "redis.retries" in process.settings:
            return
        if self.save_trouble(world, process, program) is not None:
            change(world, process.ref, settings={**process.settings, "redis.retries": "yes"})
            world.after(_RETRY_S, "userland.event", process.ref, "save")

    def save_trouble(
        self, world: World, process: Process, program: RedisProgram
    ) -> DiskProblem | None:
        """What snapshots meet; None where there are none, or nothing is amiss."""
        file = self.data_file(process, program)
        return None if file is None else write_problem(world, process, file)

    def _save(self, world: World, process: Process, program: RedisProgram) -> None:
        """A snapshot, because there are changes; one that fails is tried again."""
        trouble, seen = self.save_trouble(world, process, program), counted(world, process.ref)
        kept = load(world, process.settings["redis.storage"])
        if kept.databases or seen.of("set"):
            often = ((10_000, 60), (100, 300), (1, 3600))
            changes, seconds = next(
                (one for one in often if seen.per_s * one[1] >= one[0]), often[-1]
            )
            note(world, process, "M", "*", f"{changes} changes in {seconds} seconds. Saving...")
            note(world, process, "M", "*", f"Background saving started by pid {_CHILD}")
            if trouble is None:
                note(world, process, "C", "*", "DB saved on disk", pid=_CHILD)
                note(world, process, "M", "*", "Background saving terminated with success")
            else:
                text = f"{_NOT_SAVED.get(trouble.call, _NOT_WRITTEN)}: {trouble.words}"
                note(world, process, "C", "#", text, pid=_CHILD)
                note(world, process, "M", "#", "Background saving error")
        if trouble is not None:
            world.after(_RETRY_S, "userland.event", process.ref, "save")
            return
        settings = {k: v for k, v in process.settings.items() if k != "redis.retries"}
        change(world, process.ref, settings=settings)

    def talk(self, world: World, process: Process, program: RedisProgram, text: str) -> str:
        """Inline commands, answered in the protocol's form."""
        connection, out = self.client(world, process), ""
        try:
            for words in requests(text):
                if words[0].lower() in ("host:", "post"):
                    break
                try:
                    out += encoded(connection.run(words))
                except BlockedCommand as held:
                    out += "".join(map(encoded, held.first))
                except Refused as error:
                    out += encoded(error)
                if words[0].lower() == "quit":
                    break
        except Refused as error:
            out += encoded(error)
        return out


def _strong(program: RedisProgram) -> str:
    """How releases before 7.2 mark what everybody should see, and later ones no more."""
    parts = [int(part) for part in program.version.split(".")[:2] if part.isdecimal()]
    return "#" if program.flavour == "redis" and parts < [7, 2] else "*"


def _settings(world: World, process: Process) -> tuple[dict[str, str], str]:
    """Settings by name, and what is wrong with them."""
    words = list(process.argv[1:])
    if words and words[0].endswith("-server"):
        words.pop(0)
    lines: list[tuple[int, str]] = []
    if words and not words[0].startswith("-"):
        path = words.pop(0)
        files = world.service(RUNTIME).files(world, process)
        text = files.read(path if path.startswith("/") else f"{process.working_dir}/{path}")
        if text is None:
            return {}, f"Fatal error, can't open config file '{path}': No such file or directory"
        lines = list(enumerate(text.splitlines(), start=1))
    option = ""
    for word in words:
        if word.startswith("--"):
            if option:
                lines.append((len(lines) + 1, option))
            option = word[2:]
        else:
            option += f' "{word}"' if " " in word or not word else f" {word}"
    if option:
        lines.append((len(lines) + 1, option))
    found: dict[str, str] = {}
    for number, line in lines:
        bare = line.strip()
        if not bare or bare.startswith("#"):
            continue
        name, _, value = bare.partition(" ")
        value = value.strip().strip("\"'")
        where = f"Reading the configuration file, at line {number}\n>>> '{bare}'\n"
        short = canonical(name)
        if short not in known():
            if short not in _DIRECTIVES:
                return found, f"{where}Bad directive or wrong number of arguments"
            continue
        try:
            found[short] = value if _fixed(short) else checked(short, value)
        except Refused as refusal:
            return found, f"{where}{refusal}"
    return found, ""


def _fixed(name: str) -> bool:
    """Whether a setting is only known to the server when it starts."""
    return known()[name].kind in ("immutable", "protected")


# Lines of configuration files that are no settings.
_DIRECTIVES = frozenset(
    {"user", "rename-command", "include", "loadmodule", "sentinel", "list-max-ziplist-entries"}
    | {"list-max-ziplist-value", "gopher-enabled"}
)
