"""What turns away a part of the calls, asked in a form that a footing can keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram, StoreProgram

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.securing import handshake

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
    end: tuple[str, str],
    command: str,
    collection: str,
    columns: tuple[str, ...] = (),
) -> Refusal | None:
    """Why a datastore does not carry out a command that comes through a client of a process.

    `end` is its listener, and its name as the client has it.
    """
    runtime: Runtime = world.service(RUNTIME)
    process, store = process_of(world, caller), process_of(world, server)
    if process is None or store is None or not isinstance(store.behaviour, StoreProgram):
        return None
    client = process.clients[name]
    # Connections to a server that was started after its client had to be recreated.
    made_s = process.started_at if process.served_at is None else process.served_at
    dialled = name in process.dialled and store.started_at <= made_s
    refused = None if dialled else handshake(world, process, store, client, *end)
    if refused is None:
        refused = runtime.command(world, store, client, command, collection, dialled)
    if refused is None and columns:
        return runtime.kind_of(store).lacks(world, store, client, collection, columns)
    return refused


def reset_share(world: World, caller: ContainerRef, server: ContainerRef, then: str) -> float:
    """Which part of the calls between two services meets a connection that is reset.

    Connections that stand are those of programs that serve themselves; drivers of datastores look
    after theirs, and a program that ended whenever this happens would have been mended.

    Args:
        world: The cluster.
        caller: Who calls.
        server: Whom.
        then: What a failure of the call does, as in `OnError`.
    """
    process, other = process_of(world, caller), process_of(world, server)
    if process is None or other is None or then == "panic":
        return 0.0
    program = process.behaviour
    if not isinstance(program, ServiceProgram) or not program.listeners:
        return 0.0
    if not isinstance(other.behaviour, ServiceProgram):
        return 0.0
    machine = machines.machine(world, process.config.node)
    return 0.0 if machine is None else machine.resets
