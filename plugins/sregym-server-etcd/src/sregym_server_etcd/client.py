"""`etcdctl`: keys, members and endpoints of an etcd server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from sregym_cluster_embedded.sdk.commands import Output, Session, connect, wait_for
from sregym_cluster_embedded.sdk.servers import moment, process_of

from sregym_server_etcd.data import describe, load, store
from sregym_server_etcd.keys import KEY_COMMANDS
from sregym_server_etcd.leases import leased
from sregym_server_etcd.member import Member, member_of
from sregym_server_etcd.program import EtcdProgram
from sregym_server_etcd.showing import framed, header, humanised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import Process

    from sregym_server_etcd.data import EtcdData

# How long a command is tried.
_COMMAND_S = 5.0
_SWITCHES = frozenset(
    {"prefix", "keys-only", "print-value-only", "count-only", "from-key", "cluster", "hex", "debug"}
    | {"insecure-transport", "insecure-skip-tls-verify", "prev-kv", "keys", "once"}
)
_SHORT = {"w": "write-out"}


class Ask(NamedTuple):
    """A command of etcdctl.

    Attributes:
        session: Where it was typed.
        flags: By name.
        operands: What stands behind the command.
        stdin: What was typed besides.
        form: How answers are written: `simple`, `json`, `table`, `fields`.
    """

    session: Session
    flags: Mapping[str, str]
    operands: Sequence[str]
    stdin: str
    form: str


class Server(NamedTuple):
    """A server that answers.

    Attributes:
        process: It.
        storage: Identity of what it keeps.
        member: What it is configured with.
        data: What it keeps.
    """

    process: Process
    storage: str
    member: Member
    data: EtcdData


def etcdctl(session: Session, words: list[str], stdin: str) -> Output:
    """The command `etcdctl`."""
    flags, operands = _parsed(words[1:])
    form = flags.get("write-out", "simple")
    for name in ("cacert", "cert", "key"):
        path = flags.get(name, "")
        if path and session.files.read(session.path(path)) is None:
            return Output(128, "", f"Error: open {path}: no such file or directory\n")
    if not operands:
        return Output(0, _USAGE)
    for count in (2, 1):
        act = _COMMANDS.get(" ".join(operands[:count]))
        if act is not None:
            return act(Ask(session, flags, operands[count:], stdin, form))
    return Output(1, "", f'Error: unknown command "{operands[0]}" for "etcdctl"\nRun \'etcdctl --help\' for usage.\n')  # fmt: skip


def _parsed(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Flags by name, and what is none."""
    flags: dict[str, str] = {}
    operands: list[str] = []
    waiting = [*words]
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            operands += waiting
            break
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and name not in _SWITCHES:
            value = waiting.pop(0) if waiting else ""
        flags[_SHORT.get(name, name)] = value
    return flags, operands


def _endpoints(ask: Ask) -> list[str]:
    """The servers that are asked, as they are named."""
    text = ask.flags.get("endpoints") or ask.session.environment.get("ETCDCTL_ENDPOINTS", "")
    return (text or "127.0.0.1:2379").split(",")


def _server(ask: Ask, endpoint: str) -> tuple[Server | None, str]:
    """The server behind an endpoint, or what the client logs when none answers."""
    place = endpoint.partition("://")[2] or endpoint
    host, _, port = place.partition("/")[0].rpartition(":")
    host, number = (host, int(port)) if host and port.isdecimal() else (place, 2379)
    target = connect(ask.session, host, number, "etcd")
    found = None if target.ref is None or target.kind else process_of(ask.session.world, target.ref)
    if found is not None and "etcd.storage" in found.settings:
        storage = found.settings["etcd.storage"]
        program = found.behaviour
        assert isinstance(program, EtcdProgram)
        return Server(
            found, storage, member_of(found, program), load(ask.session.world, storage)
        ), ""
    why = {
        "dns": f"dial tcp: {target.facts.get('lookup', '')}",
        "timeout": f"dial tcp {target.facts['ip']}:{number}: i/o timeout",
        "protocol": "error reading server preface: http2: frame too large",
    }.get(target.kind, f"dial tcp {target.facts['ip']}:{number}: connect: connection refused")
    return None, why


