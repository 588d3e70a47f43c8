"""What flows through brokers, as figures: what arrived, what was taken, and how much waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.integrals import WHOLE, Integral

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.traffic.segments import QueueSegment


def starts(known: Sequence[QueueSegment]) -> list[float]:
    """When each segment begins."""
    return [segment.start for segment in known]


def _of(values: tuple[float, ...], number: int) -> float:
    """Of a partition; nothing while the topic has gone with its broker."""
    return values[number] if number < len(values) else 0.0


class Offset:
    """The records that arrived in one partition."""

    def __init__(self, known: Sequence[QueueSegment], number: int) -> None:
        rates = [_of(segment.come, number) for segment in known]
        self.arrived = Integral(starts(known), rates, float("inf"))

    def __call__(self, seconds: Floats) -> Floats:
        """How many there were."""
        found: Floats = np.floor(self.arrived(seconds) + WHOLE)
        return found


class Lag:
    """The records of one partition that a group has not taken."""

    def __init__(self, known: Sequence[QueueSegment], number: int) -> None:
        self._starts = np.array(starts(known))
        self._lag = np.array([_of(segment.lag, number) for segment in known])
        self._growth = np.array(
            [_of(segment.come, number) - _of(segment.progress, number) for segment in known]
        )

    def exact(self, seconds: Floats) -> Floats:
        """With fractions of records."""
        index = np.maximum(np.searchsorted(self._starts, seconds, side="right") - 1, 0)
        behind = self._lag[index] + self._growth[index] * (seconds - self._starts[index])
        found: Floats = np.maximum(behind, 0.0)
        return found

    def __call__(self, seconds: Floats) -> Floats:
        """In whole records."""
        found: Floats = np.floor(self.exact(seconds) + WHOLE)
        return found


class ConsumedRecords:
    """The records of one partition that a group is done with."""

    def __init__(self, known: Sequence[QueueSegment], number: int) -> None:
        self._offset, self._lag = Offset(known, number), Lag(known, number)

    def __call__(self, seconds: Floats) -> Floats:
        """How many there were."""
        done = self._offset.arrived(seconds) - self._lag.exact(seconds)
        found: Floats = np.maximum(np.floor(np.round(done, 2) + WHOLE), 0.0)
        return found
