"""Training of the tiny policy, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sregym_core.api import Budget, play
from sregym_rollouts import Rollouts, RolloutTask

from sregym_trl.moves import moves_of
from sregym_trl.policy import Policy, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_core.api import EpisodeRecord

PROBLEMS = (
    "configmap_drift_hotel_reservation",
    "revoke_auth_mongodb-1",
    "wrong_service_selector_hotel_reservation",
)
LOOKS = (
    "kubectl get endpoints -n hotel-reservation",
    "kubectl logs deployment/geo -n hotel-reservation --tail=20",
)


@dataclass(frozen=True)
class Point:
    """Where training stands.

    Attributes:
        episodes: Played so far.
        reward: Mean of the last batch; a diagnosis and a repair count a half each.
        solved: Share of episodes of the last batch that passed as a whole.
    """

    episodes: int
    reward: float
    solved: float


def stages(record: EpisodeRecord) -> float | None:
    """A half for each stage that passes; None where the world was not right."""
    if record.outcome == "error":
        return None
    found = (record.diagnosis, record.mitigation)
    return sum(0.5 for one in found if one is not None and one.verdict.outcome == "pass")


class Training:
    """Problems, worlds to learn in, moves, and a policy.

    Args:
        problems: Ids.
        worlds: In how many worlds each is learnt, from seed 1 on.
        seed: Of all chance of the policy.
        batch: Episodes between two steps of learning.
        looks: Moves that only look.
        reward: What a record is worth.
    """

    def __init__(
        self,
        problems: Sequence[str] = PROBLEMS,
        *,
        worlds: int = 4,
        seed: int = 0,
        batch: int = 24,
        looks: Sequence[str] = LOOKS,
        reward: Callable[[EpisodeRecord], float | None] = stages,
    ) -> None:
        self.problems, self.batch = tuple(problems), batch
        self.rollouts = Rollouts(budget=Budget(steps=12), reward=reward, agent="tiny-policy")
        self.tasks = [RolloutTask(name, world + 1) for name in problems for world in range(worlds)]
        firsts = [RolloutTask(name, 1) for name in problems]
        self.moves = moves_of(self.rollouts, firsts, looks)
        self.policy = Policy(len(self.moves))
        self._chance = np.random.default_rng(seed)

    def episode(self, task: RolloutTask, policy: Policy | None = None) -> tuple[Trace, bool]:
        """Play one episode; also whether it passed as a whole.

        Args:
            task: What is played.
            policy: Who plays; None for the one that learns.
        """
        player = policy or self.policy
        rollout = self.rollouts.start(task)
        trace, texts, made = Trace(task.problem), [rollout.instruction], list[int]()
        free = np.ones(len(self.moves), np.bool_)
        while not rollout.done and free.any():
            seen = player.features(texts, made)
            move = player.choose(self._chance, seen, free)
            trace.seen.append(seen)
            trace.free.append(free.copy())
            trace.chosen.append(move)
            made.append(move)
            free[move] = False
            texts.append(rollout.act(self.moves[move]).text)
        result = rollout.finish()
        trace.reward = result.reward or 0.0
        return trace, result.outcome == "pass"

    def run(self, episodes: int) -> Iterator[Point]:
        """Learn for so many episodes; a point after each batch."""
        for played in range(self.batch, episodes + 1, self.batch):
            places = self._chance.integers(len(self.tasks), size=self.batch)
            ended = [self.episode(self.tasks[place]) for place in places]
            traces = [trace for trace, _ in ended]
            yield Point(
                played,
                float(np.mean([trace.reward for trace in traces])),
                float(np.mean([passed for _, passed in ended])),
            )
            self.policy.learn(traces)

    def solved(self, seeds: Sequence[int], policy: Policy | None = None) -> dict[str, float]:
        """The share of episodes that pass, by problem, in the worlds of these seeds."""
        return {
            name: float(
                np.mean([self.episode(RolloutTask(name, seed), policy)[1] for seed in seeds])
            )
            for name in self.problems
        }

    def solved_by(self, agent: str, seeds: Sequence[int]) -> dict[str, float]:
        """The same for an agent that is installed, such as `random`; each time with another seed."""
        place = self.rollouts.workspace
        return {
            name: float(
                np.mean(
                    [
                        play(
                            name,
                            agent,
                            seed=seed,
                            agent_options={"seed": str(seed)},
                            workspace=place,
                        ).outcome
                        == "pass"
                        for seed in seeds
                    ]
                )
            )
            for name in self.problems
        }
