"""Replication of MySQL: replicas that take what a source writes, and how far they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import StoreProgram
from sregym_cluster_embedded.sdk.commands import reach
from sregym_cluster_embedded.sdk.replication import (
    Progress,
    as_of,
    asleep,
    caught_up,
    initial_progress,
    record,
    rouse,
    sleep,
)
from sregym_cluster_embedded.sdk.servers import TableKey, process_of

from sregym_server_sql.data import FOLLOWED, load, store
from sregym_server_sql.lag_views import Replicating, Standing, note
from sregym_server_sql.mysql_variables import in_effect
from sregym_server_sql.server_log import LogEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.commands import Target
    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

    from sregym_server_sql.data import SqlData

# How often a replica looks for changes, and how far behind it must be to be told of anew.
_LOOKS_S, _STEP_S = 1.0, 5.0
# Where the log begins, and how much is written to it in a second.
_POSITION, _POSITION_S = 157, 310
LOG_FILE = "binlog.000002"
_RUNNING = "Yes"
_WORDS = {
    "refused": "Can't connect to MySQL server on '{place}' (111)",
    "timeout": "Can't connect to MySQL server on '{place}' (110)",
    "no_route": "Can't connect to MySQL server on '{place}' (113)",
    "unreachable": "Can't connect to MySQL server on '{place}' (101)",
}


class Stream(NamedTuple):
    """What a running replica knows of its source.

    Attributes:
        progress: How far its data is.
        source: Whom it is connected to; None while it is not.
        number: Of the error for which it is not; 0 for none.
        why: That error.
        due: Virtual second of its next look.
    """

    progress: Progress
    source: ContainerRef | None = None
    number: int = 0
    why: str = ""
    due: float = 0.0


# By the identity of a replica's data directory: up to which virtual second it has all.
_APPLIED: TableKey[str, float] = TableKey("mysql.applied")
STREAMS: TableKey[ContainerRef, Stream] = TableKey("mysql.streams")


def data_of(world: World, process: Process) -> SqlData:
    """What a server keeps."""
    return load(world, process.settings["sql.storage"])


def stream_of(world: World, ref: ContainerRef) -> Stream | None:
    """What a replica knows of its source; None for a server without one."""
    return world.table(STREAMS).get(ref)


def receiving(data: SqlData) -> bool:
    """Whether the thread is to run that fetches changes."""
    return data.follows.get("io") == _RUNNING


def applying(data: SqlData) -> bool:
    """Whether the thread is to run that applies them."""
    return data.follows.get("sql") == _RUNNING


def replicas_of(world: World, ref: ContainerRef) -> Iterator[Process]:
    """Those that are connected to a server."""
    for replica, stream in sorted(world.table(STREAMS).items()):
        process = process_of(world, replica) if stream.source == ref else None
        if process is not None and process.running:
            yield process


def position(second: float) -> int:
    """The place in the log that was written at a virtual second."""
    return _POSITION + int(max(0.0, second) * _POSITION_S)


def applied(world: World, process: Process) -> float:
    """Up to which virtual second a server has the changes of its source; now where it has none."""
    stream = stream_of(world, process.ref)
    if stream is None or asleep(world, process.ref):
        return world.now
    return stream.progress.applied


def seconds_behind_source(world: World, process: Process) -> float | None:
    """`Seconds_Behind_Source`: None while either thread does not run."""
    stream, data = stream_of(world, process.ref), data_of(world, process)
    if stream is None or stream.source is None or not applying(data):
        return None
    late = world.now - applied(world, process)
    return 0.0 if late <= 2 * _LOOKS_S else late


def lag_s(world: World, process: Process) -> float:
    """How far the data of a replica is behind; 0 for any other server."""
    return 0.0 if stream_of(world, process.ref) is None else world.now - applied(world, process)


def begin(world: World, process: Process) -> None:
    """Let a replica that serves, or was told to, look at once; nothing for any other server."""
    data, table = data_of(world, process), world.table(STREAMS)
    known = table.get(process.ref)
    if not data.follows:
        if known is not None:
            del table[process.ref]
            rouse(world, process.ref)
            _note(world, process)
        return
    if known is None:
        reached = world.table(_APPLIED).get(process.settings["sql.storage"], -1.0)
        known = Stream(Progress(reached, world.now))
    elif asleep(world, process.ref):
        known = known._replace(progress=Progress(world.now, world.now))
    rouse(world, process.ref)
    table[process.ref] = known._replace(due=world.now)
    world.after(0.0, "userland.event", process.ref, "replicate")


def replicate(world: World, process: Process) -> list[LogEntry]:
    """Event: a replica takes what has come, or connects; what it writes in its log."""
    stream, data = stream_of(world, process.ref), data_of(world, process)
    if stream is None or not process.running or world.now < stream.due - 1e-6:
        return []
    if asleep(world, process.ref):
        stream = stream._replace(progress=Progress(world.now, world.now))
    rouse(world, process.ref)
    before, said, end = stream, list[LogEntry](), None
    if receiving(data):
        source, end, number, why = _reached(world, process, data)
        stream = stream._replace(
            source=None if source is None else source.ref, number=number, why=why
        )
        if source is not None:
            stream = _taken(world, process, data, stream, source, end)
    else:
        source, stream = None, stream._replace(source=None, number=0, why="")
    if stream.source is None:
        stream = stream._replace(progress=stream.progress._replace(looked=world.now))
    if receiving(data) and (stream.source, stream.why) != (before.source, before.why):
        said = _told(data, stream)
    world.table(STREAMS)[process.ref] = stream
    _go_on(world, process, data, before, end)
    _note(world, process)
    return said


def _go_on(
    world: World, process: Process, data: SqlData, before: Stream, end: Target | None
) -> None:
    stream = world.table(STREAMS)[process.ref]
    if not receiving(data):
        # Until it is started.
        return
    newest = applying(data) and world.now - stream.progress.applied < 1e-6
    newest = newest and not float(data.follows["delay"])
    narrow = end is not None and end.path is not None and end.path.bandwidth_mbit
    if stream.source is not None and stream.source == before.source and newest and not narrow:
        world.table(STREAMS)[process.ref] = stream._replace(due=world.now)
        sleep(world, process.ref, "replicate", _LOOKS_S)
        return
    pause_s = _LOOKS_S if stream.source is not None else float(data.follows["connect_retry"])
    world.table(STREAMS)[process.ref] = stream._replace(due=world.now + pause_s)
    world.after(pause_s, "userland.event", process.ref, "replicate")


def _taken(
    world: World, process: Process, data: SqlData, stream: Stream, source: Process, end: Target
) -> Stream:
    above = source.settings["sql.storage"]
    if not world.table(FOLLOWED).get(above):
        world.table(FOLLOWED)[above] = True
        record(world, above, load(world, above))
    progress = caught_up(
        world, initial_progress(world, stream.progress, above), source, end.path, stopped=not applying(data),
        delay_s=float(data.follows["delay"]),
    )  # fmt: skip
    if stream_of(world, source.ref) is not None:
        # What its source lacks cannot be had from it.
        known = min(progress.applied, applied(world, source))
        progress = progress._replace(applied=max(stream.progress.applied, known))
    own = process.settings["sql.storage"]
    if applying(data):
        theirs = as_of(world, above, progress.applied) or load(world, above)
        if theirs.databases is not data.databases or theirs.accounts is not data.accounts:
            taken = replace(
                data, databases=theirs.databases, accounts=theirs.accounts, missed=theirs.missed
            )
            store(world, own, taken, at=progress.applied)
    world.table(_APPLIED)[own] = progress.applied
    return stream._replace(progress=progress)


def _reached(
    world: World, process: Process, data: SqlData
) -> tuple[Process | None, Target, int, str]:
    """The source, the way there, and for which error there is none."""
    host, port, user = (data.follows[name] for name in ("host", "port", "user"))
    end = reach(world, process, host, int(port), "mysql", host)[0]
    head = f"Error connecting to source '{user}@{host}:{port}'. This was attempt 1/86400, with a delay of {data.follows['connect_retry']} seconds between attempts. Message: "
    if end.kind == "dns":
        return None, end, 2005, f"{head}Unknown MySQL server host '{host}' (-2)"
    other = None if end.kind or end.ref is None else process_of(world, end.ref)
    serves = other is not None and other.served_at is not None
    if other is None or not serves or not isinstance(other.behaviour, StoreProgram):
        words = _WORDS.get(end.kind, _WORDS["refused"]).format(place=f"{host}:{port}")
        return None, end, 2003, head + words
    theirs = data_of(world, other)
    account = theirs.accounts.get(user)
    if account is None or not account.login or account.password != data.follows["password"]:
        who = f"'{user}'@'{process.config.pod_ip}'"
        return None, end, 1045, f"{head}Access denied for user {who} (using password: YES)"
    numbers = [
        in_effect(one.settings, kept.settings, "server_id")
        for one, kept in ((process, data), (other, theirs))
    ]
    if numbers[0] == numbers[1]:
        text = "Fatal error: The replica I/O thread stops because source and replica have equal MySQL server ids; these ids must be different for replication to work (or the --replicate-same-server-id option must be used on replica but this does not always make sense; please check the manual before using it)."
        return None, end, 13117, text
    return other, end, 0, ""


def _told(data: SqlData, stream: Stream) -> list[LogEntry]:
    host, port, user = (data.follows[name] for name in ("host", "port", "user"))
    if stream.source is None:
        text = f"Replica I/O for channel '': {stream.why}, Error_code: MY-{stream.number:06d}"
        return [LogEntry(f"{{at}} 8 [ERROR] [MY-010584] [Repl] {text}")]
    place = f"'{user}@{host}:{port}' with server_uuid"
    text = f"Replica receiver thread for channel '': connected to source {place}; starting replication from file '{LOG_FILE}', position '{position(stream.progress.applied)}'."
    return [LogEntry(f"{{at}} 8 [System] [MY-014001] [Repl] {text}")]


def _note(world: World, process: Process) -> None:
    stream, data = stream_of(world, process.ref), data_of(world, process)
    view = Replicating(world.now)
    if stream is not None:
        reached = applied(world, process)
        late = world.now - reached if stream.source is not None and applying(data) else 0.0
        standing = Standing(late // _STEP_S * _STEP_S if late > _STEP_S else 0.0)
        io = ("Connecting" if stream.source is None else _RUNNING) if receiving(data) else "No"
        view = Replicating(
            world.now,
            data.follows["host"],
            io,
            applying(data),
            float(data.follows["delay"]),
            standing,
        )
    note(world, process, view)


def ended(world: World, process: Process) -> None:
    """A server has ended: it takes nothing any more."""
    world.table(STREAMS).pop(process.ref, None)
    rouse(world, process.ref)
