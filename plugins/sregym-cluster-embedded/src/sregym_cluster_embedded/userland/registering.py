"""Who serves under which name, as registries know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_REGISTRATIONS: TableKey[tuple[ContainerRef, str], tuple[tuple[ContainerRef, int, float], ...]] = (
    TableKey("userland.registrations")
)


def register(world: World, registry: ContainerRef, name: str, ref: ContainerRef, port: int) -> None:
    """Note at a registry that a process serves under a name."""
    table = world.table(_REGISTRATIONS)
    others = tuple(entry for entry in table.get((registry, name), ()) if entry[0] != ref)
    table[(registry, name)] = (*others, (ref, port, world.now))


def deregister(world: World, registry: ContainerRef, name: str, ref: ContainerRef) -> None:
    """Let a registry forget that a process serves under a name; until it registers anew, clients do not find it."""
    table = world.table(_REGISTRATIONS)
    known = table.get((registry, name), ())
    table[(registry, name)] = tuple(entry for entry in known if entry[0] != ref)


def registered(world: World, registry: ContainerRef, name: str) -> list[tuple[str, int]]:
    """The addresses of the running processes that a registry knows under a name."""
    known: list[tuple[str, int]] = []
    for ref, port, _ in world.table(_REGISTRATIONS).get((registry, name), ()):
        process = process_of(world, ref)
        if process is not None and process.running:
            known.append((process.config.pod_ip, port))
    return known


def registrations(world: World, registry: ContainerRef) -> Iterator[tuple[str, Process, int]]:
    """Name, process and port of all that a registry knows and that runs, by name."""
    table = world.table(_REGISTRATIONS)
    for name in sorted(name for known, name in table if known == registry):
        for ref, port, _ in table[(registry, name)]:
            process = process_of(world, ref)
            if process is not None and process.running:
                yield name, process, port


def registered_at(
    world: World, registry: ContainerRef
) -> Iterator[tuple[str, ContainerRef, float]]:
    """Name, process and virtual second of all registrations that a registry has had, by name."""
    table = world.table(_REGISTRATIONS)
    for name in sorted(name for known, name in table if known == registry):
        for ref, _, at in table[(registry, name)]:
            yield name, ref, at
