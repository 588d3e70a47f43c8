"""The taskset: problems in the worlds of seeds."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import verifiers.v1 as vf
from anyio.to_thread import run_sync
from sregym_core.api import Budget
from sregym_core.errors import UsageError
from sregym_rollouts import Rollouts, RolloutTask, rollout_tasks, tools_text

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def rollouts_of(mode: str, max_steps: int) -> Rollouts:
    """One set of plugins and checkpoints for all rollouts of a process."""
    return Rollouts(mode=mode, budget=Budget(steps=max_steps), agent="verifiers")


class SregymConfig(vf.TasksetConfig):
    """What is played, and how.

    Attributes:
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: In how many worlds each problem is played.
        mode: How episodes are put to the policy.
        max_steps: Most actions of an episode.
    """

    problems: list[str] = []  # noqa: RUF012 - a field; pydantic copies it
    suite: str = "lite"
    seeds: int = 1
    mode: str = "standard"
    max_steps: int = 30


class SregymData(vf.TaskData):
    """What a trace tells of a task: nothing that its id does not tell.

    Attributes:
        mode: How the episode is put to the policy.
        max_steps: Most actions of it.
    """

    mode: str
    max_steps: int


class SregymTask(vf.Task[SregymData, vf.State, vf.TaskConfig]):
    """An incident. Its key is `PROBLEM@SEED`, which stays from release to release."""

    @property
    def key(self) -> str:
        """The problem and the seed."""
        return str(self.data.id)

    @property
    def rollouts(self) -> Rollouts:
        """Where its episodes come from."""
        return rollouts_of(self.data.mode, self.data.max_steps)

    @property
    def task(self) -> RolloutTask:
        """What is played."""
        return RolloutTask.named(self.key)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Whether the reference earns the full reward, and doing nothing earns none."""
        return await run_sync(self._is_sound)

    def played(self) -> Rollouts:
        """Episodes without the limit of actions: it is the policy's, not the reference's."""
        return Rollouts(mode=self.data.mode)

    def _is_sound(self) -> bool:
        with self.played() as rollouts:
            try:
                actions = rollouts.reference(self.task)
            except UsageError:
                return False
            solved, idle = rollouts.start(self.task), rollouts.start(self.task)
            for action in actions:
                solved.call(action.tool, action.arguments)
            return (solved.finish().reward, idle.finish().reward) == (1.0, 0.0)


class SregymTaskset(vf.Taskset[SregymTask, SregymConfig]):
    """Problems of SREGym in the worlds of seeds."""

    def load(self) -> Iterator[SregymTask]:
        """The tasks: all problems with the first seed, then with the next.

        Raises:
            UsageError: There is no such problem, suite or mode.
        """
        chosen = self.config
        rollouts = rollouts_of(chosen.mode, chosen.max_steps)
        found = rollout_tasks(
            chosen.problems,
            suite=chosen.suite,
            seeds=range(chosen.seeds),
            workspace=rollouts.workspace,
        )
        for one in found:
            data = SregymData(
                id=one.id,
                name=one.id,
                prompt=rollouts.instruction(one).strip(),
                system_prompt=tools_text(rollouts.tools()),
                mode=chosen.mode,
                max_steps=chosen.max_steps,
            )
            yield SregymTask(data, chosen.task)
