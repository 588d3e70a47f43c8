"""Incidents as an environment of Gymnasium whose actions and observations are text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
from sregym_core.api import Budget
from sregym_rollouts import Rollouts, RolloutTask, rollout_tasks

from sregym_gymnasium.spaces import AnyText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sregym_rollouts import Rollout, RolloutStep

# A page of a tool's answer has 16,000 characters at most, an instruction a fourth of that.
LONGEST = 65_536


class TextEnv(gymnasium.Env[str, str]):
    """Episodes in which a policy types, one tool at a time, and reads what comes back.

    An action is a line such as `kubectl get pods -n shop`, or JSON with a tool and its arguments;
    the first observation tells the tools. The reward is 0 until the end, then what the verdict is
    worth. An episode is terminated when everything was handed in, truncated when the budget was
    used up, or when the world was not right (`info["counts"]` is False then).

    Args:
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems.
        seeds: Of the worlds. Each problem is played in each.
        max_steps: Most actions of an episode.
        mode: How episodes are put to the policy.
        rollouts: To share plugins and checkpoints with other environments; None for own ones.
        render_mode: `ansi`, or None.

    Raises:
        UsageError: There is no such problem, suite or mode.
    """

    # Not declared for the class: Gymnasium says that it is an instance's.
    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        problems: Iterable[str] = (),
        *,
        suite: str = "",
        seeds: Iterable[int] = (0,),
        max_steps: int = 30,
        mode: str = "standard",
        rollouts: Rollouts | None = None,
        render_mode: str | None = None,
    ) -> None:
        budget = Budget(steps=max_steps)
        self.rollouts = rollouts or Rollouts(mode=mode, budget=budget, agent="gymnasium")
        self.tasks = rollout_tasks(
            problems, suite=suite, seeds=seeds, workspace=self.rollouts.workspace
        )
        self.action_space = AnyText(LONGEST)
        self.observation_space = AnyText(LONGEST)
        self.render_mode = render_mode
        self._shared = rollouts is not None
        self._rollout: Rollout | None = None
        self._shown: list[str] = []

    @property
    def rollout(self) -> Rollout:
        """The rollout that is played.

        Raises:
            ResetNeeded: None was begun.
        """
        if self._rollout is None:
            raise gymnasium.error.ResetNeeded("no episode was begun; call reset() first")
        return self._rollout

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: Of the draws of tasks: which problem is played, in the world of which seed.
            options: `task` names the one to play, as `PROBLEM@SEED`, instead of a draw.

        Raises:
            UsageError: The task is none.
            WorldError: The world was not right.
        """
        super().reset(seed=seed)
        self._drop()
        named = (options or {}).get("task")
        drawn = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        task = drawn if named is None else RolloutTask.named(str(named))
        self._rollout = rollout = self.rollouts.start(task)
        text = rollout.prompt
        self._shown = [text]
        return text, {"task": task.id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Do what the policy typed."""
        seen = self.rollout.act(action)
        self._shown += [f"> {action}", seen.text]
        return seen.text[:LONGEST], *ended(seen)

    def render(self) -> str | None:
        """All that was typed and read, in mode `ansi`."""
        return "\n".join(self._shown) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Give up what is open; checkpoints that others share stay."""
        self._drop()
        if not self._shared:
            self.rollouts.close()

    def _drop(self) -> None:
        if self._rollout is not None:
            self._rollout.drop()
        self._rollout = None


def ended(seen: RolloutStep) -> tuple[float, bool, bool, dict[str, Any]]:
    """Reward, whether terminated, whether truncated, and info of a step."""
    info: dict[str, Any] = {"ok": seen.ok, "at_s": seen.at_s}
    result = seen.result
    if result is None:
        return seen.reward, False, False, info
    counts = result.reward is not None
    truncated = bool(result.record.stopped) or not counts
    info |= {
        "counts": counts,
        "outcome": result.outcome,
        "reason": result.reason,
        "success": result.outcome == "pass",
        "metrics": dict(result.metrics),
    }
    return seen.reward, not truncated, truncated, info
