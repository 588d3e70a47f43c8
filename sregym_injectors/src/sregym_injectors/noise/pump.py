"""Lets due disturbances happen while the agent works, and ends them before grading."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.error_location import check_returned, format_with_location, must_propagate
from sregym_core.errors import SregymError, WorldError
from sregym_core.events import NoiseMade
from sregym_core.interfaces import ClusterError, EpisodeNoise

from sregym_injectors.noise.blamed import noise_blamed
from sregym_injectors.noise.mixture import levels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Cluster, Journal, Noise, NoiseContext, NoiseRequest
    from sregym_core.model import GroundTruth, StageRecord, TimelineEntry

# In so many seconds before the agent's start the world gets as noisy as it stays.
LEAD_S = 240.0


class NoisePump(EpisodeNoise):
    """Disturbances of several noise sources on the episode's clock.

    Args:
        sources: Who disturbs.
        context: As each of them gets it, but for its level.
        record: Puts disturbances on the timeline.
        tell: Attributes an exception to its plugin.
        levels: How much each source disturbs, by name; 1 for those that are missing.

    Attributes:
        levels: By name of the source.
    """

    def __init__(
        self,
        sources: Sequence[Noise],
        context: NoiseContext,
        record: Callable[[EpisodeEvent], None],
        tell: Callable[[BaseException], str] = format_with_location,
        levels: Mapping[str, int] | None = None,
    ) -> None:
        self._tell = tell
        self.levels = {source.name: (levels or {}).get(source.name, 1) for source in sources}
        self._contexts = {
            name: replace(context, level=level, memory={}, subjects=[])
            for name, level in self.levels.items()
        }
        self._record = record
        self._clock = context.cluster.clock
        self._began = self._clock.now()
        self._sources = {source.name: source for source in sources}
        self._next = {
            name: source.next_at(self._contexts[name], 0.0)
            for name, source in self._sources.items()
        }

    @classmethod
    def of(cls, request: NoiseRequest) -> NoisePump:
        """The noise of an episode as requested."""
        levels = levels_of(request)
        sources = [request.make(name) for name in levels]
        return cls(sources, request.context, request.record, request.blame, levels)

    def fork(
        self,
        cluster: Cluster,
        record: Callable[[EpisodeEvent], None],
        journal: Journal | None = None,
    ) -> NoisePump:
        """An equal one that goes on by itself, in a forked cluster."""
        twin = copy(self)
        twin._contexts = {
            name: replace(
                context,
                cluster=cluster,
                memory=deepcopy(context.memory),
                subjects=list(context.subjects),
                journal=journal,
            )
            for name, context in self._contexts.items()
        }
        twin._clock = cluster.clock
        twin._record = record
        twin._next = dict(self._next)
        return twin

    def lead(self) -> None:
        """Let the world get noisy before the episode begins.

        Nothing happens where there is no noise, or where it would take wall-clock time.
        """
        if not self._sources or self._clock.real_time:
            return
        while (at := self._earliest()) is not None and at < LEAD_S:
            self._clock.advance(max(0.0, self._began + at - self._clock.now()))
            self._due_at(at)
        self._clock.advance(max(0.0, self._began + LEAD_S - self._clock.now()))

    def leapt(self, seconds: float) -> None:
        """So much time was left out: nothing was due in it."""
        self._began += seconds

    def due(self) -> None:
        """Disturb as often as the schedules require up to now, in the order of their moments."""
        elapsed = self._clock.now() - self._began
        while (at := self._earliest()) is not None and at <= elapsed:
            self._due_at(at)

    def stop(self) -> None:
        """No more disturbances; those that last are ended."""
        for name, source in self._sources.items():
            self._next[name] = None
            source.settle(self._contexts[name])

    def blamed(
        self,
        diagnosis: StageRecord | None,
        entries: Iterable[TimelineEntry],
        ground_truths: Callable[[], Sequence[GroundTruth]],
    ) -> tuple[str, ...]:
        """Names of the sources whose victims a wrong diagnosis names."""
        return noise_blamed(diagnosis, entries, ground_truths)

    def _due_at(self, at: float) -> None:
        """What is due at one moment, which is over then: clocks are exact to parts of a second."""
        for name in self._sources:
            if self._next[name] == at:
                self._disturb(name, at)

    def _earliest(self) -> float | None:
        return min((at for at in self._next.values() if at is not None), default=None)

    def _disturb(self, name: str, at: float) -> None:
        source, context = self._sources[name], self._contexts[name]
        context.subjects.clear()
        try:
            what = check_returned(source, "disturb", source.disturb(context, at), str)
            self._next[name] = source.next_at(context, at)
        except BaseException as error:
            if must_propagate(error) or isinstance(error, SregymError | ClusterError):
                raise
            # The agent asked when it was due, but it is not the agent's.
            raise WorldError(self._tell(error)) from error
        self._record(NoiseMade(name, what, tuple(dict.fromkeys(context.subjects))))
