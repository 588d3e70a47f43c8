"""What message brokers keep, asked such that a footing can ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.queues import Topics
    from sregym_cluster_embedded.world import World


def storage_of(world: World, ref: ContainerRef) -> str:
    """The identity of what a broker keeps; empty where no broker runs."""
    process = process_of(world, ref)
    if process is None or not process.running:
        return ""
    return world.service(RUNTIME).brokers.storage_of(process)


def topics_at(world: World, storage: str) -> Topics:
    """What is kept under an identity of storage."""
    return world.service(RUNTIME).brokers.topics_at(world, storage)


def group_of(world: World, storage: str, topic: str, group: str) -> str:
    """The group of a consumer."""
    return world.service(RUNTIME).brokers.group_of(world, storage, topic, group)


def keeps_unread(world: World, storage: str) -> bool:
    """Whether messages without a consumer accumulate there."""
    return world.service(RUNTIME).brokers.keeps_unread(world, storage)


def gone(world: World, storage: str) -> bool:
    """Whether a storage that lives no longer than its broker has gone with it."""
    runtime = world.service(RUNTIME)
    return storage.startswith(("layer of ", "pod/")) and not any(
        runtime.brokers.storage_of(process) == storage for process in runtime.running(world)
    )
