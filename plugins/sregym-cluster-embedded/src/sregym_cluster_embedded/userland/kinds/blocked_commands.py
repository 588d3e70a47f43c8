"""What keeps a datastore from a command although the client may give it: its disk, and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import WRITING, StoreProgram

from sregym_cluster_embedded.userland.disk import (
    read_problem,
    slowness_ms,
    waiting_ms,
    write_problem,
)
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import Kind, Refusal
from sregym_cluster_embedded.userland.life import invalidate_traffic
from sregym_cluster_embedded.userland.locks import holder
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_apps.model import Client

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.runtime import Runtime
    from sregym_cluster_embedded.world import World


def hindered(
    world: World,
    process: Process,
    kind: Kind,
    client: Client,
    command: str,
    collection: str,
) -> Refusal | None:
    """Why a server cannot carry out a command that it would."""
    write = command in WRITING
    lock = holder(world, process.ref, client.database, collection, write=write)
    if lock is not None:
        return Refusal("timeout", "")
    file = kind.data_file(process, process.behaviour)
    if file is None:
        return None
    trouble = (write_problem if write else read_problem)(world, process, file)
    words = "" if trouble is None else kind.withstands(trouble, file, collection, write)
    if trouble is None or not words:
        return None
    cold = 1.0 if write else kind.cold_share(world, process, process.behaviour)
    return Refusal("server", words, trouble.share * cold)


def slowed_ms(world: World, ref: ContainerRef) -> float:
    """What the disk adds to each command of a datastore."""
    process = process_of(world, ref)
    if process is None or not isinstance(process.behaviour, StoreProgram):
        return 0.0
    runtime: Runtime = world.service(RUNTIME)
    file = runtime.kind_of(process).data_file(process, process.behaviour)
    return 0.0 if file is None else slowness_ms(world, process, file)


def queued_ms(world: World, ref: ContainerRef, command: str) -> float:
    """How long a command of a datastore waits behind what others ask of its disk."""
    process = process_of(world, ref)
    if process is None or not isinstance(process.behaviour, StoreProgram):
        return 0.0
    kind = world.service(RUNTIME).kind_of(process)
    if kind.data_file(process, process.behaviour) is None:
        return 0.0
    cold = kind.cold_share(world, process, process.behaviour)
    return waiting_ms(world, process, write=command in WRITING, cold=cold)


def disks_changed(world: World, node: str) -> None:
    """Let the datastores of a node meet what its disk is like now; of all nodes without a name."""
    runtime: Runtime = world.service(RUNTIME)
    for process in runtime.running(world):
        if isinstance(process.behaviour, StoreProgram) and node in ("", process.config.node):
            runtime.kind_of(process).look_at_disk(world, process, process.behaviour)
    invalidate_traffic(world)
