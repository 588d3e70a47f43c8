"""A recorded episode played again: its world is rebuilt call by call, and compared with the record.

Simulated worlds are deterministic: the same problem, seed and salt and the same calls at the same
moments make the same world. What each call answers is compared with what it answered then, so that
another world is not taken for that of the episode.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.api import Environment
from sregym_core.errors import BudgetExceededError, UsageError, WorldError
from sregym_core.interfaces import Command, CommandRefusedError
from sregym_core.model import Claims
from sregym_kubernetes.command_lines import parse

if TYPE_CHECKING:
    from sregym_core.api import Workspace
    from sregym_core.interfaces import Session
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import EpisodeRecord, Problem, ToolCall

    from sregym_runs.recorded import Recorded

# Every so many steps a fork is kept, from which steps back are played again.
_KEPT_EVERY = 16
# How `Command` writes down what is piped in.
_HERE, _END = " <<'EOF'\n", "\nEOF"


@dataclass(frozen=True)
class ReplayedStep:
    """One call of a transcript, then and now.

    Attributes:
        number: From 1.
        recorded: As it was.
        replayed: As it came out this time; None where it was not made again, being a tool of the
            agent's own or behind the end of the budget.
        same: Whether both answers are the same, byte by byte.
    """

    number: int
    recorded: ToolCall
    replayed: ToolCall | None
    same: bool


class Replay:
    """Steps through a recorded episode, forwards and backwards.

    Nothing is done before the first `go_to`, `step` or `fork`. Used as a context manager it gives
    its worlds back at the end. Not safe for several threads.

    Args:
        recorded: The episode.
        problem: What was played, where that is no problem of an installed plugin.
        workspace: As for `Environment`.

    Attributes:
        problem: What was played.
        steps: Those that were played again, in order, each once.

    Raises:
        UsageError: The episode's world cannot be rebuilt: it was on a real cluster, processes
            outside acted in it, or it ended before its agent began.
    """

    def __init__(
        self,
        recorded: Recorded,
        problem: Problem | None = None,
        workspace: Workspace | None = None,
    ) -> None:
        from sregym_core.api.workspace import shared

        self.recorded = recorded
        self.steps: list[ReplayedStep] = []
        self._workspace = workspace or shared()
        if why := self.why_not(recorded.record, self._workspace):
            raise UsageError(why)
        known = problem or self._workspace.factory.problems.get(recorded.record.problem)
        self.problem = recorded.problem(known)
        self._kept: dict[int, Environment] = {}
        self._environment: Environment | None = None
        self._found: dict[str, KubeObject] | None = None
        self._at = 0

    @staticmethod
    def why_not(record: EpisodeRecord, workspace: Workspace) -> str:
        """Why the world of an episode cannot be rebuilt; empty where it can."""
        name = f"episode {record.episode!r}"
        if not workspace.factory.provider(record.cluster).simulated:
            return f"{name} was played on cluster {record.cluster!r}, whose worlds cannot be rebuilt; only its record can be looked at"
        if any(entry.event == "SessionOpened" for entry in record.timeline):
            return f"{name} was open to processes outside, and its record does not hold what they did to the API; its world cannot be rebuilt"
        if not any(entry.event == "AgentStarted" for entry in record.timeline):
            return (
                f"{name} ended before its agent began: {record.reason}; there is nothing to replay"
            )
        return ""

    @property
    def length(self) -> int:
        """How many calls the transcript has."""
        return len(self.recorded.record.transcript)

    @property
    def at(self) -> int:
        """After how many calls the world stands; 0 before the first."""
        return self._at

    @property
    def environment(self) -> Environment:
        """The world after `at` calls. What is done in it shows in later steps: take `fork`."""
        return self._begun()

    @property
    def mismatches(self) -> tuple[ReplayedStep, ...]:
        """Steps whose answers differ from what was recorded."""
        return tuple(step for step in self.steps if not step.same)

    def step(self) -> ReplayedStep:
        """Play the next call again.

        Raises:
            UsageError: There is none.
        """
        environment = self._begun()
        if self._at >= self.length:
            msg = f"episode {self.recorded.record.episode!r} has {self.length} steps, and all were played again"
            raise UsageError(msg)
        call = self.recorded.record.transcript[self._at]
        replayed = _again(environment, call)
        same = call.own or (replayed is not None and replayed.digest == call.digest)
        self._at += 1
        step = ReplayedStep(self._at, call, replayed, same)
        if self._at > len(self.steps):
            self.steps.append(step)
        if self._at % _KEPT_EVERY == 0 and self._at not in self._kept:
            self._kept[self._at] = environment.fork()
        return step

    def go_to(self, number: int) -> None:
        """Let the world stand after so many calls.

        Raises:
            UsageError: There are not so many.
        """
        if not 0 <= number <= self.length:
            msg = f"episode {self.recorded.record.episode!r} has steps 0 to {self.length}, and no step {number}"
            raise UsageError(msg)
        self._begun()
        if number < self._at:
            before = max(place for place in self._kept if place <= number)
            self._leave()
            self._environment, self._at = self._kept[before].fork(), before
        while self._at < number:
            self.step()

    def fork(self) -> Environment:
        """An environment of its own after `at` calls, in which anybody can play on."""
        return self._begun().fork()

    def changed(self) -> tuple[str, ...]:
        """What differs from the world that the agent found, one phrase an object.

        What controllers make and status are left out.
        """
        after, namespaces = self._begun().cluster, self._kept[0].session.namespaces
        if self._found is None:
            self._found = self._kept[0].cluster.operations.capture(namespaces)
        return tuple(
            after.operations.differences(self._found, after.operations.capture(namespaces))
        )

    def end(self) -> None:
        """Let the agent's part end at the moment at which it ended, after the last call."""
        self.go_to(self.length)
        timeline = self.recorded.record.timeline
        stopped = [entry.at_s for entry in timeline if entry.event == "AgentStopped"]
        for at_s in stopped[:1]:
            _until(self._begun(), at_s)

    def close(self) -> None:
        """Give back all worlds."""
        self._leave()
        for kept in self._kept.values():
            kept.__exit__(None, None, None)
        self._kept.clear()
        self._at = 0

    def __enter__(self) -> Replay:
        """Itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close it."""
        self.close()

    def _leave(self) -> None:
        environment, self._environment = self._environment, None
        if environment is not None:
            environment.__exit__(None, None, None)

    def _begun(self) -> Environment:
        if self._environment is not None:
            return self._environment
        record = self.recorded.record
        environment = Environment(
            self.problem,
            seed=record.seed,
            salt=record.salt or None,
            mode=record.mode,
            cluster=record.cluster,
            cluster_options=self.recorded.options or {},
            start_before_s=record.start_before_s,
            budget=self.recorded.budget,
            episode=record.episode,
            attempt=record.attempt,
            workspace=self._workspace,
        )
        try:
            environment.reset()
        except WorldError as error:
            msg = f"problem {record.problem!r} cannot be played again: {error}"
            raise UsageError(msg) from error
        self._kept[0] = environment.fork()
        self._environment = environment
        return environment


