"""How what depends on the state of a cluster is read, so that a reader can keep what it saw.

Most changes in a cluster do not touch what was read before: a process that is not called
starts, an endpoint comes to a Service that is reached anyway. Looking at the same things again is
much cheaper than working out anew what follows from them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from sregym_cluster_embedded.userland.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

T = TypeVar("T")


class UntrackedReads:
    """Reads and keeps nothing: for a single query."""

    __slots__ = ()

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`."""
        return function(world, *arguments)


ONCE = UntrackedReads()


class DependencyTracker(UntrackedReads):
    """Reads, and keeps what it saw; not changed any more once all was read.

    Attributes:
        loose: Whether something was used besides, so that it never holds.
    """

    __slots__ = ("_seen", "loose")

    def __init__(self) -> None:
        # By what was asked: how to ask again, and the answer.
        self._seen: dict[tuple[Any, ...], tuple[Callable[..., Any], Any, Any]] = {}
        self.loose = False

    def __repr__(self) -> str:
        return f"Footing({len(self._seen)})"

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`, which is kept; asked once."""
        asked = (function, *arguments)
        known = self._seen.get(asked)
        if known is not None:
            answer: T = known[2]
            return answer
        found = function(world, *arguments)
        self._seen[asked] = (function, arguments, found)
        return found

    def holds(self, world: World) -> bool:
        """Whether the same would be seen now."""
        if self.loose:
            return False
        for function, arguments, before in self._seen.values():
            found = function(world, *arguments)
            if found is not before and not _counts_the_same(found, before):
                return False
        return True


# What counts of a process: it writes lines and feels its load, which changes nothing.
_FELT = attrgetter(
    "config",
    "behaviour",
    "clients",
    "settings",
    "stopped",
    "dialled",
    "ports",
    "ended_at",
    "served_at",
    "emptied_at",
)


def _counts_the_same(found: Any, before: Any) -> bool:
    """Whether two answers, mostly parts of the very same objects, differ in nothing that counts."""
    if found is before:
        return True
    if isinstance(found, Process):
        return isinstance(before, Process) and bool(_FELT(found) == _FELT(before))
    if type(found) is tuple:
        return (
            type(before) is tuple
            and len(found) == len(before)
            and all(map(_counts_the_same, found, before))
        )
    return bool(found == before)
