"""What mongod writes while it serves: connections, logins, refused and slow commands, checkpoints.

Connections are those that were noted when programs started and people came, those of clients whose
calls arrive without, and those of the kubelet's probes; all numbered in the order they came.
"""

from __future__ import annotations

import math
import re
from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.exporters import instances
from sregym_cluster_embedded.sdk.logs import (
    Ticks,
    before_last,
    first_port,
    moments,
    pod_range,
    sample,
    tail_score,
    ticks,
)
from sregym_cluster_embedded.sdk.servers import LogLine, Seed

from sregym_server_mongodb.checkpoints import CHECKPOINT_S
from sregym_server_mongodb.connection import needs_login
from sregym_server_mongodb.handshakes import in_vain, tried_in_vain
from sregym_server_mongodb.journal_start import starting
from sregym_server_mongodb.lines import mongod_line
from sregym_server_mongodb.visits import SHELLS, Denial, Visit, client_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.logs import CallFlow, RateModulations
    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_mongodb.program import MongodbProgram

# Releases whose storage engine tells of each checkpoint.
_CHECKPOINTS = ((4, 2), (4, 4))
# Releases whose connections have an identity, whose logins are told of in other words.
_IDENTITY, _LOGIN_WORDS = (5, 0), (6, 0)
_CLOSES_S = 0.001
_BROKEN = "Error receiving request from client. Ending connection from remote"
# mongod's `slowms`, so few slow commands a second that none is told of, documents until it yields.
_SLOW_MS, _SELDOM, _YIELDS_AFTER = 100, 1e-6, 1000
_OWN_WORDS = re.compile("^(not authorized on|[Cc]ommand .* requires authentication)")


class Stay(NamedTuple):
    """A connection with its place among the others.

    Attributes:
        visit: Who came.
        number: Counted from 1.
        left: Virtual second at which it was closed; infinity while it is open.
    """

    visit: Visit
    number: int
    left: float


class Calls(NamedTuple):
    """What a client asks for while nothing changes.

    Attributes:
        caller: The client's life.
        call: What it calls.
        start: Virtual second from which it stands.
        seed: Of that time.
        name: What tells these calls from others.
        rhythm: Their rate modulation.
    """

    caller: ContainerInstance
    call: CallFlow
    start: float
    seed: Seed
    name: tuple[object, ...]
    rhythm: RateModulations


