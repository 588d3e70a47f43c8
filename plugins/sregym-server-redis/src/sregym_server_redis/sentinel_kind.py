"""redis-sentinel and valkey-sentinel: what they read, when they look, what they tell clients."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Line
from sregym_cluster_embedded.sdk.replication import Place, beat, join, leave, turns
from sregym_cluster_embedded.sdk.servers import RUNTIME, Refusal, change, end, write_log

from sregym_server_redis.behaviour import RedisKind
from sregym_server_redis.sentinel import monitor
from sregym_server_redis.sentinel_commands import client_of
from sregym_server_redis.sentinel_set import SET
from sregym_server_redis.sentinel_state import (
    SIGHTS,
    Watched,
    identity,
    keep,
    watched,
    with_option,
)
from sregym_server_redis.server_log import note

if TYPE_CHECKING:
    from sregym_apps.model import Client
    from sregym_cluster_embedded.sdk.servers import DataFile, Process, World

    from sregym_server_redis.server import CommandConnection

_SENTINEL = "sentinel"


class SentinelKind(RedisKind):
    """A server that watches others; it keeps no keys."""

    def begin(self, world: World, process: Process, program: Any) -> None:
        """Read whom to watch; the file is its memory, too."""
        files = world.service(RUNTIME).files(world, process)
        path = next((word for word in process.argv[1:] if not word.startswith("-")), "")
        path = path if path.startswith("/") or not path else f"{process.working_dir}/{path}"
        text = files.read(path) if path else None
        if text is None:
            name = program.flavour.capitalize()
            message = f"*** FATAL CONFIG FILE ERROR ({name} {program.version}) ***\nSentinel needs config file on disk, but no config file was specified, exiting..."
            write_log(world, process.ref, program, (Line(text=message, stream="stderr", raw=True),))
            end(world, process.ref, 1)
            return
        storage = files.storage(posixpath.dirname(path))
        given = _read(text)
        settings = {
            **process.settings, "redis.sentinel": storage, "redis.port": _port(text, program.port),
            "redis.sentinel-master": "" if given is None else given.name,
        }  # fmt: skip
        process = change(world, process.ref, settings=settings)
        if given is not None and watched(world, process) is None:
            keep(world, process, given)
        super().begin(world, process, program)

    def event(self, world: World, process: Process, program: Any, *arguments: Any) -> None:
        """Look after the others, and after those that it watches; at first open the port."""
        if arguments == ("heartbeat",):
            if turns(world, process):
                beat(world, process, SET)
                monitor(world, process)
        elif arguments == ("look",):
            monitor(world, process)
        else:
            super().event(world, process, program, *arguments)

    def opened(self, world: World, process: Process) -> None:
        """Say who it is, and begin to look."""
        given = watched(world, process)
        note(world, process, "X", "*", f"Sentinel ID is {identity(process)}")
        if given is not None:
            text = f"+monitor master {given.name} {given.place} quorum {given.quorum}"
            note(world, process, "X", "*", text)
            join(world, process, SET)

    def client(self, world: World, process: Process) -> CommandConnection:
        """A client that asks it."""
        return client_of(world, process, "127.0.0.1")

    def ended(self, world: World, process: Process) -> None:
        """What it knows stands in its file; what it saw does not."""
        world.table(SIGHTS).pop(process.ref, None)
        if process.settings.get("redis.sentinel"):
            leave(world, process, SET)

    def place(self, world: World, process: Process, program: Any) -> Place | None:
        """Who leads, as clients ask that know only Sentinels."""
        given = watched(world, process)
        return None if given is None else Place(_SENTINEL, (given.place.replace(" ", ":"),))

    def command(
        self, world: World, process: Process, program: Any, client: Client, command: str,
        collection: str, dialled: bool,
    ) -> Refusal | None:  # fmt: skip
        """It has no keys that a program could ask for."""
        text = f"ERR unknown command '{command}', with args beginning with: "
        return Refusal("server", text)

    def data_file(self, process: Process, program: Any) -> DataFile | None:
        """It keeps no snapshot."""
        return None


def _port(text: str, usual: str) -> str:
    given = (line.split() for line in text.splitlines())
    return next((words[1] for words in given if words[:1] == ["port"] and len(words) > 1), usual)


def _read(text: str) -> Watched | None:
    """The first master that is to be watched, with what is said of it."""
    found: Watched | None = None
    for line in text.splitlines():
        words = line.split()
        if words[:1] != [_SENTINEL]:
            continue
        if words[1:2] == ["monitor"] and len(words) == 6 and found is None:
            found = Watched(words[2], f"{words[3]} {words[4]}", int(words[5]))
        elif found is not None and len(words) == 4 and words[2] == found.name:
            found = with_option(found, words[1], words[3])
    return found