def _complaint(ask: Ask, endpoint: str, why: str) -> str:
    now = moment(ask.session.world, ask.session.world.now + ask.session.slept_s)
    record = {
        "level": "warn", "ts": f"{now:%Y-%m-%dT%H:%M:%S.%f}Z", "logger": "etcd-client",
        "caller": "v3@v3.5.16/retry_interceptor.go:63",
        "msg": "retrying of unary invoker failed",
        "target": f"etcd-endpoints://0xc000346000/{endpoint}", "attempt": 0,
        "error": "rpc error: code = DeadlineExceeded desc = latest balancer error: last connection "
        f'error: connection error: desc = "transport: Error while dialing: {why}"',
    }  # fmt: skip
    return json.dumps(record, separators=(",", ":")) + "\n"


def _at_server(act: Callable[[Ask, Server], Output]) -> Callable[[Ask], Output]:
    """A command for the first endpoint that answers."""

    def run(ask: Ask) -> Output:
        endpoints = _endpoints(ask)
        why = ""
        for endpoint in endpoints:
            server, why = _server(ask, endpoint)
            if server is not None:
                return act(ask, server)
        wait_for(ask.session, _COMMAND_S)
        return Output(1, "", f"{_complaint(ask, endpoints[0], why)}Error: context deadline exceeded\n")  # fmt: skip

    return run


def _keys(act: Callable[..., tuple[Output, EtcdData]]) -> Callable[[Ask], Output]:
    def run(ask: Ask, server: Server) -> Output:
        about = header(server.member, server.data)
        output, data = act(server.data, about, ask.flags, ask.operands, ask.stdin, ask.form)
        if data is not server.data:
            store(ask.session.world, server.storage, data)
        return output

    return _at_server(run)


def _health(ask: Ask) -> Output:
    rows, good, out, err = [], True, "", ""
    for endpoint in _all_endpoints(ask):
        server, why = _server(ask, endpoint)
        fraction = ask.session.world.seed.fraction("etcd health", endpoint, ask.session.world.now)
        took = f"{1.2 + fraction * 3:.6f}ms" if server is not None else f"{_COMMAND_S + fraction / 100:.9f}s"  # fmt: skip
        if server is None:
            wait_for(ask.session, _COMMAND_S)
            good = False
            err += _complaint(ask, endpoint, why)
            if ask.form == "simple":
                err += f"{endpoint} is unhealthy: failed to commit proposal: context deadline exceeded\n"
        elif ask.form == "simple":
            out += f"{endpoint} is healthy: successfully committed proposal: took = {took}\n"
        rows.append((endpoint, server is not None, took))
    if ask.form == "json":
        found = [
            {"endpoint": one, "health": ok, "took": took, **({} if ok else {"error": "context deadline exceeded"})}
            for one, ok, took in rows
        ]  # fmt: skip
        out = json.dumps(found, separators=(",", ":")) + "\n"
    elif ask.form == "table":
        cells = [
            (one, str(ok).lower(), took, "" if ok else "context deadline exceeded")
            for one, ok, took in rows
        ]
        out = framed(("ENDPOINT", "HEALTH", "TOOK", "ERROR"), cells)
    return Output(0 if good else 1, out, err if good else f"{err}Error: unhealthy cluster\n")


def _all_endpoints(ask: Ask) -> list[str]:
    """With `--cluster` what the members tell, else what is named."""
    endpoints = _endpoints(ask)
    if "cluster" not in ask.flags:
        return endpoints
    server, _ = _server(ask, endpoints[0])
    return endpoints if server is None else server.member.clients.split(",")