class Diary:
    """The log of one life of a mongod.

    Args:
        world: Where it runs.
        instance: The container instance.
        program: The server.
    """

    def __init__(self, world: World, instance: ContainerInstance, program: MongodbProgram) -> None:
        self._world = world
        self._instance = instance
        release = program.version.split(".")
        self._release = (int(release[0]), int(release[1]))
        self._probes = [one for one in ticks(world, instance) if "tcpSocket" in one.handler]
        self._callers = [
            one for one in instances(world)
            if any(c.protocol == "mongodb" for c in one.process.clients.values())
        ]  # fmt: skip
        self._stays = self._settled()

    def lines(self, first: float, until: float, wanted: int | None) -> Iterator[LogLine]:
        """What was written from `first` on and before `until`, in no order.

        At least the last `wanted` lines, all when None.
        """
        if self._release in _CHECKPOINTS:
            yield from self._checkpoints(first, until)
        for stay in self._stays:
            yield from self._stay(stay, first, until)
        for number, denial in enumerate(self._denials()):
            if first <= denial.at < until:
                yield self._denied(denial.at, denial.peer, denial.message, number)
        yield from self._commands(first, until, wanted)
        if not self._probes:
            return
        node = pod_range(self._world, self._instance.process.config.node)
        bridge = str(ip_network(node).network_address + 1)
        for probe in self._probes:
            start = first
            if wanted is not None:
                start = max(first, until - wanted * probe.period)
            for at in probe.between(start, until):
                visit = Visit(at, bridge, "probe")
                yield from self._stay(Stay(visit, self._number(at), at + _CLOSES_S), first, until)

    def _denials(self) -> Iterator[Denial]:
        for one in client_events(self._world, self._instance.ref):
            if isinstance(one, Denial):
                yield one

    def _settled(self) -> list[Stay]:
        """All connections but those of probes, oldest first."""
        events = client_events(self._world, self._instance.ref)
        visits = [one for one in events if isinstance(one, Visit)]
        visits.extend(self._reconnected(visits))
        visits.extend(tried_in_vain(self._world, self._instance, self._callers))
        visits.sort(key=lambda visit: visit.at)
        found: list[Stay] = []
        held: dict[str, float] = {}
        for visit in visits:
            # A driver asks more than once over one connection.
            if not visit.shell and not visit.error and not visit.broken:
                if held.get(visit.peer, -1.0) > visit.at:
                    continue
                held[visit.peer] = self._left(visit)
            number = len(found) + 1 + _ticked(self._probes, visit.at)
            found.append(Stay(visit, number, self._left(visit)))
        return found

    def _reconnected(self, known: list[Visit]) -> Iterator[Visit]:
        """Clients whose calls arrive at this life although they did not connect when they began."""
        for caller in self._callers:
            peer = caller.process.config.pod_ip
            start = next(
                (
                    max(segment.start, caller.process.started_at)
                    for segment in caller.served
                    for flow in segment.flows
                    for call in flow.calls
                    if call.callee == self._instance.ref and call.rate > 0 and not in_vain(call)
                ),
                None,
            )
            if start is None:
                continue
            began = caller.process.started_at
            if any(visit.peer == peer and began <= visit.at <= start for visit in known):
                continue
            client = next(c for c in caller.process.clients.values() if c.protocol == "mongodb")
            yield Visit(start, peer, "", client.user, client.auth_database)

    def _left(self, visit: Visit) -> float:
        """When a connection was closed, of either side."""
        if visit.shell or visit.error or visit.broken:
            return visit.at + _CLOSES_S
        ends = [
            caller.process.ended_at
            for caller in self._callers
            if caller.process.config.pod_ip == visit.peer
            and caller.process.started_at <= visit.at
            and caller.process.ended_at is not None
            and caller.process.ended_at >= visit.at
        ]
        return min(ends, default=math.inf)

    def _number(self, at: float) -> int:
        """The number of a probe's connection."""
        before = sum(stay.visit.at < at for stay in self._stays)
        return before + 1 + _ticked(self._probes, at)

    def _open(self, at: float) -> int:
        """How many connections stood at a moment, those of probes not counted."""
        return sum(stay.visit.at <= at < stay.left for stay in self._stays)

    def _stay(self, stay: Stay, first: float, until: float) -> Iterator[LogLine]:
        """All lines of one connection."""
        visit, ended = stay.visit, self._instance.ended(self._world.now)
        if not (first <= visit.at < until or first <= stay.left < min(until, ended)):
            return
        remote = f"{visit.peer}:{self._port(stay)}"
        context = f"conn{stay.number}"
        about: dict[str, object] = {"remote": remote}
        if self._release >= _IDENTITY:
            about["uuid"] = {"uuid": {"$uuid": _uuid(self._instance, stay.number)}}
        about["connectionId"] = stay.number
        if first <= visit.at < until:
            count = self._open(visit.at) + (visit.shell == "probe")
            facts = {**about, "connectionCount": count}
            yield self._line(visit.at, "NETWORK", 22943, "listener", "Connection accepted", facts)
            if visit.shell in SHELLS:
                facts = {"remote": remote, "client": context, "doc": SHELLS[visit.shell]}
                yield self._line(visit.at, "NETWORK", 51800, context, "client metadata", facts)
            if visit.user:
                yield self._login(visit, context, remote)
            if visit.broken:
                error = {"code": 141, "codeName": "SSLHandshakeFailed", "errmsg": visit.broken}
                facts = {"error": error, "remote": remote, "connectionId": stay.number}
                yield self._line(visit.at, "NETWORK", 22988, context, _BROKEN, facts)
        if first <= stay.left < min(until, ended):
            facts = {**about, "connectionCount": self._open(stay.left)}
            yield self._line(stay.left, "NETWORK", 22944, context, "Connection ended", facts)

    def _port(self, stay: Stay) -> int:
        """The port of a connection at the caller's end: that which a program's pod shows, too."""
        visit = stay.visit
        own = not visit.shell and not visit.error
        for caller in self._callers if own else ():
            process = caller.process
            if process.config.pod_ip != visit.peer or process.started_at > visit.at:
                continue
            if visit.at <= caller.ended(math.inf):
                return first_port(caller.ref, self._instance.ref)
        return 32768 + int(Seed(0).fraction("mongod", self._instance.ref, stay.number) * 28232)

    def _login(self, visit: Visit, context: str, remote: str) -> LogLine:
        if self._release >= _LOGIN_WORDS:
            facts: dict[str, object] = {
                "client": remote, "isSpeculative": not visit.error, "isClusterMember": False,
                "mechanism": "SCRAM-SHA-256", "user": visit.user, "db": visit.database,
                "result": 18 if visit.error.startswith("Auth") else 11 if visit.error else 0,
            }  # fmt: skip
            if visit.error:
                facts["error"] = visit.error
            text = "Failed to authenticate" if visit.error else "Successfully authenticated"
            number = 5286307 if visit.error else 5286306
            return self._line(visit.at, "ACCESS", number, context, text, facts)
        facts = {
            "mechanism": "SCRAM-SHA-256", "speculative": not visit.error,
            "principalName": visit.user, "authenticationDatabase": visit.database, "client": remote,
        }  # fmt: skip
        if visit.error:
            facts["result"] = visit.error
        text = "Authentication failed" if visit.error else "Successful authentication"
        return self._line(visit.at, "ACCESS", 20249 if visit.error else 20250, context, text, facts)

    def _denied(self, at: float, peer: str, message: str, number: int) -> LogLine:
        """A command that was refused, on the last connection from an address."""
        known = [stay for stay in self._stays if stay.visit.peer == peer and stay.visit.at <= at]
        context = f"conn{known[-1].number if known else number + 1}"
        error = {"code": 13, "codeName": "Unauthorized", "errmsg": message}
        text = "Checking authorization failed"
        return self._line(at, "ACCESS", 20436, context, text, {"error": error})

    def _commands(self, first: float, until: float, wanted: int | None) -> Iterator[LogLine]:
        """Commands of the traffic that were refused or slow."""
        for caller in self._callers:
            for segment, end in caller.spans(self._world.now):
                stop = min(until, end)
                if stop <= first:
                    continue
                for flow in segment.flows:
                    for place, call in enumerate(flow.calls):
                        if call.callee != self._instance.ref or call.rate <= 0:
                            continue
                        name = ("mongod", caller.ref, flow.operation, place, segment.start)
                        seed, rhythm = Seed(segment.seed), flow.rhythm
                        one = Calls(caller, call, segment.start, seed, name, rhythm)
                        yield from self._refused(one, first, stop, wanted)
                        yield from self._slow(one, first, stop, wanted)

    def _refused(
        self, calls: Calls, first: float, stop: float, wanted: int | None
    ) -> Iterator[LogLine]:
        peer = calls.caller.process.config.pod_ip
        for kind, words, share in calls.call.errors:
            if kind != "unauthorized":
                continue
            message = (
                words
                if _OWN_WORDS.search(words)
                else needs_login(calls.call.operation, self._instance.process)
            )
            rate = calls.call.rate * share
            if wanted is not None:
                first = max(first, before_last(wanted, rate, calls.start, stop, calls.rhythm))
            offset = calls.seed.fraction(*calls.name, "refused")
            for number, at in moments(rate, calls.start, first, stop, offset, calls.rhythm):
                yield self._denied(at, peer, message, number)

    def _slow(
        self, calls: Calls, first: float, stop: float, wanted: int | None
    ) -> Iterator[LogLine]:
        """Commands that took longer than the threshold of the profiler, with their time."""
        own = [one for one in self._instance.served if one.start <= calls.start]
        # A datastore has one flow, of all its commands; what reads everything is slow by itself.
        flows = own[-1].flows if own else ()
        search = calls.call.search
        time = calls.call.time if search is not None else next((flow.time for flow in flows), None)
        if time is None:
            return
        share = time.beyond(_SLOW_MS)
        rate = calls.call.rate * calls.call.ok * share
        if rate < _SELDOM:
            return
        if wanted is not None:
            first = max(first, before_last(wanted, rate, calls.start, stop, calls.rhythm))
        client = calls.caller.process.clients[calls.call.client]
        peer = calls.caller.process.config.pod_ip
        name = f"{client.database}.{calls.call.collection}"
        examined = 0 if search is None else search.examined
        sought = {} if search is None else {"filter": dict.fromkeys(search.by, "?")}
        command = {calls.call.operation: calls.call.collection, **sought, "$db": client.database}
        offset = calls.seed.fraction(*calls.name, "slow")
        for number, at in moments(rate, calls.start, first, stop, offset, calls.rhythm):
            draw = calls.seed.fraction(*calls.name, "slow", number)
            took = sample(time, tail_score(draw, share))
            facts = {
                "type": "command", "ns": name, "command": command, "planSummary": "COLLSCAN",
                **({"keysExamined": 0, "docsExamined": examined} if examined else {}),
                "numYields": examined // _YIELDS_AFTER, "protocol": "op_msg", "durationMillis": max(_SLOW_MS, round(took)),
            }  # fmt: skip
            known = [stay for stay in self._stays if stay.visit.peer == peer]
            context = f"conn{known[-1].number if known else 1}"
            yield self._line(at, "COMMAND", 51803, context, "Slow query", facts)

    def _checkpoints(self, first: float, until: float) -> Iterator[LogLine]:
        """WiredTiger's message of each minute's checkpoint."""
        start = self._instance.process.served_at
        if start is None:
            return
        thread = int(Seed(0).fraction("checkpoints", self._instance.ref) * 0xFFFF)
        number = max(1, math.floor((first - start) / CHECKPOINT_S))
        while (at := start + number * CHECKPOINT_S) < until:
            if at >= first:
                seconds, micros = divmod(round((self._world.epoch + at) * 1_000_000), 1_000_000)
                low = 3 + 2 * number
                message = (
                    f"[{seconds}:{micros:06d}][1:0x7f3c{thread:04x}4700], WT_SESSION.checkpoint: "
                    "[WT_VERB_CHECKPOINT_PROGRESS] saving checkpoint snapshot "
                    f"min: {low}, snapshot max: {low} snapshot count: 0, "
                    "oldest timestamp: (0, 0) , meta checkpoint timestamp: (0, 0)"
                )
                yield self._line(
                    at, "STORAGE", 22430, "WTCheckpointThread", "WiredTiger message",
                    {"message": message},
                )  # fmt: skip
            number += 1

    def _line(
        self,
        at: float,
        component: str,
        number: int,
        context: str,
        text: str,
        attributes: Mapping[str, object],
    ) -> LogLine:
        line = mongod_line(self._world, at, "I", component, number, context, text, attributes)
        return LogLine(at, "stdout", line)


def _ticked(probes: list[Ticks], moment: float) -> int:
    return sum(probe.before(moment) for probe in probes)


def _uuid(instance: ContainerInstance, number: int) -> str:
    draw = int(Seed(0).fraction("mongod-uuid", instance.ref, number) * (1 << 52))
    digits = f"{draw:013x}{number:019x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}"


def background(
    world: World,
    instance: ContainerInstance,
    program: MongodbProgram,
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a mongod wrote of its clients, its storage and its start."""
    yield from Diary(world, instance, program).lines(first, until, wanted)
    yield from starting(world, instance, program, first, until)
