"""What the logs of containers take of their node's disk: it counts as their ephemeral storage.

A look of the kubelet adds what was written since the one before. In between, a query counts
the rest himself: an answer changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ContainerRuntime
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[ContainerRef, _Tally] = TableKey("kubelet.log_files")
# Before each line stand its moment, its stream and a tag, and behind it a line feed.
_LINE_BYTES = 41
# A kubelet begins a new file here (containerLogMaxSize) and keeps so many (containerLogMaxFiles).
# Of those that it has closed, all but the last one are compressed, to about a tenth.
_MOST_BYTES = 10 * 2**20
_MOST_FILES = 5
_COMPRESSED = 10


class _Tally(NamedTuple):
    """What a container had written up to a moment, which is not included."""

    until: float
    written: int


def tally(world: World, state: PodState) -> None:
    """Add up what the containers of a pod have written since the look before."""
    known = world.table(_TABLE)
    for name, container in state.containers.items():
        if container.attempt >= 0:
            ref = state.ref(name)
            known[ref] = _Tally(world.now, _written(world, ref))


def forget(world: World, uid: str) -> None:
    """A pod is gone, or has ended."""
    known = world.table(_TABLE)
    for ref in [ref for ref in known if ref.pod_uid == uid]:
        del known[ref]


def log_bytes(world: World, state: PodState, name: str) -> int:
    """What the log of a container's present life takes, in all its files."""
    container = state.containers.get(name)
    if container is None or container.attempt < 0:
        return 0
    return _kept(_written(world, state.ref(name)))


def _written(world: World, ref: ContainerRef) -> int:
    before = _Tally(*world.table(_TABLE).get(ref, (0.0, 0)))
    runtime: ContainerRuntime = world.service(RUNTIME)
    lines = runtime.logs(world, ref, since=before.until)
    return before.written + sum(
        len(line.text.encode(errors="surrogateescape")) + _LINE_BYTES
        for line in lines
        if before.until <= line.at < world.now
    )


def _kept(written: int) -> int:
    """What is left of so many bytes after the kubelet has begun new files."""
    closed, present = divmod(written, _MOST_BYTES)
    compressed = min(max(closed - 1, 0), _MOST_FILES - 2)
    return present + min(closed, 1) * _MOST_BYTES + compressed * _MOST_BYTES // _COMPRESSED
