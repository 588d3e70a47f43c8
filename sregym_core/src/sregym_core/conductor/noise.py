"""Lets due disturbances happen while the agent works, and ends them before grading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.events import NoiseMade
from sregym_core.interfaces import NoiseContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import Application, Cluster, Noise


class NoisePump:
    """Disturbances of several noise sources on the episode's clock.

    Args:
        sources: Who disturbs.
        cluster: Where.
        application: Whom.
        spared: Components that are left alone.
        seed: Of the episode.
        timeline: Where disturbances are told.
    """

    def __init__(
        self,
        sources: Sequence[Noise],
        cluster: Cluster,
        application: Application,
        spared: tuple[str, ...],
        seed: int,
        timeline: Timeline,
    ) -> None:
        self._context = NoiseContext(cluster, application, spared, seed)
        self._timeline = timeline
        self._began = cluster.clock.now()
        self._next = {source.name: source.next_at(self._context, 0.0) for source in sources}
        self._sources = {source.name: source for source in sources}

    def due(self) -> None:
        """Disturb as often as the schedule asks for up to now."""
        elapsed = self._context.cluster.clock.now() - self._began
        for name, source in self._sources.items():
            while (at := self._next[name]) is not None and at <= elapsed:
                what = source.disturb(self._context, at)
                self._timeline.record(NoiseMade(name, what))
                self._next[name] = source.next_at(self._context, at)

    def stop(self) -> None:
        """No more disturbances; those that last are ended."""
        for name, source in self._sources.items():
            self._next[name] = None
            source.settle(self._context)
