"""What a structure stands on: all that was looked at to find it, and whether it is still so.

Most changes in a cluster do not touch what requests meet: a process that nobody calls starts, an
endpoint comes to a Service that is reached anyway. Looking at the same things again is much cheaper
than finding the structure and its numbers anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sregym_apps.model import StoreProgram

from sregym_cluster_embedded.userland.looking import Look
from sregym_cluster_embedded.userland.process import Process, process_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.kinds import Refusal
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World

T = TypeVar("T")


class Footing(Look):
    """Reads, and keeps what it saw; complete once the structure is built, and not changed then.

    Attributes:
        loose: Whether something was used besides, so that the structure must be found anew.
    """

    __slots__ = ("_seen", "loose")

    def __init__(self) -> None:
        # By what was asked: the answer, and what counts of it.
        self._seen: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self.loose = False

    def __repr__(self) -> str:
        return f"Footing({len(self._seen)})"

    def at(
        self, function: Callable[..., T], world: World, *arguments: str | int | tuple[object, ...]
    ) -> T:
        """The answer of `function(world, *arguments)`, which is kept."""
        found = function(world, *arguments)
        self._seen[(function, *arguments)] = (found, _essence(found))
        return found

    def holds(self, world: World) -> bool:
        """Whether the same would be seen now."""
        if self.loose:
            return False
        for (function, *arguments), (before, essence) in self._seen.items():
            found = function(world, *arguments)
            if found is not before and _essence(found) != essence:
                return False
        return True


def refusal(
    world: World,
    caller: ContainerRef,
    name: str,
    server: ContainerRef,
    command: str,
    collection: str,
) -> Refusal | None:
    """Why a datastore does not carry out a command that comes through a client of a process."""
    runtime: Runtime = world.room("runtime")
    process, store = process_of(world, caller), process_of(world, server)
    if process is None or store is None or not isinstance(store.behaviour, StoreProgram):
        return None
    client, dialled = process.clients[name], name in process.dialled
    return runtime.command(world, store, client, command, collection, dialled)


def _essence(found: Any) -> Any:
    """What counts of an answer: processes write lines and feel their load, which changes nothing."""
    if isinstance(found, Process):
        return (
            found.config,
            found.behaviour,
            found.clients,
            found.settings,
            found.dialled,
            found.ports,
            found.ended_at,
            found.served_at,
        )
    if type(found) is tuple:
        return tuple(_essence(part) for part in found)
    return found
