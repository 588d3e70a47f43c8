"""Commands about the clients of a server, what it remembers of them, and the commands it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import connection_sources, counted

from sregym_server_redis.keys import SYNTAX
from sregym_server_redis.keyspace import weight
from sregym_server_redis.links import link_of, offset_of, replicas_of
from sregym_server_redis.replies import Pairs, Status
from sregym_server_redis.vocabulary import Refused, Spec, specs

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_redis.connection import Connection

_OK = Status("OK")
_LITTLE = (
    "Hi Sam, this instance is empty or is using very little memory, my issues detector can't be "
    "used in these conditions. Please, leave for your mission on Earth and fill it with some data. "
    "The new Sam and I will be back to our programming as soon as I finished rebooting.\n"
)
_HEALTHY = "Hi Sam, I can't find any memory issue in your instance. I can only account for what occurs on this base.\n"
_NOT_WATCHED = (
    "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this {name} instance. You "
    'may use "CONFIG SET latency-monitor-threshold <milliseconds>." in order to enable it. If we '
    "weren't in a deep space mission I'd suggest to take a look at "
    "https://{site}/topics/latency-monitor.\n"
)
_KINDS = ("normal", "master", "slave", "replica", "pubsub")
# What a server reads ahead for a client.
_BUFFER = 20_474
# The first port from which clients come.
_FIRST_PORT = 32_768


def _line(client: Connection, number: int, address: str, **facts: object) -> str:
    """A client as CLIENT LIST shows it."""
    size = int(str(facts.get("qbuf", 0)))
    held = size // 2 - 3 if size else 0
    rows: dict[str, object] = {
        "id": number, "addr": address, "laddr": f"{_own(client, address)}:{client.setting('port')}",
        "fd": 7 + number % 900, "name": facts.get("name", ""), "age": facts.get("age", 0),
        "idle": facts.get("idle", 0), "flags": "N", "db": facts.get("db", 0), "sub": 0, "psub": 0,
        "ssub": 0, "multi": -1, "qbuf": size, "qbuf-free": _BUFFER - size if size else 0,
        "argv-mem": held, "multi-mem": 0, "rbs": 16_384 if size else 1024,
        "rbp": 16_384 if size else 0, "obl": 0, "oll": 0, "omem": 0,
        "tot-mem": 37_648 + held if size else 1928, "events": "r", "cmd": facts.get("cmd", "get"),
        "user": facts.get("user", "default"), "redir": -1, "resp": facts.get("resp", 2),
    }  # fmt: skip
    if client.release < (7,):
        for name in ("ssub", "multi-mem", "rbs", "rbp", "resp"):
            rows.pop(name)
    return " ".join(f"{name}={value}" for name, value in rows.items()) + "\n"


def _own(client: Connection, address: str) -> str:
    local = address.startswith("127.0.0.1:")
    return "127.0.0.1" if local else str(client.server.config.pod_ip)


def number_of(client: Connection) -> int:
    """The number of the client that asks: one more than connections there have been."""
    return 3 + counted(client.world, client.server.ref).received


def _mine(client: Connection, command: str) -> str:
    number = number_of(client)
    address = f"{client.peer}:{_FIRST_PORT + number * 2 % 28_000}"
    asked = len(command) + 14
    return _line(
        client, number, address, name=client.name, db=client.database, cmd=command,
        user=client.user, qbuf=asked, resp=client.protocol,
    )  # fmt: skip


def _list(client: Connection, words: list[str]) -> str:
    options = [word.lower() for word in words[1:]]
    if options[:1] == ["id"] and len(options) > 1:
        own = str(number_of(client))
        return _mine(client, "client|list") if own in options else ""
    if options and (options[0] != "type" or len(options) != 2):
        raise Refused(SYNTAX)
    if options and options[1] not in _KINDS:
        raise Refused(f"ERR Unknown client type '{words[2]}'")
    if options and options[1] != "normal":
        return ""
    return _others(client) + _mine(client, "client|list")


def _others(client: Connection) -> str:
    """Those that the programs of other pods hold."""
    seen = counted(client.world, client.server.ref)
    age = int(client.world.now - client.server.started_at)
    usual = max(seen.commands, key=lambda name: seen.commands[name], default="get").lower()
    first = number_of(client) - seen.connections
    found = ""
    held = connection_sources(client.world, client.server)
    for place, (peer, end) in enumerate(zip(seen.held_by(), held, strict=True)):
        address = f"{end.ip}:{end.port}"
        user = peer.user or "default"
        found += _line(client, first + place, address, age=age, cmd=usual, user=user)
    return found


def _info(client: Connection, _words: list[str]) -> str:
    return _mine(client, "client|info")


def _id(client: Connection, _words: list[str]) -> int:
    return number_of(client)


def _getname(client: Connection, _words: list[str]) -> Any:
    return client.name or None


def _setname(client: Connection, words: list[str]) -> Status:
    if any(not "!" <= char <= "~" for char in words[1]):
        text = "Client names cannot contain spaces, newlines or special characters."
        raise Refused(f"ERR {text}")
    client.name = words[1]
    return _OK


def _kill(client: Connection, words: list[str]) -> Any:
    if len(words) == 2:
        raise Refused("ERR No such client")
    if len(words) % 2 == 0:
        raise Refused(SYNTAX)
    own = [word.lower() for word in words[1:]] == ["id", str(number_of(client))]
    return int(own)


def _ok(_client: Connection, _words: list[str]) -> Status:
    return _OK


def _hello(client: Connection, words: list[str]) -> Pairs:
    if words and not words[0].isdecimal():
        raise Refused("ERR Protocol version is not an integer or out of range")
    if words and words[0] not in ("2", "3"):
        raise Refused("NOPROTO unsupported protocol version")
    options = [word.lower() for word in words]
    if "auth" in options and len(words) > options.index("auth") + 2:
        at = options.index("auth")
        if not client.log_in(words[at + 2], words[at + 1]):
            text = "WRONGPASS invalid username-password pair or user is disabled."
            raise Refused(text)
    if not client.known:
        raise Refused(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the "
            "HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and "
            "select the RESP protocol version at the same time"
        )
    client.protocol = int(words[0]) if words else client.protocol
    role = "replica" if client.setting("replicaof") else "master"
    return Pairs(
        [
            *("server", client.flavour, "version", client.version, "proto", client.protocol),
            *("id", number_of(client), "mode", "standalone", "role", role, "modules", []),
        ]
    )


def _slow(_client: Connection, _words: list[str]) -> list[Any]:
    return []


def _none(_client: Connection, _words: list[str]) -> int:
    return 0


def _memory_usage(client: Connection, words: list[str]) -> Any:
    if words[2:] and (words[2].lower() != "samples" or len(words) != 4):
        raise Refused(SYNTAX)
    value = client.data.database(client.database, client.world.now).get(words[1])
    return None if value is None else weight(words[1], value)


def _memory_doctor(client: Connection, _words: list[str]) -> str:
    return _LITTLE if client.data.used_bytes() < 5 << 20 else _HEALTHY


def _latency_doctor(client: Connection, _words: list[str]) -> str:
    site = "valkey.io" if client.flavour == "valkey" else "redis.io"
    return _NOT_WATCHED.format(name=client.flavour.capitalize(), site=site)


def _latency_history(_client: Connection, _words: list[str]) -> list[Any]:
    return []


def _count(_client: Connection, _words: list[str]) -> int:
    return sum("|" not in name for name in specs())


_FLAGS = {"w": "write", "r": "readonly", "m": "denyoom", "a": "admin", "b": "blocking", "n": "no_auth"}  # fmt: skip


def _told(spec: Spec) -> list[Any]:
    flags = [Status(_FLAGS[letter]) for letter in spec.flags if letter in _FLAGS]
    flags += [Status("fast")] if "fast" in spec.categories else []
    categories = [Status(f"@{name}") for name in spec.categories]
    return [spec.name, spec.arity, flags, spec.first, spec.last, spec.step, categories, [], [], []]


def _command_info(_client: Connection, words: list[str]) -> list[Any]:
    found = (specs().get(word.lower()) for word in words[1:])
    return [None if spec is None else _told(spec) for spec in found]


def _command_list(_client: Connection, _words: list[str]) -> list[str]:
    return [name for name in specs() if "|" not in name]


def _getkeys(_client: Connection, words: list[str]) -> list[str]:
    spec = specs().get(words[1].lower())
    if spec is None:
        raise Refused("ERR Invalid command specified")
    found = spec.keys(words[1:])
    if not found:
        raise Refused("ERR The command has no key arguments")
    return found


def _role(client: Connection, _words: list[str]) -> list[Any]:
    master = client.setting("replicaof").split()
    if master:
        link = link_of(client.world, client.server.ref)
        up = link is not None and link.master is not None
        state = "connected" if up else "connect"
        return ["slave", master[0], int(master[1]), state, link.offset if up and link else -1]
    replicas = [
        [process.config.pod_ip, str(process.ports[0][0]), str(link.offset)]
        for process, link in replicas_of(client.world, client.server.ref)
    ]
    return ["master", offset_of(client), replicas]


def _time(client: Connection, _words: list[str]) -> list[str]:
    now = client.world.epoch + client.world.now
    return [str(int(now)), str(int(now % 1 * 1e6))]


def _lastsave(client: Connection, _words: list[str]) -> int:
    return int(client.world.epoch + client.server.started_at)


def _bgrewriteaof(_client: Connection, _words: list[str]) -> Status:
    return Status("Background append only file rewriting started")


def _lolwut(client: Connection, _words: list[str]) -> str:
    return f"{client.flavour.capitalize()} ver. {client.version}\n"


CLIENTS: dict[str, Callable[[Connection, list[str]], Any]] = {
    "client|list": _list, "client|info": _info, "client|id": _id, "client|getname": _getname,
    "client|setname": _setname, "client|kill": _kill, "client|no-evict": _ok, "client|pause": _ok,
    "client|unpause": _ok, "client|reply": _ok, "client|tracking": _ok, "hello": _hello,
    "slowlog|get": _slow, "slowlog|len": _none, "slowlog|reset": _ok,
    "memory|usage": _memory_usage, "memory|doctor": _memory_doctor, "memory|purge": _ok,
    "latency|doctor": _latency_doctor, "latency|latest": _latency_history,
    "latency|history": _latency_history, "latency|reset": _none, "command|count": _count,
    "command|info": _command_info, "command|list": _command_list, "command|getkeys": _getkeys,
    "command|docs": _latency_history, "role": _role, "time": _time, "lastsave": _lastsave,
    "bgrewriteaof": _bgrewriteaof, "lolwut": _lolwut,
}  # fmt: skip
