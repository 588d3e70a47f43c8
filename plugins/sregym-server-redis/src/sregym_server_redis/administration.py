"""Commands about the server and its clients: settings, users, connections, transactions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import globs
from sregym_cluster_embedded.sdk.servers import RUNTIME

from sregym_server_redis.accounts import CATEGORIES, User, with_rule
from sregym_server_redis.clients import CLIENTS, number_of
from sregym_server_redis.connection import WRONG_PASS, Connection
from sregym_server_redis.information import INFORMATION
from sregym_server_redis.keys import NOT_INTEGER, SYNTAX, integer
from sregym_server_redis.program import RedisProgram
from sregym_server_redis.replication import follow
from sregym_server_redis.replies import BlockedCommand, Pairs, Status
from sregym_server_redis.server_log import note
from sregym_server_redis.settings import canonical, checked, known
from sregym_server_redis.snapshots import snapshots
from sregym_server_redis.vocabulary import Refused, spec_of, specs

if TYPE_CHECKING:
    from collections.abc import Callable

_NO_PASSWORD = (
    "ERR AUTH <password> called without any password configured for the default user. Are you "
    "sure your configuration is correct?"
)
_NO_FILE = (
    "ERR This Redis instance is not configured to use an ACL file. You may want to specify users "
    "via the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis "
    "configuration file set) in order to store users in the Redis configuration."
)
_NO_DEBUG = (
    'ERR DEBUG command not allowed. If the enable-debug-command option is set to "local", you '
    "can run it from a local connection, otherwise you need to set this option in the "
    "configuration file, and then restart the server."
)
_OK = Status("OK")


def _auth(client: Connection, words: list[str]) -> Status:
    if len(words) > 2:
        raise Refused(SYNTAX)
    if len(words) == 1 and client.account("default").open:
        raise Refused(_NO_PASSWORD)
    if not client.log_in(words[-1], words[0] if len(words) == 2 else "default"):
        raise Refused(WRONG_PASS)
    return _OK


def _ping(_client: Connection, words: list[str]) -> str:
    if len(words) > 1:
        raise Refused("ERR wrong number of arguments for 'ping' command")
    return words[0] if words else Status("PONG")


def _echo(_client: Connection, words: list[str]) -> str:
    return words[0]


def _select(client: Connection, words: list[str]) -> Status:
    number = integer(words[0])
    if not 0 <= number < int(client.setting("databases")):
        raise Refused("ERR DB index is out of range")
    client.database = number
    return _OK


def _other(client: Connection, text: str) -> int:
    number = integer(text)
    if not 0 <= number < int(client.setting("databases")):
        raise Refused("ERR DB index is out of range")
    return number


def _move(client: Connection, words: list[str]) -> int:
    data, target = client.data, _other(client, words[1])
    if target == client.database:
        raise Refused("ERR source and destination objects are the same")
    here = data.database(client.database, client.world.now)
    there = data.database(target, client.world.now)
    if words[0] not in here or words[0] in there:
        return 0
    there[words[0]] = here.pop(words[0])
    client.keep(data.with_database(client.database, here).with_database(target, there))
    return 1


def _swapdb(client: Connection, words: list[str]) -> Status:
    first, second = _other(client, words[0]), _other(client, words[1])
    data = client.data
    one, other = data.databases.get(first, {}), data.databases.get(second, {})
    client.keep(data.with_database(first, other).with_database(second, one))
    return _OK


def _config_get(client: Connection, words: list[str]) -> Pairs:
    forms = [word.lower() for word in words[1:]]
    names = [name for name in known() if any(globs.matches(name, form) for form in forms)]
    plain = [form for form in forms if form in names]
    ordered = [*plain, *(name for name in names if name not in plain)]
    return Pairs(part for name in ordered for part in (name, client.setting(canonical(name))))


def _config_set(client: Connection, words: list[str]) -> Status:
    if len(words) % 2 == 0:
        raise Refused("ERR wrong number of arguments for 'config|set' command")
    new: dict[str, str] = {}
    old_words = client.release < (7,)
    for name, value in zip(words[1::2], words[2::2], strict=True):
        if name.lower() not in known():
            if old_words:
                raise Refused(f"ERR Unsupported CONFIG parameter: {name}")
            text = f"ERR Unknown option or number of arguments for CONFIG SET - '{name}'"
            raise Refused(text)
        shown, name = name, canonical(name)
        try:
            new[name] = checked(name, value, twice=name in new)
        except Refused as refusal:
            if old_words:
                text = f"ERR Invalid argument '{value}' for CONFIG SET '{shown}' - {refusal}"
                raise Refused(text) from None
            text = f"ERR CONFIG SET failed (possibly related to argument '{shown}') - {refusal}"
            raise Refused(text) from None
    data = client.data
    settings = {**data.settings, **new}
    # What is as the server was started with is nothing that has been changed.
    changed = {name: held for name, held in settings.items() if held != client.started_with(name)}
    users = data.users
    if "requirepass" in new:
        users = {name: user for name, user in users.items() if name != "default"}
    client.keep(replace(data, settings=changed, users=users))
    return _OK


def _config_rewrite(client: Connection, _words: list[str]) -> Status:
    if not client.server.settings.get("redis.config-file"):
        raise Refused("ERR The server is running without a config file")
    raise Refused("ERR Rewriting config file: Read-only file system")


def _ok(_client: Connection, _words: list[str]) -> Status:
    return _OK


def _replicaof(client: Connection, words: list[str]) -> Status:
    value = " ".join(words)
    if [word.lower() for word in words] == ["no", "one"]:
        value = ""
    elif not words[1].isdecimal() or not 0 <= int(words[1]) < 65536:
        raise Refused(NOT_INTEGER if words[1].isdecimal() else "ERR Invalid master port")
    data = client.data
    client.keep(replace(data, settings={**data.settings, "replicaof": value}))
    asked = f"id={number_of(client)} addr={client.peer}:43210 name={client.name} user={client.user}"
    follow(client, asked)
    return _OK


def _save(client: Connection, _words: list[str]) -> Status:
    note(client.world, client.server, "M", "*", "DB saved on disk")
    return _OK


def _bgsave(client: Connection, words: list[str]) -> Status:
    if words and words[0].lower() != "schedule":
        raise Refused(SYNTAX)
    world, server = client.world, client.server
    note(world, server, "M", "*", "Background saving started by pid 25")
    note(world, server, "C", "*", "DB saved on disk", pid=25)
    cow = "Fork CoW for RDB: current 0 MB, peak 0 MB, average 0 MB"
    note(world, server, "C", "*", cow, pid=25)
    note(world, server, "M", "*", "Background saving terminated with success")
    return Status("Background saving started")


def _shutdown(client: Connection, words: list[str]) -> None:
    options = {word.lower() for word in words}
    if options - {"nosave", "save", "now", "force", "abort"} or {"nosave", "save"} <= options:
        raise Refused(SYNTAX)
    program = client.world.service(RUNTIME).program_as(client.server, RedisProgram)
    snapshots(client.world, client.server).shut_down(client.world, client.server, program)


def _users(client: Connection) -> dict[str, User]:
    return dict(sorted({"default": client.account("default"), **client.data.users}.items()))


def _acl_list(client: Connection, _words: list[str]) -> list[str]:
    form = "sanitize-payload" if client.release >= (7, 2) else ""
    return [user.line(name, form) for name, user in _users(client).items()]


def _acl_users(client: Connection, _words: list[str]) -> list[str]:
    return list(_users(client))


def _acl_getuser(client: Connection, words: list[str]) -> Any:
    found = _users(client).get(words[1])
    return None if found is None else found.told()


def _acl_setuser(client: Connection, words: list[str]) -> Status:
    data = client.data
    user = _users(client).get(words[1], User())
    for rule in words[2:]:
        user = with_rule(user, rule)
    client.keep(replace(data, users={**data.users, words[1]: user}))
    return _OK


def _acl_deluser(client: Connection, words: list[str]) -> int:
    if "default" in words[1:]:
        raise Refused("ERR The 'default' user cannot be removed")
    data = client.data
    kept = {name: user for name, user in data.users.items() if name not in words[1:]}
    client.keep(replace(data, users=kept))
    return len(data.users) - len(kept)


def _acl_whoami(client: Connection, _words: list[str]) -> str:
    return client.user


def _acl_dryrun(client: Connection, words: list[str]) -> str:
    user = _users(client).get(words[1])
    if user is None:
        raise Refused(f"ERR User '{words[1]}' not found")
    spec = spec_of(words[2:], old=False)
    if not user.runs(spec):
        who = f"User {words[1]} has" if client.release >= (7, 2) else "This user has"
        return f"{who} no permissions to run the '{spec.name}' command"
    if not user.touches(spec.keys(words[2:])):
        return "This user has no permissions to access one of the keys used as arguments"
    return _OK


def _acl_cat(_client: Connection, words: list[str]) -> list[str]:
    if len(words) < 2:
        return list(CATEGORIES)
    if words[1].lower() not in CATEGORIES:
        raise Refused(f"ERR Unknown category '{words[1]}'")
    return [name for name, spec in specs().items() if words[1].lower() in spec.categories]


def _acl_genpass(client: Connection, _words: list[str]) -> str:
    seed = client.world.seed
    parts = (seed.fraction("password", client.storage, client.world.now, n) for n in range(8))
    return "".join(f"{int(part * (1 << 32)):08x}" for part in parts)


def _acl_file(_client: Connection, _words: list[str]) -> Status:
    raise Refused(_NO_FILE)


def _empty(_client: Connection, _words: list[str]) -> list[Any]:
    return []


def _none(_client: Connection, _words: list[str]) -> int:
    return 0


def _acl_log(_client: Connection, words: list[str]) -> Any:
    return _OK if [word.lower() for word in words[1:]] == ["reset"] else []


def _debug(_client: Connection, _words: list[str]) -> Status:
    raise Refused(_NO_DEBUG)


def _no_cluster(_client: Connection, _words: list[str]) -> Status:
    raise Refused("ERR This instance has cluster support disabled")


def _multi(client: Connection, _words: list[str]) -> Status:
    if client.queued is not None:
        raise Refused("ERR MULTI calls can not be nested")
    client.queued, client.broken = [], False
    return _OK


def _discard(client: Connection, _words: list[str]) -> Status:
    if client.queued is None:
        raise Refused("ERR DISCARD without MULTI")
    client.queued = None
    return _OK


def _watch(client: Connection, _words: list[str]) -> Status:
    if client.queued is not None:
        raise Refused("ERR WATCH inside MULTI is not allowed")
    return _OK


def _reset(client: Connection, _words: list[str]) -> Status:
    client.database, client.queued, client.user = 0, None, "default"
    client.known = client.account("default").open
    return Status("RESET")


def _monitor(_client: Connection, _words: list[str]) -> None:
    raise BlockedCommand([_OK], None)


def _subscribe(form: str) -> Callable[[Connection, list[str]], Any]:
    def handler(_client: Connection, words: list[str]) -> None:
        raise BlockedCommand(
            [[form, word, place] for place, word in enumerate(words, start=1)], None
        )

    return handler


def _pubsub_numsub(_client: Connection, words: list[str]) -> Pairs:
    return Pairs(part for word in words[1:] for part in (word, 0))


def _script_exists(_client: Connection, words: list[str]) -> list[int]:
    return [0] * len(words[1:])


def _evalsha(_client: Connection, _words: list[str]) -> None:
    raise Refused("NOSCRIPT No matching script. Please use EVAL.")


def _failover(_client: Connection, _words: list[str]) -> None:
    raise Refused("ERR FAILOVER requires connected replicas.")


ADMINISTRATION: dict[str, Callable[[Connection, list[str]], Any]] = {
    **CLIENTS, **INFORMATION,
    "auth": _auth, "ping": _ping, "echo": _echo, "quit": _ok, "select": _select, "move": _move,
    "swapdb": _swapdb, "config|get": _config_get, "config|set": _config_set,
    "config|rewrite": _config_rewrite, "config|resetstat": _ok, "replicaof": _replicaof,
    "slaveof": _replicaof, "save": _save, "bgsave": _bgsave, "shutdown": _shutdown,
    "acl|list": _acl_list, "acl|users": _acl_users, "acl|getuser": _acl_getuser,
    "acl|setuser": _acl_setuser, "acl|deluser": _acl_deluser, "acl|whoami": _acl_whoami,
    "acl|dryrun": _acl_dryrun, "acl|cat": _acl_cat, "acl|genpass": _acl_genpass,
    "acl|save": _acl_file, "acl|load": _acl_file, "acl|log": _acl_log, "debug": _debug,
    "cluster": _no_cluster, "readonly": _no_cluster, "readwrite": _no_cluster, "multi": _multi,
    "discard": _discard, "watch": _watch, "unwatch": _ok, "reset": _reset,
    "monitor": _monitor, "subscribe": _subscribe("subscribe"),
    "psubscribe": _subscribe("psubscribe"), "publish": _none, "pubsub|channels": _empty,
    "pubsub|numsub": _pubsub_numsub, "pubsub|numpat": _none, "script|exists": _script_exists,
    "script|flush": _ok, "evalsha": _evalsha, "failover": _failover, "wait": _none,
    "module|list": _empty, "function|list": _empty,
}  # fmt: skip
