"""How a process becomes a program of a service model, and which have become load generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import AnyProgram, LoadGeneratorProgram, ServiceProgram

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.call_settings import filled
from sregym_cluster_embedded.userland.process import Process, altered, process_of, save
from sregym_cluster_embedded.userland.settings import read_settings
from sregym_cluster_embedded.userland.wiring import resolve_client

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.world import World

# The lives of containers that run a load generator: few among many.
GENERATORS: TableKey[ContainerRef, None] = TableKey("userland.generators")

# The same of programs that take records from message queues.
CONSUMERS: TableKey[ContainerRef, None] = TableKey("userland.consumers")

# The same of programs that hold pools of connections.
POOLING: TableKey[ContainerRef, None] = TableKey("userland.pooling")

# The same of programs that ask for feature flags, or serve them.
FLAGGED: TableKey[ContainerRef, None] = TableKey("userland.flagged")

INSTANCES = (GENERATORS, CONSUMERS, POOLING, FLAGGED)


def become(
    world: World,
    process: Process,
    behaviour: AnyProgram | None,
    files_of: Callable[[World, Process], Files],
) -> Process:
    """Let a process be a program: it reads its settings and finds its clients."""
    process = altered(process, behaviour=behaviour)
    if behaviour is not None:
        files = files_of(world, process)
        settings = read_settings(
            behaviour.config, process.argv[1:], process.environment, files, process.working_dir
        )
        process = altered(process, settings={**process.settings, **settings})
        behaviour = filled(behaviour, process.facts())
        process = altered(process, behaviour=behaviour)
    if isinstance(behaviour, ServiceProgram):
        facts = process.facts()
        clients = {
            name: resolve_client(client, facts) for name, client in behaviour.clients.items()
        }
        process = altered(process, clients=clients)
        if behaviour.consumers:
            world.table(CONSUMERS)[process.ref] = None
        if any(client.pool for client in clients.values()):
            world.table(POOLING)[process.ref] = None
        if behaviour.flags or behaviour.flags_file:
            world.table(FLAGGED)[process.ref] = None
    if isinstance(behaviour, LoadGeneratorProgram):
        world.table(GENERATORS)[process.ref] = None
    return save(world, process)


def load_generators(
    world: World, program_of: Callable[[Process], AnyProgram | None]
) -> list[tuple[Process, LoadGeneratorProgram]]:
    """The load generators that run and have finished their start-up, in order of start."""
    found = []
    for ref in world.table(GENERATORS):
        process = process_of(world, ref)
        if process is None or not process.running or process.served_at is None:
            continue
        program = program_of(process)
        if isinstance(program, LoadGeneratorProgram):
            found.append((process, program))
    return found


def consumers(world: World) -> list[tuple[Process, ServiceProgram]]:
    """The programs that take records from message queues, once they serve, in order of start."""
    found = []
    for ref in world.table(CONSUMERS):
        process = process_of(world, ref)
        if process is None or not process.running or process.served_at is None:
            continue
        if isinstance(process.behaviour, ServiceProgram):
            found.append((process, process.behaviour))
    return found
