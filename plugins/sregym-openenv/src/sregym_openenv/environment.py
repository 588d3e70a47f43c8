"""The environment behind a session of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata
from sregym_core.errors import UsageError
from sregym_rollouts import function_schemas

from sregym_openenv.models import SregymAction, SregymObservation, SregymState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_rollouts import Rollout, Rollouts, RolloutTask


class SregymEnvironment(Environment[SregymAction, SregymObservation, SregymState]):
    """One session: an incident at a time.

    Tasks are told by split and number alone, since ids of problems say what is broken and a client that
    acts may ask the server for them.

    Args:
        rollouts: Where episodes come from; sessions share it.
        splits: The tasks by split.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, rollouts: Rollouts, splits: Mapping[str, tuple[RolloutTask, ...]]) -> None:
        super().__init__()
        self._rollouts, self._splits = rollouts, splits
        self._rollout: Rollout | None = None
        self._state = SregymState()
        self._begun = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> SregymObservation:
        """Begin an episode.

        Args:
            seed: Chooses a task of the split where no `index` is given; without either they are
                played in order.
            episode_id: Of the state; None for a new one.
            kwargs: `split` (`train` or `test`) and `index`.

        Raises:
            UsageError: There is no such split.
            IndexError: The split has no such task.
        """
        self.close()
        split = str(kwargs.get("split") or next(iter(self._splits)))
        number = kwargs.get("index")
        if number is None:
            number = (self._begun if seed is None else seed) % self.num_tasks(split)
        task = self._task(split, int(number))
        self._begun += 1
        self._rollout = rollout = self._rollouts.start(task)
        self._state = SregymState(
            episode_id=episode_id or str(uuid4()), step_count=0, split=split, index=int(number)
        )
        return SregymObservation(
            text=rollout.prompt, tools=function_schemas(rollout.description.tools), reward=0.0
        )

    def step(
        self, action: SregymAction, timeout_s: float | None = None, **kwargs: Any
    ) -> SregymObservation:
        """Do what the policy typed.

        Raises:
            UsageError: No episode was begun, or it is over.
        """
        if self._rollout is None:
            msg = (
                "step: no episode is open; reset first, on a WebSocket session: "
                "each HTTP request has an environment of its own"
            )
            raise UsageError(msg)
        seen = self._rollout.act(action.command)
        self._state.step_count += 1
        self._state.done = seen.done
        result = seen.result
        if result is None:
            return SregymObservation(text=seen.text, ok=seen.ok, at_s=seen.at_s, reward=0.0)
        told = {"outcome": result.outcome, "metrics": dict(result.metrics)}
        return SregymObservation(
            text=seen.text,
            ok=seen.ok,
            at_s=seen.at_s,
            done=True,
            reward=result.reward,
            metadata=told,
        )

    @property
    def state(self) -> SregymState:
        """Where the session stands."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What the environment is."""
        from importlib.metadata import version

        return EnvironmentMetadata(
            name="sregym",
            description="Incidents in a simulated Kubernetes system, to be diagnosed and repaired",
            version=version("sregym-openenv"),
            author="SREGym maintainers",
        )

    def close(self) -> None:
        """Give up what is open."""
        if self._rollout is not None:
            self._rollout.drop()
        self._rollout = None

    # ------------------------------------------------------------------ tasks

    def list_splits(self) -> list[dict[str, Any]]:
        """The splits."""
        return [{"name": name, "type": name} for name in self._splits]

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        return len(self._tasks(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The tasks of a split."""
        return self.get_task_range(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task, and what a policy is told of it."""
        task = self._task(split, index)
        return {
            "id": f"{split}-{index}",
            "index": index,
            "instruction": self._rollouts.instruction(task).strip(),
        }

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Tasks from one number up to another."""
        numbers = range(self.num_tasks(split))[start:stop]
        return [{"id": f"{split}-{index}", "index": index} for index in numbers]

    def _task(self, split: str, index: int) -> RolloutTask:
        tasks = self._tasks(split)
        if not 0 <= index < len(tasks):
            raise IndexError(f"split {split!r} has tasks 0 to {len(tasks) - 1}, and none {index}")
        return tasks[index]

    def _tasks(self, split: str) -> tuple[RolloutTask, ...]:
        if split not in self._splits:
            raise UsageError(f"no split {split!r}; there are: {', '.join(self._splits)}")
        return self._splits[split]
