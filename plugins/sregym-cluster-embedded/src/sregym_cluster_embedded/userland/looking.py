"""How what depends on the state of a cluster is read, so that a reader can keep what it saw.

Most changes in a cluster do not touch what somebody has looked at: a process that nobody calls
starts, an endpoint comes to a Service that is reached anyway. Looking at the same things again is
much cheaper than working out anew what follows from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sregym_cluster_embedded.userland.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

T = TypeVar("T")


class Look:
    """Reads and keeps nothing: for whoever asks once."""

    __slots__ = ()

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`."""
        return function(world, *arguments)


ONCE = Look()


class Footing(Look):
    """Reads, and keeps what it saw; not changed any more once all was read.

    Attributes:
        loose: Whether something was used besides, so that it never holds.
    """

    __slots__ = ("_seen", "loose")

    def __init__(self) -> None:
        # By what was asked: how to ask again, the answer, and what counts of it.
        self._seen: dict[tuple[Any, ...], tuple[Callable[..., Any], Any, Any, Any]] = {}
        self.loose = False

    def __repr__(self) -> str:
        return f"Footing({len(self._seen)})"

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`, which is kept."""
        found = function(world, *arguments)
        self._seen[(function, *arguments)] = (function, arguments, found, _essence(found))
        return found

    def holds(self, world: World) -> bool:
        """Whether the same would be seen now."""
        if self.loose:
            return False
        for function, arguments, before, essence in self._seen.values():
            found = function(world, *arguments)
            if found is not before and _essence(found) != essence:
                return False
        return True


def _essence(found: Any) -> Any:
    """What counts of an answer: processes write lines and feel their load, which changes nothing."""
    if isinstance(found, Process):
        return (
            found.config,
            found.behaviour,
            found.clients,
            found.settings,
            found.stopped,
            found.dialled,
            found.ports,
            found.ended_at,
            found.served_at,
            found.emptied_at,
        )
    if type(found) is tuple:
        return tuple(_essence(part) for part in found)
    return found
