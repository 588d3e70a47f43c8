"""Rollouts: episodes as trainers and evaluation harnesses play them, many and in text.

    rollouts = Rollouts(budget=Budget(steps=20))
    rollout = rollouts.start(RolloutTask("wrong_service_selector_hotel_reservation", seed=7))
    step = rollout.act("kubectl get endpoints -n hotel-reservation")
    while not step.done:
        step = rollout.act(policy(step.text))
    print(step.result.reward)

What adapters of training libraries have in common stands here once.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sregym_core.api.environment import Environment
from sregym_core.api.errors import EpisodeOverError
from sregym_core.api.task import described
from sregym_core.api.workspace import Workspace
from sregym_core.errors import UsageError

from sregym_rollouts.actions import Action, parse_action, tools_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType

    from sregym_core.api.task import Observation, TaskDescription
    from sregym_core.interfaces import Budget
    from sregym_core.model import EpisodeRecord, ToolCall

_PASS, _FAIL = "pass", "fail"


@dataclass(frozen=True)
class RolloutTask:
    """What a rollout plays: a problem in the world of a seed.

    Attributes:
        problem: Id of the problem.
        seed: Of the world.
    """

    problem: str
    seed: int = 0

    @property
    def id(self) -> str:
        """A name that stays the same from release to release: `PROBLEM@SEED`."""
        return f"{self.problem}@{self.seed}"

    @classmethod
    def named(cls, name: str) -> RolloutTask:
        """The task with that id; without a seed it is 0.

        Raises:
            UsageError: What follows the last `@` is no seed.
        """
        problem, _, seed = name.rpartition("@") if "@" in name else (name, "", "0")
        if not seed.isdecimal() or not problem:
            msg = f"task {name!r}: PROBLEM@SEED is needed, with a whole number as seed"
            raise UsageError(msg)
        return cls(problem, int(seed))


@dataclass(frozen=True)
class RolloutResult:
    """How a rollout ended. For the trainer: a policy sees nothing of it.

    Attributes:
        reward: From 0 to 1; None when the world was not right, or nothing could be decided, and the
            rollout counts for nothing.
        outcome: `pass`, `fail`, `error` ...
        reason: Why, in one sentence; it names the defect.
        metrics: Numbers by name: `diagnosis` and `mitigation` are 1 or 0, `steps`, `seconds`.
        record: All of it.
    """

    reward: float | None
    outcome: str
    reason: str
    metrics: Mapping[str, float]
    record: EpisodeRecord = field(repr=False)

    def trajectory(self) -> dict[str, Any]:
        """All that the policy did, in ATIF (Agent Trajectory Interchange Format)."""
        from sregym_rollouts.atif import trajectory

        return trajectory(self.record)


@dataclass(frozen=True)
class RolloutStep:
    """What an action gave back.

    Attributes:
        text: For the policy to read.
        ok: False when the call was refused or failed.
        at_s: Seconds on the episode's clock after the step.
        done: Whether the rollout is over; it is graded then.
        reward: Of this step: 0 until the last, whose reward is that of the rollout.
        result: How it ended, None before.
    """

    text: str
    ok: bool
    at_s: float
    done: bool
    reward: float = 0.0
    result: RolloutResult | None = field(default=None, compare=False)


def outcome_reward(record: EpisodeRecord) -> float | None:
    """1 for a pass, 0 for a fail, None where there is neither: the verdict and no more."""
    return {_PASS: 1.0, _FAIL: 0.0}.get(str(record.outcome))


def rollout_tasks(
    problems: Iterable[str] = (),
    *,
    suite: str = "",
    seeds: Iterable[int] = (0,),
    workspace: Workspace | None = None,
) -> tuple[RolloutTask, ...]:
    """Problems in the worlds of seeds: all problems with the first seed, then with the next.

    Args:
        problems: Ids; none for those of the suite.
        suite: Name of a suite; empty for all problems that there are.
        seeds: Of the worlds.
        workspace: As for `Environment`.

    Raises:
        UsageError: There is no such problem or suite, or no seed was given.
    """
    from sregym_core.api.catalogue import problems as listed
    from sregym_core.api.workspace import shared

    place = workspace or shared()
    names = [place.problem(name).id for name in problems]
    if not names:
        names = [one.id for one in listed(suite=suite, workspace=place)]
    found = tuple(RolloutTask(name, seed) for seed in seeds for name in names)
    if not found:
        raise UsageError("rollout_tasks: no seeds were given; give at least one, e.g. seeds=[0]")
    return found


class Rollouts:
    """Where rollouts come from: one set of plugins and of checkpoints for all of them.

    A problem that was broken before with the same seed is there again in milliseconds. Rollouts
    may be started and played from several threads: one works at a time, as there is one
    interpreter; processes are the way to use more processors.

    Args:
        mode: How episodes are put to the policy.
        budget: Limits of each rollout; None for those of `sregym run`.
        noise: Names of sources of noise; None for those of the problem.
        reward: What a record is worth, or None where it counts for nothing.
        agent: Who acts, for the records.
        workspace: Plugins and worlds to use; None for new ones.
    """

    def __init__(
        self,
        *,
        mode: str = "standard",
        budget: Budget | None = None,
        noise: Sequence[str] | None = None,
        reward: Callable[[EpisodeRecord], float | None] = outcome_reward,
        agent: str = "policy",
        workspace: Workspace | None = None,
    ) -> None:
        self.mode, self.budget, self.noise, self.reward = mode, budget, noise, reward
        self.agent = agent
        self.workspace = workspace or Workspace()
        self._lock = threading.RLock()

    def start(self, task: RolloutTask) -> Rollout:
        """Begin a rollout.

        Raises:
            UsageError: There is no such problem or mode.
            WorldError: The world was not right.
        """
        from sregym_core.interfaces import AgentDescription

        with self._lock:
            environment = Environment(
                task.problem,
                seed=task.seed,
                mode=self.mode,
                budget=self.budget,
                noise=self.noise,
                agent=AgentDescription(self.agent),
                episode=task.id,
                workspace=self.workspace,
            )
            description = environment.reset()
            return Rollout(task, description, environment, self.reward, self._lock)

    def instruction(self, task: RolloutTask) -> str:
        """What a policy is told of a task, without a world being made."""
        from sregym_core.api.catalogue import instruction

        with self._lock:
            return instruction(task.problem, self.mode, workspace=self.workspace)

    def tools(self) -> tuple[Mapping[str, Any], ...]:
        """The tools of every rollout, as in a `TaskDescription`."""
        return tuple(map(described, self.workspace.factory.toolset.tools()))

    def reference(self, task: RolloutTask) -> tuple[Action, ...]:
        """What solves a task: the calls of agent `expert`, who knows the answer.

        For checks of a harness (a reference solution must earn the full reward); never for a
        policy.

        Raises:
            UsageError: Agent `expert` is not installed, or did not solve the task.
        """
        from sregym_core.api.playing import play

        with self._lock:
            record = play(
                task.problem, "expert", seed=task.seed, mode=self.mode, workspace=self.workspace
            )
        if record.outcome != _PASS:
            raise UsageError(f"task {task.id!r}: agent 'expert' did not solve it: {record.reason}")
        return tuple(_call(call) for call in record.transcript if not call.own)

    def __deepcopy__(self, memo: dict[int, Any]) -> Rollouts:
        """Itself: libraries copy the options of environments, and these are to share it."""
        return self

    def close(self) -> None:
        """Forget all checkpoints."""
        with self._lock:
            self.workspace.close()

    def __enter__(self) -> Rollouts:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class Rollout:
    """One episode, played to its end by text or by calls; made by `Rollouts.start`.

    Attributes:
        task: What is played.
        description: What the policy is told, with the tools and their schemas.
        result: How it ended, None before.
    """

    def __init__(
        self,
        task: RolloutTask,
        description: TaskDescription,
        environment: Environment,
        reward: Callable[[EpisodeRecord], float | None],
        lock: threading.RLock,
    ) -> None:
        self.task, self.description = task, description
        self.result: RolloutResult | None = None
        self._environment, self._reward, self._lock = environment, reward, lock

    @property
    def instruction(self) -> str:
        """What a policy that calls tools is told."""
        return self.description.instruction.strip()

    @property
    def prompt(self) -> str:
        """What a policy that exchanges text is told: the instruction, and the tools."""
        return f"{self.instruction}\n\n{tools_text(self.description.tools)}"

    @property
    def done(self) -> bool:
        """Whether it is over."""
        return self.result is not None

    def act(self, text: str) -> RolloutStep:
        """Do what a policy said, as `parse_action` reads it.

        Raises:
            EpisodeOverError: The rollout is over.
        """
        action = parse_action(text, self.description.tools)
        return self.call(action.tool, action.arguments)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> RolloutStep:
        """Use a tool; what is wrong with the call is said in the step, which counts.

        Raises:
            EpisodeOverError: The rollout is over.
        """
        with self._lock:
            if self.result is not None:
                raise EpisodeOverError("call", "the rollout was graded")
            seen = self._environment.call(tool, arguments)
            if not seen.done:
                return _step(seen, None)
            return _step(seen, self.finish())

    def finish(self) -> RolloutResult:
        """Grade it as it stands, and give the world back; once more the same when called twice."""
        with self._lock:
            if self.result is None:
                record = self._environment.close()
                self.result = RolloutResult(
                    self._reward(record),
                    str(record.outcome),
                    record.reason,
                    metrics(record),
                    record,
                )
            return self.result

    def fork(self) -> Rollout:
        """An equal rollout at this moment, which goes on by itself.

        Raises:
            NoEpisodeError: The rollout is over.
        """
        with self._lock:
            twin = self._environment.fork()
            return Rollout(self.task, self.description, twin, self._reward, self._lock)

    def drop(self) -> None:
        """Give it up without grading; nothing happens when it is over."""
        with self._lock:
            if self.result is None:
                self._environment.__exit__(None, None, None)


def metrics(record: EpisodeRecord) -> dict[str, float]:
    """Numbers of a record by name, for tables of trainers and harnesses.

    `diagnosis` and `mitigation` are 1 or 0 and there where that stage was judged; `steps` counts
    calls, `seconds` those on the episode's clock until the last submission.
    """
    stages = {"diagnosis": record.diagnosis, "mitigation": record.mitigation}
    judged = {
        name: float(stage.verdict.outcome == _PASS)
        for name, stage in stages.items()
        if stage is not None
    }
    times = [seconds for seconds in (record.ttd_s, record.ttm_s) if seconds is not None]
    ends = {"seconds": max(times)} if times else {}
    return {**judged, "steps": float(record.steps), **ends}


def _call(call: ToolCall) -> Action:
    """A recorded call as it is made again: the record tells more of some than was given."""
    if call.tool == "submit":
        return Action("submit", {"text": call.arguments["text"]})
    if call.tool == "kubectl":
        command = str(call.arguments["command"]).strip()
        return Action("kubectl", {**call.arguments, "command": command.removeprefix("kubectl ")})
    return Action(call.tool, dict(call.arguments))


def _step(seen: Observation, result: RolloutResult | None) -> RolloutStep:
    reward = 0.0 if result is None else result.reward or 0.0
    return RolloutStep(seen.text, seen.ok, seen.at_s, seen.done, reward, result)
