"""The base of sources of noise: keeps time, and ends what was begun."""

from __future__ import annotations

from abc import abstractmethod
from random import Random
from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import MissingCapabilityError, NodeError
from sregym_core.interfaces import ClusterError, Noise, NoiseContext
from typing_extensions import override

from sregym_injectors.noise.occurrence import Occurrence, end_occurrence
from sregym_injectors.noise.schedule import Moment, Schedule, moments
from sregym_injectors.noise.targets import workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import NodeSetting

# What a world refuses is no disturbance: it may be broken in any way, by faults and agents.
REFUSALS = (ClusterError, NodeError, MissingCapabilityError)


class Disturbance(Noise):
    """Begins at the times of its schedule; what an occurrence changed is undone at its end.

    Attributes:
        schedule: When, and for how long.
    """

    schedule: ClassVar[Schedule] = Schedule()

    @abstractmethod
    def begin(self, occurrence: Occurrence) -> str:
        """Disturb; returns what was done, in a line, or nothing where there is no target."""

    @override
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        rising = moments(self.schedule, self.name, context.seed, context.level)
        return next((moment.at_s for moment in rising if moment.at_s > elapsed_s), None)

    @override
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        moment = self._moment(context, elapsed_s)
        if moment is None:
            return f"{self.name}: nothing is due"
        if moment.ends:
            ended = end_occurrence(context, moment.occurrence)
            return f"{self.name}: {'; '.join(ended) or 'nothing was left to end'}"
        chance = Random(f"{self.name} {context.seed} turn {moment.occurrence}")  # noqa: S311 - a game
        try:
            done = self.begin(Occurrence(context, moment.occurrence, chance))
        except REFUSALS as refusal:
            done = f"refused: {' '.join(str(refusal).split())}"
        return f"{self.name}: {done or 'nobody can be disturbed now'}"

    @override
    def settle(self, context: NoiseContext) -> None:
        for occurrence in sorted(context.memory, key=int):
            end_occurrence(context, int(occurrence))

    def _moment(self, context: NoiseContext, elapsed_s: float) -> Moment | None:
        """The latest one up to a moment."""
        latest = None
        for moment in moments(self.schedule, self.name, context.seed, context.level):
            if moment.at_s > elapsed_s:
                break
            latest = moment
        return latest


class SettingNoise(Disturbance):
    """Applies a setting to a worker node for a while."""

    @abstractmethod
    def settings(self, occurrence: Occurrence, node: str) -> Sequence[NodeSetting]:
        """What is set on the chosen node; settings of others there are left as they are."""

    @override
    def begin(self, occurrence: Occurrence) -> str:
        nodes = workers(occurrence.context)
        if not nodes:
            return ""
        node = occurrence.chance.choice(nodes)
        done = [occurrence.set(setting) for setting in self.settings(occurrence, node)]
        if any(done):
            occurrence.note(node)
        return ", ".join(filter(None, done))
