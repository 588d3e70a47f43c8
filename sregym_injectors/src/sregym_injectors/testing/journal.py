"""A journal that can be looked at and replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_injectors.workloads import ready_pod

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef


class MemoryJournal:
    """Keeps undo steps in memory.

    Attributes:
        restores: Address and earlier state of each object, in the order in which they were noted.
        commands: Namespace, workload, command and stdin of each undo command.
    """

    def __init__(self) -> None:
        self.restores: list[tuple[ObjectRef, KubeObject | None]] = []
        self.commands: list[tuple[str, ObjectRef, tuple[str, ...], str]] = []

    def restore(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Note an object's state."""
        self.restores.append((ref, before))

    def command(self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str) -> None:
        """Note an undo command."""
        self.commands.append((namespace, workload, tuple(argv), stdin))

    def replay(self, cluster: Cluster) -> None:
        """Undo everything: objects first, newest first, then commands once their pods are ready."""
        for ref, before in reversed(self.restores):
            if before is None:
                cluster.delete(ref)
            elif cluster.get(ref) is None:
                cluster.create(before)
            else:
                cluster.replace(before)
        for namespace, workload, argv, stdin in reversed(self.commands):
            pod = _awaited_pod(cluster, workload)
            cluster.exec(namespace, pod["metadata"]["name"], argv, stdin=stdin)
        cluster.clock.advance(1.0)


def _awaited_pod(cluster: Cluster, workload: ObjectRef) -> KubeObject:
    cluster.clock.wait_until(lambda: ready_pod(cluster, workload) is not None, 60.0)
    pod = ready_pod(cluster, workload)
    assert pod is not None, f"{workload} has no ready pod for an undo command"
    return pod
