"""What a datastore answers, asked in a form that a footing can keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import StoreProgram

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.kinds import Refusal
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


def refusal(
    world: World,
    caller: ContainerRef,
    name: str,
    server: ContainerRef,
    command: str,
    collection: str,
) -> Refusal | None:
    """Why a datastore does not carry out a command that comes through a client of a process."""
    runtime: Runtime = world.room(RUNTIME)
    process, store = process_of(world, caller), process_of(world, server)
    if process is None or store is None or not isinstance(store.behaviour, StoreProgram):
        return None
    client, dialled = process.clients[name], name in process.dialled
    return runtime.command(world, store, client, command, collection, dialled)