def _again(environment: Environment, call: ToolCall) -> ToolCall | None:
    """Make a call again, at its moment; None where it cannot be made."""
    before = len(environment.transcript)
    if call.said:
        environment.session.note_message(call.said)

    def act(session: Session) -> None:
        _make(session, call)
        _until(environment, call.at_s)

    try:
        environment.act(act)
    except (UsageError, BudgetExceededError):
        return None
    calls = environment.transcript
    return calls[-1] if len(calls) > before else None


def _make(session: Session, call: ToolCall) -> None:
    given = call.arguments
    if call.own:
        session.note_own_call(call.tool, given, call.output, call.ok)
    elif call.tool == "submit" and "stage" in given:
        claims = given.get("claims")
        known = None if claims is None else Claims.model_validate_json(claims)
        session.submit(str(given.get("text", "")), known)
    elif call.tool == "wait" and set(given) == {"seconds"}:
        session.wait(float(given["seconds"]))
    elif call.tool == "kubectl" and set(given) == {"command"}:
        command = as_command(str(given["command"]))
        if isinstance(command, str):
            session.call("kubectl", {"command": command})
        else:
            session.kubectl(command)
    else:
        session.call(call.tool, given)


def as_command(text: str) -> str | Command:
    """What a recorded line of kubectl was: a text as typed, or a program's arguments.

    Words are recorded as a shell would need them, with what is piped in as a here-document.
    """
    head, here, rest = text.partition(_HERE)
    if here and rest.endswith(_END):
        return Command(tuple(shlex.split(head)), rest.removesuffix("EOF"))
    try:
        parse(text)
    except CommandRefusedError:
        return text
    if "\n" not in text:
        return text
    words = shlex.split(text)
    return Command(tuple(words if words[:1] == ["kubectl"] else ["kubectl", *words]))


def _until(environment: Environment, at_s: float) -> None:
    behind = at_s - environment.at_s
    # Moments in records are rounded to a millisecond.
    if behind > 0.001:
        environment.session.clock.advance(behind)
