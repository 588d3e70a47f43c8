"""What a PostgreSQL server logs of connections and statements that it refuses, worked out from calls.

A program that is not let in opens a connection for each attempt, and the server writes a line for
each; it also writes one for each statement that fails. Clients of which the simulation knows single
attempts (a program that starts, people with psql) are logged when they come, by
`PostgresKind.turned_away` and `failed`; what its disk refuses is logged by `unread`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.exporters import instances
from sregym_cluster_embedded.sdk.logs import before_last, moments
from sregym_cluster_embedded.sdk.servers import WRITING, LogLine, Seed, moment

from sregym_server_sql.data import right_for
from sregym_server_sql.server_log import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.logs import CallFlow, RateModulations
    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_sql.program import PostgresProgram

# What a client tells of the server's refusal, whatever its library puts before and behind it.
_REFUSED = re.compile(
    r"(?P<level>FATAL|ERROR): +(?P<text>[^\n]+?)(?: \(SQLSTATE \w{5}\))?$", re.MULTILINE
)
_OF_DISK = ("could not ", "invalid page")
_FULL = "sorry, too many clients already"
_BY_RULE = "password authentication failed"
# Releases from which on a rule for clients is named with its file, and how often the server forks.
_RULES_NAME_THEIR_FILE = 16
_FORKS_PER_S, _PIDS = 16, 4_000_000
_FIRST_PID, _FIRST_SESSION, _SESSIONS_APART = 62, 71, 3
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
    callers = (
        caller for caller in instances(world)
        if any(client.protocol == "postgres" for client in caller.process.clients.values())
    )  # fmt: skip
    for spot, caller in enumerate(callers):
        session = _FIRST_SESSION + _SESSIONS_APART * spot
        for one in _calls_of(caller, world.now, instance, first, until):
            for said, rate in _refusals(one.call, program):
                since = max(first, one.start)
                if wanted is not None:
                    earliest = before_last(wanted, rate, one.start, one.stop, one.rhythm)
                    since = max(since, earliest)
                offset = one.seed.fraction(*one.name, said[0])
                for _, at in moments(rate, one.start, since, one.stop, offset, one.rhythm):
                    yield from _lines(world, instance, at, said, session)


class _Stream(NamedTuple):
    """Calls of one client that come steadily for a while.

    Attributes:
        call: What is called, how often, and how it ends.
        rhythm: How unevenly those that fail come.
        seed: Of what chance decides about them.
        name: Under which it does.
        start: Virtual second of the first.
        stop: Before which there are some.
    """

    call: CallFlow
    rhythm: RateModulations
    seed: Seed
    name: tuple[object, ...]
    start: float
    stop: float


def _calls_of(
    caller: ContainerInstance, now: float, instance: ContainerInstance, first: float, until: float
) -> Iterator[_Stream]:
    """What a client calls of a server in a span of time."""
    for segment, end in caller.spans(now):
        start, stop = segment.start, min(until, end)
        for flow in segment.flows if stop > first else ():
            for place, call in enumerate(flow.calls):
                if call.callee == instance.ref:
                    name = ("refused", caller.ref, flow.operation, place, start)
                    rhythm = call.rhythms(flow.rhythm)[1]
                    yield _Stream(call, rhythm, Seed(segment.seed), name, start, stop)


def _refusals(call: CallFlow, program: PostgresProgram) -> Iterator[tuple[tuple[str, ...], float]]:
    """The lines of the server about one refusal, and how many a second there are."""
    for _, words, share in call.errors:
        rate = call.rate * share
        found = _REFUSED.search(words)
        if found is None and _FULL in words:
            level, text = "FATAL", _FULL
        elif found is not None:
            level, text = found["level"], found["text"]
        else:
            continue
        if rate <= 0 or text.startswith(_OF_DISK):
            continue
        said = f"{level}:  {text}"
        if level == "ERROR":
            yield (said, f"STATEMENT:  {statement_of(call.operation, call.collection)}"), rate
        elif text.startswith(_BY_RULE):
            yield (said, f"DETAIL:  {matched_rule(program)}"), rate
        else:
            yield (said,), rate


def statement_of(command: str, table: str) -> str:
    """What a program's library sends for one of its commands, with parameters.

    Args:
        command: As programs name it: `find`, `insert`.
        table: What it is about; empty for none, as of a check of the connection.
    """
    if not table:
        return "SELECT 1"
    verb = right_for(command, write=command in WRITING)
    if verb == "INSERT":
        return f"INSERT INTO {table} VALUES ($1)"  # noqa: S608 - shown only
    if verb == "UPDATE":
        return f"UPDATE {table} SET value = $2 WHERE id = $1"  # noqa: S608 - shown only
    if verb == "DELETE":
        return f"DELETE FROM {table} WHERE id = $1"  # noqa: S608 - shown only
    return f"SELECT * FROM {table} WHERE id = $1"  # noqa: S608 - shown only


def _lines(
    world: World, instance: ContainerInstance, at: float, said: tuple[str, ...], session: int
) -> Iterator[LogLine]:
    """Lines of one refusal: statements are refused in a session, connections have a process each."""
    refused = said[0].startswith("FATAL")
    pid = backend_pid(instance.process.started_at, at) if refused else session
    head = f"{stamp(moment(world, at), 'postgres')} [{pid}]"
    for number, text in enumerate(said):
        yield LogLine(at + number * _DETAIL_S, "stderr", f"{head} {text}")


def matched_rule(program: PostgresProgram) -> str:
    """Which rule of `pg_hba.conf` a connection came by."""
    major = program.version.partition(".")[0]
    new = major.isdecimal() and int(major) >= _RULES_NAME_THEIR_FILE
    place = f'file "{program.data_dir}/pg_hba.conf" line 128' if new else "pg_hba.conf line 100"
    return f'Connection matched {place}: "host all all all scram-sha-256"'


def backend_pid(started_at: float, at: float) -> int:
    """The process that serves a connection which comes at a virtual second: each has one of its own."""
    return _FIRST_PID + int(max(0.0, at - started_at) * _FORKS_PER_S) % _PIDS
