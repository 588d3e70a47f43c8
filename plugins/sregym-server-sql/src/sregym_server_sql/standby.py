"""Streaming replication of PostgreSQL: standbys that follow, how far they are, and their promotion."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import reach
from sregym_cluster_embedded.sdk.replication import (
    Progress,
    as_of,
    asleep,
    caught_up,
    record,
    rouse,
    sleep,
)
from sregym_cluster_embedded.sdk.servers import RUNTIME, TableKey, invalidate_traffic, process_of

from sregym_server_sql.data import FOLLOWED, load, store
from sregym_server_sql.lag_views import Followed, Following, Receiver, Standing, note
from sregym_server_sql.postgres_settings import in_effect, raw
from sregym_server_sql.program import PostgresProgram
from sregym_server_sql.server_log import LogEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.commands import Target
    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

    from sregym_server_sql.data import SqlData

# How often a standby looks for changes, and how often it dials a primary that is not there.
_LOOKS_S, _AGAIN_S = 1.0, 5.0
# Where the log begins, and how much is written to it in a second.
LSN, LSN_S = 0x3000060, 4096
# A standby that is behind is told of anew when it has come or fallen so many seconds.
_STEP_S = 5.0
# With this file in its data directory a server begins as a standby.
_SIGNAL = "standby.signal"
_REASONS = {
    "refused": "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?",
    "timeout": "Connection timed out\n\tIs the server running on that host and accepting TCP/IP connections?",
    "no_route": "No route to host\n\tIs the server running on that host and accepting TCP/IP connections?",
    "unreachable": "Network is unreachable\n\tIs the server running on that host and accepting TCP/IP connections?",
}  # fmt: skip


class Stream(NamedTuple):
    """What a running standby knows of whom it follows.

    Attributes:
        since: Virtual second from which it streams, or does not.
        progress: How far its data is.
        source: Whom it streams from; None while it does not.
        paused: Whether it applies nothing by pg_wal_replay_pause().
        why: Why it does not stream, as its log said last.
    """

    since: float
    progress: Progress
    source: ContainerRef | None = None
    paused: bool = False
    why: str = ""


# By the identity of a standby's data directory: up to which virtual second it has all.
_APPLIED: TableKey[str, float] = TableKey("postgres.applied")
STREAMS: TableKey[ContainerRef, Stream] = TableKey("postgres.streams")


def stream_of(world: World, ref: ContainerRef) -> Stream | None:
    """What a standby knows of its upstream server; None for a server without one."""
    return world.table(STREAMS).get(ref)


def data_of(world: World, process: Process) -> SqlData:
    """What a server keeps."""
    return load(world, process.settings["sql.storage"])


def standbys_of(world: World, ref: ContainerRef) -> Iterator[tuple[Process, Stream]]:
    """Those that stream from a server, in the order in which they began."""
    for standby, stream in sorted(world.table(STREAMS).items(), key=lambda one: one[1].since):
        process = process_of(world, standby) if stream.source == ref else None
        if process is not None and process.running:
            yield process, stream


def named(process: Process, data: SqlData) -> str:
    """By which name a primary knows a standby."""
    return connection_info(process, data).get("application_name", "walreceiver")


def connection_info(process: Process, data: SqlData) -> dict[str, str]:
    """`primary_conninfo` by its keywords."""
    text = in_effect(process.settings, data.settings, "primary_conninfo")
    found = {}
    for word in text.split():
        name, _, value = word.partition("=")
        found[name] = value.strip("'")
    return found


def lsn(second: float) -> str:
    """The place in the log that was written at a virtual second."""
    place = LSN + int(max(0.0, second) * LSN_S)
    return f"{place >> 32:X}/{place & 0xFFFFFFFF:X}"


def signalled(world: World, process: Process) -> None:
    """A server begins: it is a standby if its data directory says so."""
    files, folder = world.service(RUNTIME).files(world, process), _folder(process)
    data, asked = data_of(world, process), files.read(f"{folder}/{_SIGNAL}") is not None
    if asked != data.standby:
        store(world, process.settings["sql.storage"], replace(data, standby=asked))


def _folder(process: Process) -> str:
    assert isinstance(process.behaviour, PostgresProgram)
    return process.behaviour.data_dir


def start(world: World, process: Process) -> None:
    """Let a standby that has opened its port stream; nothing for any other server."""
    if data_of(world, process).standby:
        known = world.table(_APPLIED).get(process.settings["sql.storage"], -1.0)
        world.table(STREAMS)[process.ref] = Stream(world.now, Progress(known, world.now))
        world.after(0.0, "userland.event", process.ref, "stream")


def replicate(world: World, process: Process) -> list[LogEntry]:
    """Event: a standby takes what has come, or dials; what it writes in its log."""
    stream, data = stream_of(world, process.ref), data_of(world, process)
    if stream is None or not data.standby or not process.running:
        return []
    if asleep(world, process.ref):
        stream = stream._replace(progress=Progress(world.now, world.now))
    source, end, why = _reached(world, process, data)
    said = []
    if source is None:
        if stream.source is not None:
            text = (
                "could not receive data from WAL stream: server closed the connection unexpectedly"
            )
            said.append(LogEntry(f"{{at}} [88] FATAL:  {text}"))
            stream = stream._replace(source=None, since=world.now)
        said.append(LogEntry(f"{{at}} [89] FATAL:  could not connect to the primary server: {why}"))
        stream = stream._replace(why=why, progress=stream.progress._replace(looked=world.now))
        pause_s = _AGAIN_S
    else:
        if stream.source != source.ref:
            place = lsn(stream.progress.applied)
            text = f"started streaming WAL from primary at {place} on timeline {data.timeline}"
            said.append(LogEntry(f"{{at}} [88] LOG:  {text}"))
            stream = stream._replace(source=source.ref, since=world.now, why="")
            _let_record(world, source)
        had = stream.progress.applied
        stream = _taken(world, process, data, stream, source, end)
        # One that follows another standby, which has nothing new either, need not hurry.
        idle = data_of(world, source).standby and stream.progress.applied <= had
        pause_s = _AGAIN_S if idle and not stream.paused else _LOOKS_S
    rouse(world, process.ref)
    before = world.table(STREAMS)[process.ref]
    world.table(STREAMS)[process.ref] = stream
    _note(world, process, before)
    newest = not stream.paused and world.now - stream.progress.applied < 1e-6
    newest = newest and not _delay_s(process, data)
    narrow = end.path is not None and end.path.bandwidth_mbit
    if source is not None and before.source == stream.source and newest and not narrow:
        sleep(world, process.ref, "stream", _LOOKS_S)
    else:
        world.after(pause_s, "userland.event", process.ref, "stream")
    return said


def applied(world: World, process: Process) -> float:
    """Up to which virtual second a standby has the changes of whom it follows."""
    stream = world.table(STREAMS).get(process.ref)
    if stream is None or asleep(world, process.ref):
        return world.now
    return stream.progress.applied


def _note(world: World, process: Process, before: Stream | None) -> None:
    """Let what a standby and those say whom it follows, or followed, be known later, too."""
    stream = stream_of(world, process.ref)
    view = Following(world.now, follows=False)
    if stream is not None:
        standing = standing_of(world, process, stream)
        view = Following(world.now, True, stream.source is not None, standing)
    if not note(world, process, view):
        return
    for ref in {one.source for one in (before, stream) if one is not None}:
        source = None if ref is None else process_of(world, ref)
        if source is not None:
            told = [
                Receiver(70 + number, named(one, data_of(world, one)), one.config.pod_ip, standing_of(world, one, theirs))
                for number, (one, theirs) in enumerate(standbys_of(world, source.ref))
            ]  # fmt: skip
            note(world, source, Followed(world.now, tuple(told)))
    # Commits may wait for it, or need not any longer.
    invalidate_traffic(world)


def standing_of(world: World, process: Process, stream: Stream) -> Standing:
    """How far a standby is behind whom it streams from."""
    reached = applied(world, process)
    if stream.paused:
        return Standing(stuck_at=round(reached, 3))
    source = None if stream.source is None else process_of(world, stream.source)
    behind_s = 0.0 if source is None else end_of(world, source) - reached
    return Standing(behind_s // _STEP_S * _STEP_S if behind_s > 0 else 0.0)


def end_of(world: World, process: Process) -> float:
    """The virtual second of the last change that a server has to pass on."""
    return applied(world, process) if data_of(world, process).standby else world.now


def ended(world: World, process: Process) -> None:
    """A server has ended: it receives no stream any more."""
    stream = world.table(STREAMS).get(process.ref)
    source = None if stream is None or stream.source is None else process_of(world, stream.source)
    if stream is not None and source is not None:
        world.table(STREAMS)[process.ref] = stream._replace(source=None, since=world.now)
        _note(world, process, stream)


def _let_record(world: World, source: Process) -> None:
    storage = source.settings["sql.storage"]
    if not world.table(FOLLOWED).get(storage):
        world.table(FOLLOWED)[storage] = True
        record(world, storage, load(world, storage))


def _taken(
    world: World, process: Process, data: SqlData, stream: Stream, source: Process, end: Target
) -> Stream:
    progress = caught_up(
        world, stream.progress, source, end.path, stopped=stream.paused,
        delay_s=_delay_s(process, data),
    )  # fmt: skip
    above = stream_of(world, source.ref)
    if above is not None and data_of(world, source).standby:
        known = min(progress.applied, applied(world, source))
        progress = progress._replace(applied=max(stream.progress.applied, known))
    if not stream.paused:
        storage = source.settings["sql.storage"]
        theirs = as_of(world, storage, progress.applied) or load(world, storage)
        same = theirs.databases is data.databases and theirs.accounts is data.accounts
        if not same or theirs.timeline != data.timeline:
            taken = replace(
                data, databases=theirs.databases, accounts=theirs.accounts, schemas=theirs.schemas,
                missed=theirs.missed, timeline=max(data.timeline, theirs.timeline),
            )  # fmt: skip
            store(world, process.settings["sql.storage"], taken, at=progress.applied)
    world.table(_APPLIED)[process.settings["sql.storage"]] = progress.applied
    return stream._replace(progress=progress)


def _delay_s(process: Process, data: SqlData) -> float:
    """How old changes must be before a standby applies them."""
    delay = in_effect(process.settings, data.settings, "recovery_min_apply_delay")
    return float(raw("recovery_min_apply_delay", delay) or 0) / 1000


def based_on(world: World, storage: str, source: Process, info: str) -> None:
    """Fill an empty data directory with what another server has, as that of a standby of it."""
    theirs = load(world, source.settings["sql.storage"])
    settings = {**theirs.settings, "primary_conninfo": info}
    store(world, storage, replace(theirs, standby=True, settings=settings, closed_at=None))
    world.table(_APPLIED)[storage] = world.now


def _reached(world: World, process: Process, data: SqlData) -> tuple[Process | None, Target, str]:
    """The primary, the way there, and why it does not let the standby stream."""
    info = connection_info(process, data)
    host, port = info.get("host", ""), int(info.get("port", "5432") or 5432)
    end = reach(world, process, host, port, "postgres", host)[0]
    ip = end.facts["ip"]
    head = f'connection to server at "{host}" ({ip}), port {port} failed: '
    if end.kind == "dns":
        return (
            None,
            end,
            f'could not translate host name "{host}" to address: Name or service not known',
        )
    other = None if end.kind or end.ref is None else process_of(world, end.ref)
    if other is None or other.served_at is None or not isinstance(other.behaviour, PostgresProgram):
        return None, end, head + _REASONS.get(end.kind, _REASONS["refused"])
    if other.ref == process.ref:
        return None, end, head + _REASONS["refused"]
    theirs, user = data_of(world, other), info.get("user", "postgres")
    account = theirs.accounts.get(user)
    if account is None or account.password != info.get("password", ""):
        return None, end, f'{head}FATAL:  password authentication failed for user "{user}"'
    if theirs.timeline < data.timeline:
        text = f"highest timeline {theirs.timeline} of the primary is behind recovery timeline {data.timeline}"
        return None, end, text
    return other, end, ""


def promote(world: World, process: Process) -> list[LogEntry]:
    """Let a standby go on by itself; what it writes in its log."""
    data, storage = data_of(world, process), process.settings["sql.storage"]
    stream = world.table(STREAMS).pop(process.ref, None)
    reached = world.now if stream is None else stream.progress.applied
    line = data.timeline + 1
    store(world, storage, replace(data, standby=False, timeline=line))
    files, signal = world.service(RUNTIME).files(world, process), f"{_folder(process)}/{_SIGNAL}"
    if files.read(signal) is not None:
        files.remove(signal)
    _note(world, process, stream)
    return [
        LogEntry(f"{{at}} [29] {text}")
        for text in (
            "LOG:  received promote request",
            f"LOG:  redo done at {lsn(reached)} system usage: CPU: user: 0.00 s, system: 0.00 s, elapsed: 42.18 s",
            f"LOG:  selected new timeline ID: {line}",
            "LOG:  archive recovery complete",
        )
    ] + [LogEntry("{at} [1] LOG:  database system is ready to accept connections")]


def synchronous(process: Process, data: SqlData) -> tuple[str, int, tuple[str, ...]]:
    """`synchronous_standby_names`: how it is counted (`first`, `any`; empty: not), how many, and whom."""
    text = in_effect(process.settings, data.settings, "synchronous_standby_names").strip()
    if not text:
        return "", 0, ()
    head, bracket, inside = text.partition("(")
    words = head.split() if bracket else []
    how = "any" if words and words[0].lower() == "any" else "first"
    wanted = int(words[-1]) if words and words[-1].isdecimal() else 1
    names = inside.rstrip(") ") if bracket else text
    return how, wanted, tuple(name.strip(' "') for name in names.split(","))


def unsynchronised(world: World, process: Process, data: SqlData) -> bool:
    """Whether commits of a primary wait for standbys that do not have them, or do not come to apply them."""
    _, wanted, listed = synchronous(process, data)
    level = in_effect(process.settings, data.settings, "synchronous_commit")
    if not wanted or level in ("off", "local"):
        return False
    there = 0
    for standby, stream in standbys_of(world, process.ref):
        known = "*" in listed or named(standby, data_of(world, standby)) in listed
        in_time = level != "remote_apply" or standing_of(world, standby, stream) == Standing()
        there += known and in_time
    return there < wanted


def lag_s(world: World, process: Process) -> float:
    """How far the data of a standby is behind; 0 for any other server."""
    stream = stream_of(world, process.ref)
    if stream is None:
        return 0.0
    behind = world.now - applied(world, process)
    return 0.0 if behind <= 2 * _LOOKS_S and not stream.paused else max(0.0, behind)


__all__ = [
    "Stream",
    "applied",
    "based_on",
    "ended",
    "promote",
    "replicate",
    "signalled",
    "standbys_of",
    "start",
    "stream_of",
]  # fmt: skip
