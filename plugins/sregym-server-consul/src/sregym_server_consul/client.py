"""The `consul` command: what it shows of an agent and of the services that are registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, Session, connect
from sregym_cluster_embedded.sdk.servers import Process, process_of

from sregym_server_consul.api import (
    ADDRESS,
    SERF_PORT,
    SERVER_PORT,
    forget,
    instances,
    node_id,
)
from sregym_server_consul.program import RegistryProgram

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_USAGE = (
    "Usage: consul [--version] [--help] <command> [<args>]\n\n"
    "Available commands are:\n"
    "    agent         Runs a Consul agent\n"
    "    catalog       Interact with the catalog\n"
    "    info          Provides debugging information for operators.\n"
    "    kv            Interact with the key-value store\n"
    "    members       Lists the members of a Consul cluster\n"
    "    operator      Provides cluster-level tools for Consul operators\n"
    "    services      Interact with services\n"
    "    version       Prints the Consul version\n\n"
)
_PATHS = {
    "members": ("members", "/v1/agent/members?segment=_all"),
    "catalog": ("services", "/v1/catalog/services"),
    "info": ("agent information", "/v1/agent/self"),
    "operator": ("peers", "/v1/operator/raft/configuration"),
    "kv": ("keys", "/v1/kv/"),
    "services": ("services", "/v1/agent/services"),
}


def consul(session: Session, words: list[str], _stdin: str) -> Output:
    """The command `consul`."""
    operands = [word for word in words[1:] if not word.startswith("-")]
    name = operands[0] if operands else "version" if {"-v", "--version"} & set(words) else ""
    version = _version(session)
    if name == "version":
        return Output(
            0,
            f"Consul v{version}\nRevision 3ce6c1bb\n"
            "Protocol 2 spoken by default, understands 2 to 3 (agent will automatically use "
            "protocol >2 when speaking to compatible agents)\n\n",
        )
    act = _COMMANDS.get(name)
    if act is None:
        return Output(127, "", _USAGE)
    given = dict(word.lstrip("-").partition("=")[::2] for word in words[1:] if "=" in word)
    address = given.get("http-addr") or session.environment.get("CONSUL_HTTP_ADDR", "")
    host, _, port = (address.removeprefix("http://") or f"{ADDRESS}:8500").rpartition(":")
    target = connect(session, host, int(port) if port.isdecimal() else 8500, "registry")
    server = None if target.ref is None else process_of(session.world, target.ref)
    if target.kind or server is None:
        what, path = _PATHS[name]
        why = _WHY.get(target.kind, "connect: connection refused")
        text = f'Get "http://{host}:{port}{path}": dial tcp {target.facts.get("ip", host)}:{port}: {why}'
        return Output(1, "", f"Error retrieving {what}: {text}\n")
    if name == "services" and "id" in given:
        operands.append(given["id"])
    return act(session, server, operands[1:])


_WHY = {"timeout": "i/o timeout", "no_route": "connect: no route to host"}


def _version(session: Session) -> str:
    for program in session.runtime.known(session.process).programs.values():
        if isinstance(program, RegistryProgram):
            return program.version
    return "1.15.4"


def _members(session: Session, server: Process, _operands: Sequence[str]) -> Output:
    rows = [
        ("Node", "Address", "Status", "Type", "Build", "Protocol", "DC", "Partition", "Segment"),
        (
            server.config.hostname, f"{ADDRESS}:{SERF_PORT}", "alive", "server",
            _version(session), "2", "dc1", "default", "<all>",
        ),
    ]  # fmt: skip
    return Output(0, _table(rows))


def _catalog(session: Session, server: Process, operands: Sequence[str]) -> Output:
    what = operands[0] if operands else ""
    if what == "datacenters":
        return Output(0, "dc1\n")
    if what == "nodes":
        node = (server.config.hostname, node_id(server)[:8], ADDRESS, "dc1")
        return Output(0, _table([("Node", "ID", "Address", "DC"), node]))
    if what == "services":
        names = {one.name for one in instances(session.world, server)} | {"consul"}
        return Output(0, "".join(f"{name}\n" for name in sorted(names)))
    return Output(127, "", "Usage: consul catalog <subcommand> [options] [args]\n\n")


def _info(session: Session, server: Process, _operands: Sequence[str]) -> Output:
    known = instances(session.world, server)
    lines = (
        "agent:", "\tcheck_monitors = 0", "\tcheck_ttls = 0", "\tchecks = 0",
        f"\tservices = {len(known)}", "build:", "\tprerelease = ", "\trevision = 3ce6c1bb",
        f"\tversion = {_version(session)}", "consul:", "\tacl = disabled", "\tbootstrap = false",
        "\tknown_datacenters = 1", "\tleader = true",
        f"\tleader_addr = {ADDRESS}:{SERVER_PORT}", "\tserver = true", "raft:", "\tnum_peers = 0",
        "\tstate = Leader", "\tterm = 2", "serf_lan:", "\tfailed = 0", "\tleft = 0",
        "\tmembers = 1",
    )  # fmt: skip
    return Output(0, "".join(f"{line}\n" for line in lines))


def _operator(_session: Session, server: Process, operands: Sequence[str]) -> Output:
    if list(operands[:2]) != ["raft", "list-peers"]:
        return Output(127, "", "Usage: consul operator <subcommand> [options]\n\n")
    rows = [
        ("Node", "ID", "Address", "State", "Voter", "RaftProtocol"),
        (
            server.config.hostname, node_id(server), f"{ADDRESS}:{SERVER_PORT}", "leader", "true",
            "3",
        ),
    ]  # fmt: skip
    return Output(0, _table(rows))


def _kv(_session: Session, _server: Process, operands: Sequence[str]) -> Output:
    if operands[:1] == ["get"] and len(operands) > 1:
        return Output(1, "", f"Error! No key exists at: {operands[1]}\n")
    return Output(0)


def _services(session: Session, server: Process, operands: Sequence[str]) -> Output:
    if operands[:1] != ["deregister"] or len(operands) < 2:
        return Output(1, "", "Usage: consul services <subcommand> [options] [args]\n\n")
    number = operands[-1]
    if why := forget(session.world, server, number):
        text = f'Error deregistering service "{number}": Unexpected response code: 404 ({why})\n'
        return Output(1, "", text)
    return Output(0, f"Deregistered service: {number}\n")


def _table(rows: Sequence[Sequence[str]]) -> str:
    wide = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, wide, strict=True)).rstrip() + "\n"
        for row in rows
    )


_COMMANDS: Mapping[str, Callable[[Session, Process, Sequence[str]], Output]] = {
    "members": _members,
    "catalog": _catalog,
    "info": _info,
    "operator": _operator,
    "services": _services,
    "kv": _kv,
}
