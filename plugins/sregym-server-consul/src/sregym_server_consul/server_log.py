"""The log of a Consul agent in development mode: its start, its election, its daily work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line
from sregym_cluster_embedded.sdk.exporters import instances
from sregym_cluster_embedded.sdk.servers import Seed, millis_form, quoted, registered_at, render

from sregym_server_consul.api import ADDRESS, SERVER_PORT, node_id, uuid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.servers import LogLine, LogRecord, World

    from sregym_server_consul.program import RegistryProgram

# From its listening to its election, and how often it compares its state with the catalog.
_ELECTED_S, _SYNCED_S, _SPREAD_S = 1.2, 90.0, 30.0
# Behind the registration of a service its request is told.
_ASKED_S = 0.002


class Said(NamedTuple):
    """A line of the agent.

    Attributes:
        after_s: Seconds after it was started, or after it listened.
        level: As it names it.
        text: With the part of the agent that says it.
    """

    after_s: float
    level: str
    text: str


def background(
    world: World,
    instance: ContainerInstance,
    program: RegistryProgram,
    first: float,
    until: float,
    wanted: int | None = None,  # noqa: ARG001 - all that there are is enough
) -> Iterator[LogLine]:
    """What an agent wrote from `first` on and before `until`, in no order."""
    process = instance.process
    if not process.lines:
        return
    begun = process.lines[0].at
    head = _banner(process.config.hostname, program.version, node_id(process))
    for text in head:
        yield from _line(world, program, begun, Line(text=text, raw=True))
    moments = [(begun, said) for said in _beginning(instance)]
    if process.served_at is not None:
        moments += [(process.served_at, said) for said in _serving(instance, program)]
    for start, said in moments:
        at = start + said.after_s
        if first <= at < until:
            line = Line(text=said.text, level=said.level)
            yield from _line(world, program, at, line)
    known = [*_registered(world, instance)]
    for one in known:
        if first - _ASKED_S <= one.at < until:
            text = f"agent: Synced service: service={one.number}"
            yield from _line(world, program, one.at, Line(text=text))
            asked = f"agent.http: Request finished: method=PUT url=/v1/agent/service/register from={one.peer} latency={one.latency_ms:.6f}ms"
            yield from _line(world, program, one.at + _ASKED_S, Line(text=asked, level="debug"))
    if process.served_at is not None:
        yield from _in_sync(world, instance, program, known, first, until)


class Registered(NamedTuple):
    """A service that an agent knows.

    Attributes:
        number: Its id there.
        at: When it was registered.
        until: When its process ended.
        peer: Where it called from.
        latency_ms: How long that took.
    """

    number: str
    at: float
    until: float
    peer: str
    latency_ms: float


def _registered(world: World, instance: ContainerInstance) -> Iterator[Registered]:
    lived = {one.ref: one for one in instances(world)}
    for name, ref, at in registered_at(world, instance.ref):
        one = lived.get(ref)
        if one is not None:
            draw = Seed(0).fraction("registered", ref, name)
            ended = one.process.ended_at
            yield Registered(
                uuid(ref.pod_uid, name),
                at,
                math.inf if ended is None else ended,
                f"{one.process.config.pod_ip}:{32768 + int(draw * 28000)}",
                1.2 + draw * 2.5,
            )


def _in_sync(
    world: World,
    instance: ContainerInstance,
    program: RegistryProgram,
    known: list[Registered],
    first: float,
    until: float,
) -> Iterator[LogLine]:
    start = (instance.process.served_at or 0.0) + _ELECTED_S
    number = max(1, int((first - start - _SPREAD_S) // _SYNCED_S))
    while (base := start + number * _SYNCED_S) < until:
        at = base + Seed(0).fraction("consul", instance.ref, number) * _SPREAD_S
        if first <= at < until:
            there = [one.number for one in known if one.at <= at < one.until]
            texts = ("Node info in sync", *(f"Service in sync: service={one}" for one in there))
            for text in texts:
                line = Line(text=f"agent: {text}", level="debug")
                yield from _line(world, program, at, line)
        number += 1


def _line(world: World, program: RegistryProgram, at: float, line: Line) -> Iterator[LogLine]:
    # No text of these has a `${name}`.
    yield from render(world, program.log, line, {}, at)


def line(record: LogRecord) -> str:
    """A line of HashiCorp's hclog."""
    level = f"[{record.line.level.upper()}]"
    tail = "".join(f" {name}={quoted(value)}" for name, value in record.fields.items())
    head_text = f"{record.text}:" if record.fields else record.text
    return f"{millis_form(record.when)}Z {level:<7} {head_text}{tail}"


