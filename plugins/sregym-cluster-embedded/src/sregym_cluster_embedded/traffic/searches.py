"""Commands for which a datastore reads all that it has, since no index serves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import StoreProgram

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


class Search(NamedTuple):
    """How a command looks for something without an index.

    Attributes:
        by: Fields that it goes by.
        examined: How many documents or rows are read for it.
        cpu_ms: What that takes of a processor.
    """

    by: tuple[str, ...]
    examined: int
    cpu_ms: float


def searched(
    world: World,
    caller: ContainerRef,
    name: str,
    server: ContainerRef,
    command: str,
    collection: str,
    by: tuple[str, ...],
) -> Search | None:
    """The search of a command that comes through a client of a process; None where an index serves.

    Nothing is looked for by what is added.
    """
    process, store = process_of(world, caller), process_of(world, server)
    if process is None or store is None or command.startswith("insert"):
        return None
    if not isinstance(store.behaviour, StoreProgram):
        return None
    runtime: Runtime = world.service(RUNTIME)
    kind = runtime.kind_of(store)
    count = kind.examined(world, store, process.clients[name], collection, by)
    return Search(by, count, count * kind.examining_ms) if count else None
