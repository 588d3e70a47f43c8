"""How far standbys of PostgreSQL and replicas of MySQL have been over time: what exporters tell, at any moment of the past."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sregym_cluster_embedded.sdk.servers import change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.servers import Process, World

# A longer past is not asked for.
_KEPT = 500


class Standing(NamedTuple):
    """How far a standby is.

    Attributes:
        behind_s: So many seconds, as long as it applies what comes.
        stuck_at: Virtual second up to which it has all, while it applies nothing; negative otherwise.
    """

    behind_s: float = 0.0
    stuck_at: float = -1.0


class Following(NamedTuple):
    """What a standby says of itself from a moment on.

    Attributes:
        at: Virtual second.
        follows: Whether it is a standby at all.
        streams: Whether a source sends it changes.
        standing: How far it is.
    """

    at: float
    follows: bool
    streams: bool = False
    standing: Standing = Standing()


class Receiver(NamedTuple):
    """A standby as whom it streams from has it in `pg_stat_replication`."""

    pid: int
    name: str
    address: str
    standing: Standing = Standing()


class Followed(NamedTuple):
    """Who streams from a server from a moment on.

    Attributes:
        at: Virtual second.
        receivers: In the order in which they began.
    """

    at: float
    receivers: tuple[Receiver, ...]


class Replicating(NamedTuple):
    """What a server of MySQL says of its source from a moment on.

    Attributes:
        at: Virtual second.
        host: Of the source; empty for a server without one.
        io: How the thread is that fetches changes: `Yes`, `No`, `Connecting`.
        sql: Whether the thread runs that applies them.
        delay_s: How old changes must be before it applies them.
        standing: How far it is.
    """

    at: float
    host: str = ""
    io: str = ""
    sql: bool = False
    delay_s: float = 0.0
    standing: Standing = Standing()


Entry = TypeVar("Entry", Following, Followed, Replicating)


def note(world: World, process: Process, entry: Following | Followed | Replicating) -> bool:
    """Remember what is so from now on; whether it is something else than before."""
    known = next(
        (one[1:] for one in reversed(process.journal) if isinstance(one, type(entry))), None
    )
    if (_NOTHING[type(entry)] if known is None else known) == entry[1:]:
        return False
    change(world, process.ref, journal=(*process.journal, entry)[-_KEPT:])
    return True


_NOTHING: dict[type, tuple[object, ...]] = {
    Following: Following(0.0, follows=False)[1:],
    Followed: Followed(0.0, ())[1:],
    Replicating: Replicating(0.0)[1:],
}


def noted(process: Process, kind: type[Entry]) -> Iterator[tuple[Entry, float]]:
    """What was so, and until when; oldest first."""
    known: list[Entry] = [one for one in process.journal if isinstance(one, kind)]
    for one, then in zip(known, [*known, None][1:], strict=True):
        yield one, inf if then is None else then.at
