"""What servers and Sentinels have been to each other over time: what exporters tell of any moment."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sregym_cluster_embedded.sdk.servers import change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.sdk.servers import Process, World

# A longer past is not asked for.
_KEPT = 500


class Following(NamedTuple):
    """What a server is from a moment on.

    Attributes:
        at: Virtual second.
        master: `host port` of whom it follows; empty for a master.
        linked: Whether its link is up.
    """

    at: float
    master: str = ""
    linked: bool = False


class Followed(NamedTuple):
    """Who follows a server from a moment on: `host port` of each replica whose link is up."""

    at: float
    replicas: tuple[str, ...] = ()


class Watching(NamedTuple):
    """What a Sentinel says of its master from a moment on.

    Attributes:
        at: Virtual second.
        name: Of the master.
        place: `host port` of the server that leads.
        status: `ok`, `sdown` or `odown`.
        replicas: How many it knows, and how many of them are not down.
        sentinels: How many there are with itself, and how many of them answer.
        quorum: So many must agree.
    """

    at: float
    name: str = ""
    place: str = ""
    status: str = ""
    replicas: tuple[int, int] = (0, 0)
    sentinels: tuple[int, int] = (0, 0)
    quorum: int = 0


View = TypeVar("View", Following, Followed, Watching)


def remember(world: World, process: Process, view: Following | Followed | Watching) -> bool:
    """Keep what is so from now on; whether it is something else than before."""
    known = [one for one in process.journal if isinstance(one, type(view))]
    before = known[-1] if known else type(view)(0.0)
    if before[1:] == view[1:]:
        return False
    change(world, process.ref, journal=(*process.journal, view)[-_KEPT:])
    return True


def remembered(process: Process, kind: type[View]) -> Iterator[tuple[View, float, float]]:
    """What was so, since when and until when, oldest first; the first is what every server begins as."""
    known: list[View] = [one for one in process.journal if isinstance(one, kind)]
    known.insert(0, kind(-inf))
    for one, then in zip(known, [*known, None][1:], strict=True):
        yield one, one.at, inf if then is None else then.at
