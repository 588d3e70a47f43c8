"""Lets due disturbances happen while the agent works, and ends them before grading."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.blame import given_by, interrupts, located
from sregym_core.errors import SregymError, WorldError
from sregym_core.events import NoiseMade
from sregym_core.interfaces import ClusterError, NoiseContext

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import Application, Cluster, Noise


class NoisePump:
    """Disturbances of several noise sources on the episode's clock.

    Args:
        sources: Who disturbs.
        cluster: Where.
        application: Whom.
        spared: Components that are left alone.
        seed: From which they take all chance; nobody who sees the world may know it.
        timeline: Where disturbances are told.
        tell: Says whose an exception is.
    """

    def __init__(
        self,
        sources: Sequence[Noise],
        cluster: Cluster,
        application: Application,
        spared: tuple[str, ...],
        seed: int,
        timeline: Timeline,
        tell: Callable[[BaseException], str] = located,
    ) -> None:
        self._tell = tell
        self._context = NoiseContext(cluster, application, spared, seed)
        self._timeline = timeline
        self._began = cluster.clock.now()
        self._next = {source.name: source.next_at(self._context, 0.0) for source in sources}
        self._sources = {source.name: source for source in sources}

    def fork(self, cluster: Cluster, timeline: Timeline) -> NoisePump:
        """An equal one that goes on by itself, in a forked cluster."""
        twin = copy(self)
        twin._context = replace(self._context, cluster=cluster)
        twin._timeline = timeline
        twin._next = dict(self._next)
        return twin

    def due(self) -> None:
        """Disturb as often as the schedule asks for up to now."""
        elapsed = self._context.cluster.clock.now() - self._began
        for name, source in self._sources.items():
            while (at := self._next[name]) is not None and at <= elapsed:
                try:
                    what = given_by(source, "disturb", source.disturb(self._context, at), str)
                    self._next[name] = source.next_at(self._context, at)
                except BaseException as error:
                    if interrupts(error) or isinstance(error, SregymError | ClusterError):
                        raise
                    # The agent asked when it was due, but it is not the agent's.
                    raise WorldError(self._tell(error)) from error
                self._timeline.record(NoiseMade(name, what))

    def stop(self) -> None:
        """No more disturbances; those that last are ended."""
        for name, source in self._sources.items():
            self._next[name] = None
            source.settle(self._context)