def _status(ask: Ask) -> Output:
    found, err = [], ""
    for endpoint in _all_endpoints(ask):
        server, why = _server(ask, endpoint)
        if server is None:
            wait_for(ask.session, _COMMAND_S)
            err += f"{_complaint(ask, endpoint, why)}Failed to get the status of endpoint {endpoint} (context deadline exceeded)\n"
        else:
            found.append((endpoint, server))
    if ask.form == "json":
        told = [
            {
                "Endpoint": endpoint,
                "Status": {
                    "header": header(server.member, server.data), "version": _version(server),
                    "dbSize": server.data.size_bytes, "leader": server.member.number,
                    "raftIndex": server.data.index, "raftTerm": server.data.term,
                    "raftAppliedIndex": server.data.index, "dbSizeInUse": server.data.size_bytes,
                },
            }
            for endpoint, server in found
        ]  # fmt: skip
        return Output(1 if err else 0, json.dumps(told, separators=(",", ":")) + "\n", err)
    rows = [
        (
            endpoint, f"{server.member.number:x}", _version(server),
            humanised(server.data.size_bytes), "true", "false", str(server.data.term),
            str(server.data.index), str(server.data.index), "",
        )
        for endpoint, server in found
    ]  # fmt: skip
    names = ("ENDPOINT", "ID", "VERSION", "DB SIZE", "IS LEADER", "IS LEARNER", "RAFT TERM", "RAFT INDEX", "RAFT APPLIED INDEX", "ERRORS")  # fmt: skip
    return Output(1 if err else 0, _written(ask, names, rows), err)


def _version(server: Server) -> str:
    return str(getattr(server.process.behaviour, "version", ""))


def _members(ask: Ask, server: Server) -> Output:
    member = server.member
    if ask.form == "json":
        told = {
            "header": {key: value for key, value in header(member, server.data).items() if key != "revision"},
            "members": [{"ID": member.number, "name": member.name, "peerURLs": member.peers.split(","), "clientURLs": member.clients.split(",")}],
        }  # fmt: skip
        return Output(0, json.dumps(told, separators=(",", ":")) + "\n")
    row = (f"{member.number:x}", "started", member.name, member.peers, member.clients, "false")
    names = ("ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER")
    return Output(0, _written(ask, names, [row]))


def _written(ask: Ask, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if ask.form == "table":
        return framed(names, rows)
    return "".join(f"{', '.join(row)}\n" for row in rows)


def _defragment(ask: Ask) -> Output:
    out, err = "", ""
    for endpoint in _endpoints(ask):
        server, _ = _server(ask, endpoint)
        if server is None:
            err += f"Failed to defragment etcd member[{endpoint}] (context deadline exceeded)\n"
        else:
            out += f"Finished defragmenting etcd member[{endpoint}]. took 12.305167ms\n"
    return Output(1 if err else 0, out, err)


def _told_version(_: Ask) -> Output:
    return Output(0, "etcdctl version: 3.5.16\nAPI version: 3.5\n")


def _alarms(_: Ask, __: Server) -> Output:
    return Output(0)


def _leases(ask: Ask, server: Server) -> Output:
    world = ask.session.world
    output, data = leased(world, server.data, ask.flags, ask.operands)
    if data is not server.data:
        store(world, server.storage, data)
    return output


def _hashes(ask: Ask) -> Output:
    out, err = "", ""
    for endpoint in _all_endpoints(ask):
        server, why = _server(ask, endpoint)
        if server is None:
            err += f"{_complaint(ask, endpoint, why)}Failed to get the hash of endpoint {endpoint} (context deadline exceeded)\n"
        else:
            text = f"{server.data.revision} {describe(server.data)}"
            out += f"{endpoint}, {crc32(text.encode())}\n"
    return Output(1 if err else 0, out, err)


def _no_auth(_: Ask, __: Server) -> Output:
    return Output(0, "Authentication Status: false\nAuthRevision: 1\n")


def _watch(ask: Ask, _: Server) -> Output:
    ask.session.endless = True
    return Output(0)


_USAGE = (
    "NAME:\n\tetcdctl - A simple command line client for etcd3.\n\nUSAGE:\n\tetcdctl [flags]\n\n"
    "VERSION:\n\t3.5.16\n\nAPI VERSION:\n\t3.5\n\n"
)
_COMMANDS: Mapping[str, Callable[[Ask], Output]] = {
    **{name: _keys(act) for name, act in KEY_COMMANDS.items()},
    "endpoint health": _health,
    "endpoint status": _status,
    "member list": _at_server(_members),
    "alarm list": _at_server(_alarms),
    "alarm disarm": _at_server(_alarms),
    "auth status": _at_server(_no_auth),
    "endpoint hashkv": _hashes,
    "lease": _at_server(_leases),
    "role list": _at_server(_alarms),
    "user list": _at_server(_alarms),
    "defrag": _defragment,
    "version": _told_version,
    "watch": _at_server(_watch),
}
