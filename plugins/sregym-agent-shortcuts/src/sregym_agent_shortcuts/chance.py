"""How often shortcuts name what is broken, held against a draw by lot."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from random import Random
from typing import TYPE_CHECKING, Any

from sregym_agents.survey import SHORTCUTS
from sregym_core.api import Environment
from sregym_core.errors import UsageError

from sregym_agent_shortcuts.agent import Looker

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sregym_agents.survey import Listing
    from sregym_core.api import Problem, Workspace


@dataclass(frozen=True)
class Draw:
    """What shortcuts name in one world, where a random draw names any component.

    Attributes:
        problem: Id of the problem.
        world: Application and seed: what happened there before the fault is the same for all its
            problems, and with it what stands out.
        chance: With what probability a draw by lot among all parts that can be listed hits; 0 where
            nothing that is broken can be listed (a node, say): such a world does not count.
        hits: By shortcut, with what probability a draw among those whom it names hits.
        named: Names of the shortcuts that name what is broken, alone or among others.
    """

    problem: str
    world: tuple[str, int]
    chance: float
    hits: Mapping[str, float]
    named: tuple[str, ...]


@dataclass(frozen=True)
class HitRate:
    """How often a shortcut hits.

    Attributes:
        shortcut: Its name.
        rate: Mean probability with which it names what is broken.
        times_chance: The same as a multiple of a draw by lot.
        error: Standard error of that multiple over worlds; infinite where there is but one.
    """

    shortcut: str
    rate: float
    times_chance: float
    error: float

    def as_json(self) -> dict[str, Any]:
        """The form that `sregym difficulty --shortcuts --json` prints."""
        return {
            "shortcut": self.shortcut,
            "hits": round(self.rate, 4),
            "times_chance": round(self.times_chance, 2),
            "standard_error": round(self.error, 2) if self.error < float("inf") else None,
        }


def drawn(problem: Problem, seed: int, seen: Listing, broken: Collection[str]) -> Draw:
    """Hold what shortcuts name against what is broken.

    Args:
        problem: Which is played.
        seed: Of its world.
        seen: What was listed there.
        broken: Names of what is broken.
    """
    parts = {*seen.components}
    wanted = parts.intersection(broken)
    guesses = {name: shortcut(seen) for name, shortcut in SHORTCUTS.items()}
    return Draw(
        problem=problem.id,
        world=(problem.application, seed),
        chance=len(wanted) / len(parts) if wanted else 0.0,
        hits={
            name: len(guess & wanted) / len(guess) if guess else 0.0
            for name, guess in guesses.items()
        },
        named=tuple(name for name, guess in guesses.items() if not guess.isdisjoint(broken)),
    )


def spread_seed(problem: str, first: int, count: int) -> int:
    """With which of so many seeds a problem is played: as many worlds as possible for the same cost.

    Args:
        problem: Its id, by which the lot is drawn.
        first: The first of them.
        count: How many there are.
    """
    return first + Random(f"seed of {problem}, from {first}").randrange(count)  # noqa: S311 - no secret


def surveyed(problem: Problem, workspace: Workspace, seed: int) -> Draw:
    """Look once at the broken world of a problem; nothing is repaired there.

    Raises:
        UsageError: Its world does not stand.
    """
    looker = Looker()
    with Environment(
        problem, seed=seed, mode="diagnosis-only", recover=False, workspace=workspace
    ) as world:
        world.reset()
        world.act(looker.run)
    if looker.seen is None:
        msg = f"difficulty of {problem.id!r}: nothing could be listed in its world"
        raise UsageError(msg)
    broken = {name for ref in problem.faults for name in ref.components}
    return drawn(problem, seed, looker.seen, broken)


def hit_rates(found: Sequence[Draw]) -> tuple[float, list[HitRate]]:
    """The probability with which a draw by lot hits, and how each shortcut compares with it.

    The standard error is that of a ratio of sums over worlds, as they are drawn together.
    """
    counted = [one for one in found if one.chance]
    if not counted:
        return 0.0, []
    chance = sum(one.chance for one in counted)
    rates = []
    for name in SHORTCUTS:
        times = sum(one.hits[name] for one in counted) / chance
        off: dict[tuple[str, int], float] = {}
        for one in counted:
            off[one.world] = off.get(one.world, 0.0) + one.hits[name] - times * one.chance
        worlds = len(off)
        spread = sum(value**2 for value in off.values()) * worlds
        error = sqrt(spread / (worlds - 1)) / chance if worlds > 1 else float("inf")
        rates.append(HitRate(name, times * chance / len(counted), times, error))
    return chance / len(counted), rates
