"""What the processes of a node leave of its memory, and how many of them it was not enough for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sregym_cluster_embedded.clock import jitter
from sregym_cluster_embedded.telemetry.metrics.exposition import BEGINNING, Steps
from sregym_cluster_embedded.telemetry.metrics.jitter import drift
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, end_of

if TYPE_CHECKING:
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.machines import Machine
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance

_KIB = 1024.0
# The part of what is left that the kernel keeps files in; how far it wanders, and within which time.
_CACHED_SHARE, _SPREAD, _PERIOD_S = 0.22, 0.02, 307.0
# Part of what is left, of that and of the part of it that files are kept in: of moments or of one.
Of = Callable[[Any, Any], Any]


class Holding(NamedTuple):
    """A process that holds memory for a while."""

    held: WorkingSet
    since: float
    until: float


def holding(instances: Sequence[ContainerInstance]) -> list[Holding]:
    """What processes hold."""
    return [
        Holding(WorkingSet(instance), instance.process.started_at, end_of(instance))
        for instance in instances
    ]


class NodeMemory:
    """A part of the memory that is left.

    Args:
        begin: Where the deviations of the node begin.
        own: Bytes of kubelet, runtime and system.
        held: What processes hold.
        others: What others hold.
        total: How much there is.
        of: Which part.
    """

    def __init__(
        self, begin: float, own: int, held: Sequence[Holding], others: Steps, total: Steps, of: Of
    ) -> None:
        self._begin, self._own, self._held = begin, own, held
        self._others, self._total, self._of = others, total, of

    def __call__(self, seconds: Floats) -> Floats:
        """Bytes at each moment."""
        taken = self._own * (1 + _SPREAD * drift(self._begin, seconds, _PERIOD_S))
        for held, since, until in self._held:
            taken += np.where((seconds >= since) & (seconds < until), held(seconds), 0.0)
        left = np.maximum(self._total(seconds) - (taken + self._others(seconds)), 0.0)
        kept = 1 + _SPREAD * drift(self._begin + 512, seconds, _PERIOD_S)
        found: Floats = np.floor(self._of(left, _CACHED_SHARE * kept) / _KIB) * _KIB
        return found

    def at(self, second: float) -> float:
        """Bytes at one moment."""
        taken = self._own * (1 + _SPREAD * jitter.drift(self._begin, second, _PERIOD_S))
        for held, since, until in self._held:
            if since <= second < until:
                taken += held.at(second)
        left = max(self._total.at(second) - (taken + self._others.at(second)), 0.0)
        kept = 1 + _SPREAD * jitter.drift(self._begin + 512, second, _PERIOD_S)
        return float(math.floor(self._of(left, _CACHED_SHARE * kept) / _KIB) * _KIB)


def kills(instances: Sequence[ContainerInstance], past: Sequence[tuple[float, Machine]]) -> Steps:
    """How many processes the kernel has ended for their memory since the machine booted."""
    off = [not machine.powered for _, machine in past]
    boots = [(past[n][0], False) for n in range(1, len(past)) if off[n - 1] and not off[n]]
    ended = [(end_of(instance), True) for instance in instances if instance.process.out_of_memory]
    times, values = [BEGINNING], [0.0]
    for at, killed in sorted([*boots, *ended]):
        times.append(at)
        values.append(values[-1] + 1 if killed else 0.0)
    return Steps(times, values)