def _banner(node: str, version: str, number: str) -> Iterator[str]:
    tls = "Verify Incoming: false"
    for name, value in (
        ("Version", f"'{version}'"),
        ("Node ID", f"'{number}'"),
        ("Node name", f"'{node}'"),
        ("Datacenter", "'dc1' (Segment: '<all>')"),
        ("Server", "true (Bootstrap: false)"),
        ("Client Addr", "[0.0.0.0] (HTTP: 8500, HTTPS: -1, gRPC: 8502, gRPC-TLS: 8503, DNS: 8600)"),
        ("Cluster Addr", f"{ADDRESS} (LAN: 8301, WAN: 8302)"),
        ("Gossip Encryption", "false"),
        ("Auto-Encrypt-TLS", "false"),
        ("HTTPS TLS", f"{tls}, Verify Outgoing: false, Min Version: TLSv1_2"),
        ("gRPC TLS", f"{tls}, Min Version: TLSv1_2"),
        (
            "Internal RPC TLS",
            f"{tls}, Verify Outgoing: false (Verify Hostname: false), Min Version: TLSv1_2",
        ),
    ):
        yield f"{name:>17}: {value}"
    yield ""
    yield "==> Log data will now stream in as it occurs:"
    yield ""


def _beginning(instance: ContainerInstance) -> tuple[Said, ...]:
    node, number = instance.process.config.hostname, node_id(instance.process)
    place = f"{ADDRESS}:{SERVER_PORT}"
    voter = f'"[{{Suffrage:Voter ID:{number} Address:{place}}}]"'
    server = f'"{node} (Addr: tcp/{place}) (DC: dc1)"'
    return (
        Said(0.02, "info", f"agent.server.raft: initial configuration: index=1 servers={voter}"),
        Said(0.02, "info", f'agent.server.raft: entering follower state: follower="Node at {place} [Follower]" leader-address= leader-id='),
        Said(0.03, "info", f"agent.server.serf.wan: serf: EventMemberJoin: {node}.dc1 {ADDRESS}"),
        Said(0.03, "info", f"agent.server.serf.lan: serf: EventMemberJoin: {node} {ADDRESS}"),
        Said(0.03, "info", "agent.router: Initializing LAN area manager"),
        Said(0.04, "info", f"agent.server: Adding LAN server: server={server}"),
        Said(0.04, "info", f"agent.server: Handled event for server in area: event=member-join server={node}.dc1 area=wan"),
        Said(0.05, "info", "agent.server.autopilot: reconciliation now disabled"),
    )  # fmt: skip


def _serving(instance: ContainerInstance, program: RegistryProgram) -> tuple[Said, ...]:
    node, place = instance.process.config.hostname, f"{ADDRESS}:{SERVER_PORT}"
    http = instance.process.ports[0][0] if instance.process.ports else program.port
    dns = "agent: Started DNS server: address=0.0.0.0:8600"
    return (
        Said(0.0, "info", f"{dns} network=udp"),
        Said(0.0, "info", f"{dns} network=tcp"),
        Said(0.0, "info", f"agent: Starting server: address=[::]:{http} network=tcp protocol=http"),
        Said(0.001, "info", "agent: started state syncer"),
        Said(0.001, "info", "agent: Consul agent running!"),
        Said(0.001, "info", "agent: Started gRPC listeners: port_name=grpc address=[::]:8502 network=tcp"),
        Said(_ELECTED_S - 0.01, "warn", "agent.server.raft: heartbeat timeout reached, starting election: last-leader-addr= last-leader-id="),
        Said(_ELECTED_S - 0.01, "info", f'agent.server.raft: entering candidate state: node="Node at {place} [Candidate]" term=2'),
        Said(_ELECTED_S, "info", "agent.server.raft: election won: term=2 tally=1"),
        Said(_ELECTED_S, "info", f'agent.server.raft: entering leader state: leader="Node at {place} [Leader]"'),
        Said(_ELECTED_S, "info", "agent.server: cluster leadership acquired"),
        Said(_ELECTED_S, "info", f"agent.server: New leader elected: payload={node}"),
        Said(_ELECTED_S + 0.01, "info", "agent.server.autopilot: reconciliation now enabled"),
        Said(_ELECTED_S + 0.01, "info", 'agent.leader: started routine: routine="federation state anti-entropy"'),
        Said(_ELECTED_S + 0.02, "info", f"agent.server: member joined, marking health alive: member={node} partition=default"),
        Said(_ELECTED_S + 0.3, "info", "agent: Synced node info"),
    )  # fmt: skip
