"""A whole episode as it is told: each step with both answers and the world behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.errors import UsageError
from sregym_runs import Replay

from sregym_replay.world import WorldView, view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.api import Workspace
    from sregym_core.interfaces import Application
    from sregym_core.model import Problem, ToolCall
    from sregym_runs import Recorded, ReplayedStep


@dataclass(frozen=True)
class Moment:
    """One step and what came of it.

    Attributes:
        number: 0 is the world that the agent found.
        call: As recorded; None for 0.
        answer_now: What the call answers now, where that differs from the record; None where it does
            not.
        world: As it stood after the step; None where it cannot be rebuilt.
    """

    number: int
    call: ToolCall | None
    answer_now: str | None
    world: WorldView | None

    @property
    def same(self) -> bool:
        """Whether the answer is the recorded one."""
        return self.answer_now is None

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` promises."""
        call = self.call
        told: dict[str, Any] = {"number": self.number}
        if call is not None:
            told |= {
                "at_s": call.at_s,
                "tool": call.tool,
                "arguments": call.arguments,
                "said": call.said,
                "ok": call.ok,
                "answer": call.output,
                "same": self.same,
                "answer_now": self.answer_now,
            }
        told["world"] = None if self.world is None else self.world.as_json()
        return told


class Story:
    """An episode to be told.

    Args:
        recorded: The episode.
        problem: What was played, where that is no problem of an installed plugin.
        workspace: Loaded plugins.

    Attributes:
        replay: None where the world cannot be rebuilt.
        why_not: Why not; empty where it can.
    """

    def __init__(self, recorded: Recorded, problem: Problem | None, workspace: Workspace) -> None:
        self.recorded = recorded
        self.why_not = Replay.why_not(recorded.record, workspace)
        self.replay = None if self.why_not else Replay(recorded, problem, workspace)
        self._application: Application | None = None
        if self.replay is not None:
            name = self.replay.problem.application
            self._application = workspace.application(name)

    @property
    def length(self) -> int:
        """How many steps there are."""
        return len(self.recorded.record.transcript)

    def moment(self, number: int) -> Moment:
        """The episode after a step.

        Raises:
            UsageError: There is no such step.
        """
        if not 0 <= number <= self.length:
            msg = f"episode {self.recorded.record.episode!r} has steps 0 to {self.length}, and no step {number}"
            raise UsageError(msg)
        call = self.recorded.record.transcript[number - 1] if number else None
        if self.replay is None or self._application is None:
            return Moment(number, call, None, None)
        self.replay.go_to(number)
        step = self.replay.steps[number - 1] if number else None
        return Moment(number, call, _now(step), view(self.replay, self._application))

    def moments(self) -> Iterator[Moment]:
        """All of them, from the world that the agent found."""
        for number in range(self.length + 1):
            yield self.moment(number)


def _now(step: ReplayedStep | None) -> str | None:
    if step is None or step.same:
        return None
    if step.replayed is None:
        return "(it cannot be called any more: the agent's part is over)"
    return step.replayed.output
