"""How agents did under how much noise: shares with intervals, and which noise they blamed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from sregym_core.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.model.record import EpisodeRecord

# Of a normal distribution: 95 % lie within so many standard deviations.
_Z = 1.959964


@dataclass(frozen=True)
class NoiseScore:
    """What an agent came to at one level of noise.

    Attributes:
        agent: Its name.
        level: The level, 0 to 3; of named sources the highest.
        graded: Episodes that passed or failed: errors and what is undecided count neither way.
        solved: How many of these passed.
        low: Lower bound of the share that is solved, by Wilson's interval of 95 %.
        high: Its upper bound.
        blamed: How often each source of noise was blamed in place of a root cause, most often first.
    """

    agent: str
    level: int
    graded: int
    solved: int
    low: float
    high: float
    blamed: tuple[tuple[str, int], ...] = ()

    @property
    def share(self) -> float:
        """The share that is solved; 0 where nothing was graded."""
        return self.solved / self.graded if self.graded else 0.0


def noise_level_of_record(record: EpisodeRecord) -> int:
    """The level of noise of an episode: that of its mixture, or the highest of its sources."""
    return max([record.noise_level, *record.noise.values()])


def scores_by_noise_level(records: Sequence[EpisodeRecord]) -> list[NoiseScore]:
    """By agent in the order of play, then by level; nothing where no episode had noise."""
    if not any(map(noise_level_of_record, records)):
        return []
    found = []
    for agent in dict.fromkeys(record.agent for record in records):
        mine = [record for record in records if record.agent == agent]
        for level in sorted({noise_level_of_record(record) for record in mine}):
            played = [record for record in mine if noise_level_of_record(record) == level]
            found.append(_score(agent, level, played))
    return found


def _score(agent: str, level: int, played: Sequence[EpisodeRecord]) -> NoiseScore:
    graded = [one for one in played if one.outcome in (Outcome.PASS, Outcome.FAIL)]
    solved = sum(one.outcome is Outcome.PASS for one in graded)
    blamed = Counter(name for one in played for name in one.noise_blamed)
    low, high = wilson(solved, len(graded))
    ordered = tuple(sorted(blamed.items(), key=lambda item: (-item[1], item[0])))
    return NoiseScore(agent, level, len(graded), solved, low, high, ordered)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's interval of 95 % of a share; 0 to 1 where there was no trial."""
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, _Z * _Z
    middle = share + square / (2 * trials)
    spread = _Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    whole = 1 + square / trials
    low, high = (middle - spread) / whole, (middle + spread) / whole
    return (0.0 if successes == 0 else low), (1.0 if successes == trials else high)
