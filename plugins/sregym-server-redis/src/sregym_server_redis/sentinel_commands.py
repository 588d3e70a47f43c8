"""What people ask Sentinels: the commands SENTINEL, INFO, PING, ROLE, and how they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import globs
from sregym_cluster_embedded.sdk.replication import majority, schedule_checks

from sregym_server_redis.connection import Connection
from sregym_server_redis.information import sections
from sregym_server_redis.links import looked_at, offset_of
from sregym_server_redis.program import SentinelProgram
from sregym_server_redis.replies import Pairs, Status
from sregym_server_redis.sentinel import (
    effective_down_after_s,
    follows,
    others,
    promote,
    sentinel_view,
    server_at,
)
from sregym_server_redis.sentinel_set import SET
from sregym_server_redis.sentinel_state import Watched, identity, keep, watched, with_option
from sregym_server_redis.server import CommandConnection
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.servers import Process, World

_NO_MASTER = "ERR No such master with that name"
_OPTIONS = (
    "quorum", "down-after-milliseconds", "failover-timeout", "parallel-syncs", "auth-pass", "auth-user",
    "notification-script", "client-reconfig-script",
)  # fmt: skip


class SentinelConnection(CommandConnection):
    """A client at a Sentinel."""

    def run(self, words: list[str]) -> Any:
        """The reply to a command.

        Raises:
            Refused: With the Sentinel's error text.
        """
        name = words[0].lower()
        if name == "sentinel":
            return self._sentinel(words[1:])
        if name == "info":
            return _info(self, [word.lower() for word in words[1:]])
        if name == "role":
            given = watched(self.world, self.server)
            return ["sentinel", [] if given is None else [given.name]]
        if name in ("ping", "auth", "hello", "client", "command", "shutdown"):
            return super().run(words)
        shown = "".join(f"'{word}' " for word in words[1:])
        raise Refused(f"ERR unknown command '{words[0]}', with args beginning with: {shown}")

    def _sentinel(self, words: list[str]) -> Any:
        if not words:
            raise Refused("ERR wrong number of arguments for 'sentinel' command")
        name = words[0].lower()
        known = _COMMANDS.get(name)
        if known is None:
            raise Refused(f"ERR unknown subcommand '{words[0]}'. Try SENTINEL HELP.")
        least, most, command = known
        if not least <= len(words) - 1 <= most:
            raise Refused(f"ERR wrong number of arguments for 'sentinel|{name}' command")
        return command(self, words[1:])

    def master(self, name: str) -> Watched:
        """The master of a name.

        Raises:
            Refused: It does not watch one of that name.
        """
        given = watched(self.world, self.server)
        if given is None or given.name != name:
            raise Refused(_NO_MASTER)
        return given


def client_of(world: World, server: Process, peer: str) -> CommandConnection:
    """A client at a Sentinel, or at a server with data."""
    if isinstance(server.behaviour, SentinelProgram):
        return SentinelConnection(world, server, peer)
    return CommandConnection(world, server, peer)


def _status(client: Connection, given: Watched) -> str:
    sight = sentinel_view(client.world, client.server)
    if given.place not in sight.down:
        return "ok"
    return "odown" if sight.agreed else "sdown"


def _flags(client: Connection, given: Watched, place: str) -> str:
    role = "master" if place == given.place else "slave"
    sight = sentinel_view(client.world, client.server)
    found = [role]
    if place in sight.down:
        found = ["s_down", *(["o_down"] if sight.agreed and role == "master" else []), role]
        if server_at(client.world, client.server, place) is None:
            found.append("disconnected")
    return ",".join(found)


def _server_rows(client: Connection, given: Watched, place: str) -> list[Any]:
    world, sight = client.world, sentinel_view(client.world, client.server)
    host, _, port = place.partition(" ")
    missed = sight.missed.get(place)
    late_ms = 0 if missed is None else int(1000 * (world.now - missed))
    there = server_at(world, client.server, place)
    answered = 342 if there is not None else late_ms
    name = given.name if place == given.place else f"{host}:{port}"
    rows = [
        "name", name, "ip", host, "port", port, "runid", "" if there is None else _run_id(client, there),
        "flags", _flags(client, given, place), "link-pending-commands", "0", "link-refcount", "1",
        "last-ping-sent", "0" if there is not None else str(late_ms), "last-ok-ping-reply", str(answered),
        "last-ping-reply", str(answered),
    ]  # fmt: skip
    if place in sight.down:
        borne_s = effective_down_after_s(world, given, place, there)
        rows += ["s-down-time", str(max(0, late_ms - int(1000 * borne_s)))]
    rows += ["down-after-milliseconds", str(int(1000 * given.down_after_s)), "info-refresh", "1204"]
    followed = "" if there is None else follows(world, there)
    return [*rows, "role-reported", "slave" if followed else "master"]


def _run_id(client: Connection, server: Process) -> str:
    return str(sections(Connection(client.world, server))["server"][1]["run_id"])


def _master_rows(client: Connection, given: Watched) -> Pairs:
    return Pairs([
        *_server_rows(client, given, given.place), "config-epoch", str(given.epoch),
        "num-slaves", str(len(given.replicas)), "num-other-sentinels", str(len(given.sentinels)),
        "quorum", str(given.quorum), "failover-timeout", str(int(1000 * given.timeout_s)),
        "parallel-syncs", "1",
    ])  # fmt: skip


def _replica_rows(client: Connection, given: Watched, place: str) -> Pairs:
    world = client.world
    there = server_at(world, client.server, place)
    link = None if there is None else looked_at(world, there.ref)
    followed = given.place if there is None else follows(world, there) or "? 0"
    host, _, port = followed.partition(" ")
    own = None if there is None else Connection(world, there)
    return Pairs([
        *_server_rows(client, given, place),
        "master-link-down-time", "0" if link is None or link.master else str(int(1000 * (world.now - link.since))),
        "master-link-status", "ok" if link is not None and link.master is not None else "err",
        "master-host", host, "master-port", port,
        "slave-priority", "100" if own is None else own.setting("replica-priority"),
        "slave-repl-offset", "0" if own is None else str(offset_of(own)), "replica-announced", "1",
    ])  # fmt: skip


def _masters(client: SentinelConnection, _words: list[str]) -> list[Any]:
    given = watched(client.world, client.server)
    return [] if given is None else [_master_rows(client, given)]


def _master(client: SentinelConnection, words: list[str]) -> Pairs:
    return _master_rows(client, client.master(words[0]))


def _replicas(client: SentinelConnection, words: list[str]) -> list[Any]:
    given = client.master(words[0])
    return [_replica_rows(client, given, place) for place in given.replicas]


def _sentinels(client: SentinelConnection, words: list[str]) -> list[Any]:
    given = client.master(words[0])
    reached = {identity(one) for one in others(client.world, client.server)}
    found = []
    for name, place in given.sentinels:
        host, _, port = place.rpartition(":")
        flags = "sentinel" if name in reached else "s_down,sentinel,disconnected"
        found.append(Pairs([
            "name", name, "ip", host, "port", port, "runid", name, "flags", flags,
            "down-after-milliseconds", str(int(1000 * given.down_after_s)), "voted-leader", "?",
            "voted-leader-epoch", "0",
        ]))  # fmt: skip
    return found


def _address(client: SentinelConnection, words: list[str]) -> list[str] | None:
    given = watched(client.world, client.server)
    return given.place.split() if given is not None and given.name == words[0] else None


def _ckquorum(client: SentinelConnection, words: list[str]) -> Status:
    given = client.master(words[0])
    usable = 1 + len(others(client.world, client.server))
    whole = SET.member_set(client.world, client.server)
    assert whole is not None
    if usable < given.quorum:
        text = f"NOQUORUM {usable} usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master"
        if usable < majority(whole):
            text += (
                ". Not enough available Sentinels to reach the majority and authorize a failover"
            )
        raise Refused(text)
    if usable < majority(whole):
        text = f"NOQUORUM {usable} usable Sentinels. Not enough available Sentinels to reach the majority and authorize a failover"
        raise Refused(text)
    text = f"OK {usable} usable Sentinels. Quorum and failover authorization can be reached"
    return Status(text)


def _failover(client: SentinelConnection, words: list[str]) -> Status:
    given, world, server = client.master(words[0]), client.world, client.server
    there = {place: server_at(world, server, place) for place in (given.place, *given.replicas)}
    if not any(there[place] is not None for place in given.replicas):
        raise Refused("NOGOODSLAVE No suitable replica to promote")
    if not promote(world, server, given, there):
        raise Refused("NOGOODSLAVE No suitable replica to promote")
    return Status("OK")


def _set(client: SentinelConnection, words: list[str]) -> Status:
    given = client.master(words[0])
    options = words[1:]
    if len(options) % 2:
        raise Refused("ERR wrong number of arguments for 'sentinel|set' command")
    for name, value in zip(options[::2], options[1::2], strict=True):
        if name.lower() not in _OPTIONS:
            raise Refused(f"ERR Unknown option or number of arguments for SENTINEL SET '{name}'")
        try:
            given = with_option(given, name.lower(), value)
        except ValueError:
            raise Refused(f"ERR Invalid argument '{value}' for SENTINEL SET '{name}'") from None
    keep(client.world, client.server, given)
    schedule_checks(client.world)
    return Status("OK")


def _reset(client: SentinelConnection, words: list[str]) -> int:
    given = watched(client.world, client.server)
    if given is None or not globs.matches(words[0], given.name):
        return 0
    keep(client.world, client.server, given.changed(replicas=(), sentinels=()))
    schedule_checks(client.world)
    return 1


def _myid(client: SentinelConnection, _words: list[str]) -> str:
    return identity(client.server)


_COMMANDS: dict[str, tuple[int, int, Callable[[SentinelConnection, list[str]], Any]]] = {
    "masters": (0, 0, _masters), "master": (1, 1, _master), "replicas": (1, 1, _replicas),
    "slaves": (1, 1, _replicas), "sentinels": (1, 1, _sentinels), "myid": (0, 0, _myid),
    "get-master-addr-by-name": (1, 1, _address), "ckquorum": (1, 1, _ckquorum),
    "failover": (1, 1, _failover), "set": (3, 99, _set), "reset": (1, 1, _reset),
}  # fmt: skip


def _info(client: SentinelConnection, words: list[str]) -> str:
    known = sections(client)
    shown = []
    for name in ("server", "clients", "cpu", "stats"):
        title, rows = known[name]
        if not words or name in words or "all" in words or "default" in words:
            mode = {"redis_mode": "sentinel", "server_mode": "sentinel"}
            told = {key: mode.get(key, value) for key, value in rows.items()}
            shown.append((title, told))
    if not words or words[0] in ("sentinel", "all", "default", "everything"):
        shown.append(("Sentinel", _sentinel_rows(client)))
    return "\r\n".join(
        f"# {title}\r\n" + "".join(f"{key}:{value}\r\n" for key, value in rows.items())
        for title, rows in shown
    )


def _sentinel_rows(client: SentinelConnection) -> dict[str, Any]:
    given = watched(client.world, client.server)
    rows: dict[str, Any] = {
        "sentinel_masters": int(given is not None), "sentinel_tilt": 0, "sentinel_tilt_since_seconds": -1,
        "sentinel_running_scripts": 0, "sentinel_scripts_queue_length": 0,
        "sentinel_simulate_failure_flags": 0,
    }  # fmt: skip
    if given is not None:
        address, count = given.place.replace(" ", ":"), len(given.sentinels) + 1
        message = f"status={_status(client, given)},address={address},slaves={len(given.replicas)}"
        rows["master0"] = f"name={given.name},{message},sentinels={count}"
    return rows
