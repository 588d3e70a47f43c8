"""The base of sources of noise: keeps time, and ends what was begun."""

from __future__ import annotations

from abc import abstractmethod
from random import Random
from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import MissingCapabilityError, NodeError
from sregym_core.interfaces import ClusterError, Noise, NoiseContext
from typing_extensions import override

from sregym_injectors.noise.rhythm import Moment, Rhythm, moments
from sregym_injectors.noise.turn import Turn, end_turn
from sregym_injectors.noise.victims import workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model import NodeSetting

# What a world refuses is no disturbance: it may be broken in any way, by faults and agents.
REFUSALS = (ClusterError, NodeError, MissingCapabilityError)


class Disturbance(Noise):
    """Begins something at the moments of a rhythm; what its turn changed is undone at the end.

    Attributes:
        rhythm: When, and for how long.
    """

    rhythm: ClassVar[Rhythm] = Rhythm()

    @abstractmethod
    def begin(self, turn: Turn) -> str:
        """Disturb; returns what was done, in a line, or nothing where there is nobody to disturb."""

    @override
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        rising = moments(self.rhythm, self.name, context.seed, context.level)
        return next((moment.at_s for moment in rising if moment.at_s > elapsed_s), None)

    @override
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        moment = self._moment(context, elapsed_s)
        if moment is None:
            return f"{self.name}: nothing is due"
        if moment.ends:
            ended = end_turn(context, moment.turn)
            return f"{self.name}: {'; '.join(ended) or 'nothing was left to end'}"
        chance = Random(f"{self.name} {context.seed} turn {moment.turn}")  # noqa: S311 - a game
        try:
            done = self.begin(Turn(context, moment.turn, chance))
        except REFUSALS as refusal:
            done = f"refused: {' '.join(str(refusal).split())}"
        return f"{self.name}: {done or 'nobody can be disturbed now'}"

    @override
    def settle(self, context: NoiseContext) -> None:
        for turn in sorted(context.memory, key=int):
            end_turn(context, int(turn))

    def _moment(self, context: NoiseContext, elapsed_s: float) -> Moment | None:
        """The latest one up to a moment."""
        latest = None
        for moment in moments(self.rhythm, self.name, context.seed, context.level):
            if moment.at_s > elapsed_s:
                break
            latest = moment
        return latest


class SettingNoise(Disturbance):
    """Sets something on a worker node for a while."""

    @abstractmethod
    def settings(self, turn: Turn, node: str) -> Sequence[NodeSetting]:
        """What is set on the chosen node; what somebody else has set there is left as it is."""

    @override
    def begin(self, turn: Turn) -> str:
        nodes = workers(turn.context)
        if not nodes:
            return ""
        node = turn.chance.choice(nodes)
        done = [turn.set(setting) for setting in self.settings(turn, node)]
        if any(done):
            turn.note(node)
        return ", ".join(filter(None, done))
