"""A Redis or Valkey server: settings from file and command line, data under its volume's identity."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, Line, RedisProgram

from sregym_cluster_embedded.userland.disk import DataFile, Trouble
from sregym_cluster_embedded.userland.formats import moment
from sregym_cluster_embedded.userland.kinds.kind import WRITING, Refusal
from sregym_cluster_embedded.userland.kinds.stores import StoreKind
from sregym_cluster_embedded.userland.life import end, say
from sregym_cluster_embedded.userland.process import Process, change, process_of
from sregym_cluster_embedded.userland.redis.commands import Refused
from sregym_cluster_embedded.userland.redis.data import memory_size
from sregym_cluster_embedded.userland.redis.server import DEFAULTS, NO_AUTH, WRONG_PASS, Connection

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_NOT_SAVED = (
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to "
    "disk. Commands that may modify the data set are disabled, because this instance is configured "
    "to report errors during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). "
    "Please check the Redis logs for details about the RDB error."
)


class RedisKind(StoreKind):
    """redis-server and valkey-server."""

    taken = (
        "Warning: Could not create server TCP listening socket *:{port}: bind: Address already in use",
        1,
    )

    def protocol_of(self, program: RedisProgram, listener: str) -> str:
        """What is spoken on a listener."""
        return "keyvalue"

    def begin(self, world: World, process: Process, program: RedisProgram) -> None:
        """Read the settings and greet, or end with the server's words."""
        settings, error = _settings(world, process)
        files = world.room("runtime").files(world, process)
        found = {
            **process.settings,
            **{f"redis.{name}": value for name, value in settings.items()},
            "redis.storage": files.storage(settings.get("dir", program.data_dir)),
            "redis.version": program.version,
            "redis.name": program.flavour,
        }
        process = change(world, process.ref, settings=found)
        name = program.flavour.capitalize()
        if error:
            text = f"*** FATAL CONFIG FILE ERROR ({name} {program.version}) ***\n{error}"
            say(world, process.ref, program, (Line(text=text, stream="stderr", raw=True),))
            end(world, process.ref, 1)
            return
        self._say(world, process, program, "C", f"* oO0OoO0OoO0Oo {name} is starting oO0OoO0OoO0Oo")
        version = f"* {name} version={program.version}, bits=64, commit=00000000, modified=0, pid=1, just started"
        self._say(world, process, program, "C", version)
        configured = "* Configuration loaded"
        if not settings:
            configured = f"# Warning: no config file specified, using the default config. In order to specify a config file use {program.flavour}-server /path/to/{program.flavour}.conf"
        self._say(world, process, program, "C", configured)
        super().begin(world, process, program)

    def ports(self, process: Process, program: RedisProgram) -> tuple[int, ...]:  # type: ignore[override]  # its own program
        """The port in effect."""
        given = process.settings.get("redis.port", "")
        return (int(given),) if given.isdecimal() else super().ports(process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Open the port and say so."""
        port = self.ports(process, program)[0]
        self._say(world, process, program, "M", "* monotonic clock: POSIX clock_gettime")
        self._say(world, process, program, "M", f"* Running mode=standalone, port={port}.")
        self._say(world, process, program, "M", "* Server initialized")
        super().event(world, process, program, *arguments)
        still = process_of(world, process.ref)
        if still is not None and still.running:
            self._say(world, process, program, "M", "* Ready to accept connections tcp")

    def goodbye(self, world: World, process: Process, program: Any) -> float | None:
        """Save what is kept, and say so."""
        if process.served_at is not None:
            now = int(world.epoch + world.now)
            received = f"1:signal-handler ({now}) Received SIGTERM scheduling shutdown..."
            say(world, process.ref, program, (Line(text=received, raw=True),))
            saved: tuple[str, ...] = ()
            if self.data_file(process, program) is not None:
                saved = ("* Saving the final RDB snapshot before exiting.", "* DB saved on disk")
            bye = f"# {program.flavour.capitalize()} is now ready to exit, bye bye..."
            for text in ("* User requested shutdown...", *saved, bye):
                self._say(world, process, program, "M", text)
        return super().goodbye(world, process, program)

    def ready_lines(self, process: Process, program: Any) -> tuple[Line, ...]:
        """Nothing: `event` writes it with its time."""
        return ()

    def dial(
        self, world: World, process: Process, program: RedisProgram, client: Client, peer: str
    ) -> Refusal | None:
        """Let a client in, or not."""
        connection = Connection(world, process)
        if connection.known:
            return None
        if not client.password:
            return Refusal("auth", NO_AUTH)
        return None if connection.log_in(client.password) else Refusal("auth", WRONG_PASS)

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
        refusal = self.dial(world, process, program, client, "")
        if refusal is not None or command not in WRITING:
            return refusal
        connection = Connection(world, process)
        connection.log_in(client.password)
        try:
            connection.demand_write("set")
        except Refused as error:
            return Refusal("server", str(error))
        return None

    def data_file(self, process: Process, program: RedisProgram) -> DataFile | None:
        """The snapshot; None for a server that keeps none."""
        kept = process.settings.get("redis.storage")
        if kept is None or process.settings.get("redis.save", "3600 1") == "":
            return None
        return DataFile(kept, process.settings.get("redis.dir", program.data_dir), "dump.rdb")

    def withstands(self, trouble: Trouble, file: DataFile, collection: str, write: bool) -> str:
        """Whoever cannot save a snapshot takes no more changes; reads come from memory."""
        return _NOT_SAVED if write else ""

    def talk(self, world: World, process: Process, program: RedisProgram, text: str) -> str:
        """Inline commands, answered in the protocol's form."""
        connection, out = Connection(world, process), ""
        for line in text.splitlines():
            words = shlex.split(line)
            if not words:
                continue
            try:
                out += _encoded(connection.run(words))
            except Refused as error:
                out += f"-{error}\r\n"
        return out

    def _say(
        self, world: World, process: Process, program: RedisProgram, role: str, text: str
    ) -> None:
        when = moment(world, world.now)
        stamp = f"{when:%d %b %Y %H:%M:%S}.{when.microsecond // 1000:03d}"
        say(world, process.ref, program, (Line(text=f"1:{role} {stamp} {text}", raw=True),))


def _encoded(reply: Any) -> str:
    if isinstance(reply, int):
        return f":{reply}\r\n"
    if reply is None:
        return "$-1\r\n"
    if isinstance(reply, list):
        return f"*{len(reply)}\r\n" + "".join(map(_encoded, reply))
    if type(reply) is not str:
        return f"+{reply}\r\n"
    return f"${len(reply.encode())}\r\n{reply}\r\n"


def _settings(world: World, process: Process) -> tuple[dict[str, str], str]:
    """Settings by name, and what is wrong with them."""
    words = list(process.argv[1:])
    if words and words[0].endswith("-server"):
        words.pop(0)
    lines: list[tuple[int, str]] = []
    if words and not words[0].startswith("-"):
        path = words.pop(0)
        files = world.room("runtime").files(world, process)
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
        if name.lower() not in DEFAULTS and not _LENIENT.intersection(name.lower().split("-")):
            return found, f"{where}Bad directive or wrong number of arguments"
        if name.lower() == "maxmemory" and memory_size(value) is None:
            return found, f"{where}argument must be a memory value"
        found[name.lower()] = value
    return found, ""


# Words in the names of settings that are taken as they are.
_LENIENT = frozenset(
    {"client", "cluster", "repl", "replica", "min", "latency", "lua", "list", "hash", "set", "zset"}
    | {
        "active",
        "lazyfree",
        "rdb",
        "aof",
        "daemonize",
        "supervised",
        "pidfile",
        "logfile",
        "always",
    }
    | {"io", "user", "rename", "notify", "stream", "dynamic", "jemalloc", "slowlog", "tls", "auto"}
    | {"no", "loadmodule", "include", "maxmemory", "appenddirname", "appendfilename", "disable"}
)
