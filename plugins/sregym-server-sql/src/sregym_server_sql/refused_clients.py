"""What a PostgreSQL server logs of the clients that it does not let in, worked out from their calls.

A program whose calls fail in this way opens a connection for each attempt, and the server writes a
line for each. Clients of which the simulation knows single attempts (a program that starts, people
with psql) are logged when they come, by `PostgresKind.turned_away`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import instances
from sregym_cluster_embedded.sdk.logs import before_last, moments
from sregym_cluster_embedded.sdk.servers import LogLine, Seed, moment

from sregym_server_sql.server_log import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.logs import CallFlow
    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_sql.program import PostgresProgram

# What a client tells of the server's refusal, whatever its library puts before and behind it.
_REFUSED = re.compile(r"FATAL: +(?P<text>[^\n]+?)(?: \(SQLSTATE \w{5}\))?$", re.MULTILINE)
_FULL = "sorry, too many clients already"
_BY_RULE = "password authentication failed"
# Releases from which on a rule for clients is named with its file, and how often the server forks.
_RULES_NAME_THEIR_FILE = 16
_FORKS_PER_S, _PIDS = 16, 4_000_000
_FIRST_PID = 62
_DETAIL_S = 2e-6


def background(
    world: World,
    instance: ContainerInstance,
    program: PostgresProgram,
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a server wrote of clients of the traffic that it refused, in no order.

    Args:
        world: The cluster.
        instance: The server.
        program: Its program.
        first: Virtual second from which on lines are wanted.
        until: Before which.
        wanted: At least so many of the last ones; all when None.
    """
    for caller in instances(world):
        if not any(client.protocol == "postgres" for client in caller.process.clients.values()):
            continue
        for segment, end in caller.spans(world.now):
            stop = min(until, end)
            if stop <= first:
                continue
            for flow in segment.flows:
                for place, call in enumerate(flow.calls):
                    if call.callee != instance.ref:
                        continue
                    name = ("refused", caller.ref, flow.operation, place, segment.start)
                    for text, rate in _refusals(call):
                        start, seed = segment.start, Seed(segment.seed)
                        rhythm = call.rhythms(flow.rhythm)[1]
                        begin = max(first, start)
                        if wanted is not None:
                            begin = max(begin, before_last(wanted, rate, start, stop, rhythm))
                        offset = seed.fraction(*name, text)
                        for _, at in moments(rate, start, begin, stop, offset, rhythm):
                            yield from _lines(world, instance, program, at, text)


def _refusals(call: CallFlow) -> Iterator[tuple[str, float]]:
    """The server's words, and how often a second it says them."""
    for _, words, share in call.errors:
        found = _REFUSED.search(words)
        text = found["text"] if found else _FULL if _FULL in words else ""
        if text and call.rate * share > 0:
            yield text, call.rate * share


def _lines(
    world: World, instance: ContainerInstance, program: PostgresProgram, at: float, text: str
) -> Iterator[LogLine]:
    pid = backend_pid(instance.process.started_at, at)
    head = f"{stamp(moment(world, at), 'postgres')} [{pid}]"
    yield LogLine(at, "stderr", f"{head} FATAL:  {text}")
    if text.startswith(_BY_RULE):
        yield LogLine(at + _DETAIL_S, "stderr", f"{head} DETAIL:  {matched_rule(program)}")


def matched_rule(program: PostgresProgram) -> str:
    """Which rule of `pg_hba.conf` a connection came by."""
    major = program.version.partition(".")[0]
    new = major.isdecimal() and int(major) >= _RULES_NAME_THEIR_FILE
    place = f'file "{program.data_dir}/pg_hba.conf" line 128' if new else "pg_hba.conf line 100"
    return f'Connection matched {place}: "host all all all scram-sha-256"'


def backend_pid(started_at: float, at: float) -> int:
    """The process that serves a connection which comes at a virtual second: each has one of its own."""
    return _FIRST_PID + int(max(0.0, at - started_at) * _FORKS_PER_S) % _PIDS
