"""How full the volumes of pods are, as kubelets measure it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.telemetry.metrics.exposition import Family, Row, Steps
from sregym_cluster_embedded.userland.space import HeldSpace, space_history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.store import Key, Object
    from sregym_cluster_embedded.telemetry.metrics.view import Pod, View
    from sregym_cluster_embedded.telemetry.object_history import Lifeline

_CAPACITY = "kubelet_volume_stats_capacity_bytes"
_AVAILABLE = "kubelet_volume_stats_available_bytes"
_USED = "kubelet_volume_stats_used_bytes"
_INODES = "kubelet_volume_stats_inodes"
_INODES_FREE = "kubelet_volume_stats_inodes_free"
_INODES_USED = "kubelet_volume_stats_inodes_used"
FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        family.name: family
        for family in (
            Family(_CAPACITY, "gauge", "Capacity in bytes of the volume"),
            Family(_AVAILABLE, "gauge", "Number of available bytes in the volume"),
            Family(_USED, "gauge", "Number of used bytes in the volume"),
            Family(_INODES, "gauge", "Maximum number of inodes in the volume"),
            Family(_INODES_FREE, "gauge", "Number of free inodes in the volume"),
            Family(_INODES_USED, "gauge", "Number of used inodes in the volume"),
        )
    }
)
# As ext4 is made by default; the root folder and lost+found among them.
_BYTES_OF_AN_INODE = 16384.0
_OWN_INODES, _OWN_BYTES = 11.0, 24576.0


def steps_of(known: Sequence[HeldSpace], of: Callable[[HeldSpace], float]) -> Steps:
    """A property of what was held, over time; 0 before the first write."""
    return Steps(
        [float("-inf"), *(part.since for part in known)],
        [0.0, *(float(of(part)) for part in known)],
    )


def volume_rows(view: View, node: str, sample: str) -> Iterator[Row]:
    """The claims that pods of a node have mounted, from the start of the pod's first container."""
    claims = {line.key: line for line in view.past.of("persistentvolumeclaims")}
    done: set[Key] = set()
    for uid, members in view.instances_by_pod.items():
        pod = view.pods[uid]
        if members[0].process.config.node != node:
            continue
        for line in _claims_of(pod, claims):
            size = _size(line)
            if size is None or line.key in done:
                continue
            done.add(line.key)
            labels = (
                ("namespace", pod.namespace),
                ("persistentvolumeclaim", line.key.name),
            )
            since = min(instance.process.started_at for instance in members)
            volume = space_history(view.world).get(f"pv/{_volume(line)}", ())
            yield Row(labels, _Volume(sample, size, volume), since, pod.until)


class _Volume:
    """What is told of one volume."""

    def __init__(self, sample: str, size: Steps, known: Sequence[HeldSpace]) -> None:
        self._sample = sample
        self._size = size
        self._used = steps_of(known, lambda part: part.size_bytes)
        self._inodes = steps_of(known, lambda part: part.inodes)

    def __call__(self, seconds: Floats) -> Floats:
        size = self._size(seconds)
        if self._sample == _CAPACITY:
            return size
        if self._sample in (_USED, _AVAILABLE):
            used = np.minimum(self._used(seconds) + _OWN_BYTES, size)
            return used if self._sample == _USED else size - used
        most = np.floor(size / _BYTES_OF_AN_INODE)
        taken = np.minimum(self._inodes(seconds) + _OWN_INODES, most)
        if self._sample == _INODES:
            return most
        return taken if self._sample == _INODES_USED else most - taken


def _claims_of(pod: Pod, claims: Mapping[Key, Lifeline]) -> Iterator[Lifeline]:
    for volume in pod.last["spec"].get("volumes") or ():
        name = str((volume.get("persistentVolumeClaim") or {}).get("claimName", ""))
        if "ephemeral" in volume:
            name = f"{pod.name}-{volume['name']}"
        for key, line in claims.items():
            if name and (key.namespace, key.name) == (pod.namespace, name):
                yield line


def _objects(line: Lifeline) -> list[tuple[float, Object]]:
    return [(version.since, version.obj) for version in line.versions if version.obj is not None]


def _size(line: Lifeline) -> Steps | None:
    """The capacity of a claim over time; None while it never was bound."""
    found = [
        (since, float(parse(str(size))))
        for since, claim in _objects(line)
        if (size := claim.get("status", {}).get("capacity", {}).get("storage"))
    ]
    return Steps([since for since, _ in found], [size for _, size in found]) if found else None


def _volume(line: Lifeline) -> str:
    names = [claim["spec"].get("volumeName", "") for _, claim in _objects(line)]
    return next((str(name) for name in reversed(names) if name), "")
