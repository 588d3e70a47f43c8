"""The log of the calls of a session: what was done, what it cost, and what is left of the budget."""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NoReturn, TypeVar

from sregym_core.errors import BudgetExceededError
from sregym_core.events import ToolCalled
from sregym_core.interfaces import run_with_deadline
from sregym_core.model import Tokens, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.conductor.timeline import Timeline
    from sregym_core.interfaces import Budget

R = TypeVar("R")
OUTPUT_CAP = 16_000


@dataclass(frozen=True)
class Note:
    """A call as the session reports it, before the log adds moments and digests."""

    tool: str
    arguments: Mapping[str, object]
    output: str = ""
    exit_code: int | None = None
    cost_s: float = 0.0
    ok: bool = True
    own: bool = False


class CallLog:
    """Keeps the calls of one session and its limits.

    Args:
        timeline: Whose clock counts, and where calls are recorded.
        budget: The limits.
    """

    def __init__(self, timeline: Timeline, budget: Budget) -> None:
        self.calls: list[ToolCall] = []
        self.budget = budget
        self.tokens: Tokens | None = None
        self._timeline = timeline
        self.start()
        self._fresh_tokens: Tokens | None = None
        self._said: list[str] = []

    def fork(self, timeline: Timeline) -> CallLog:
        """An equal one that goes on by itself."""
        twin = copy(self)
        twin.calls = list(self.calls)
        twin._timeline = timeline
        twin._said = list(self._said)
        return twin

    @property
    def said(self) -> str:
        """Text of the agent since its last call, cut at the cap of an output."""
        return "\n\n".join(self._said)[:OUTPUT_CAP]

    def hear(self, text: str) -> None:
        """Note text of the agent."""
        if text.strip():
            self._said.append(text.strip())

    def start(self) -> None:
        """The agent's time begins now."""
        self._began_s = self._timeline.at_s()
        self._wall_began = time.monotonic()
        self._call_began = self._wall_began

    def begin(self) -> None:
        """A call begins."""
        self._call_began = time.monotonic()

    def check(self) -> None:
        """A call that counts begins.

        Raises:
            BudgetExceededError: It may not.
        """
        self.begin()
        self.check_steps(1)
        self.check_time()

    def check_steps(self, more: int = 0) -> None:
        """Calls were made, and so many more are to come.

        Raises:
            BudgetExceededError: They are more than there may be.
        """
        steps = self.budget.steps
        if steps is not None and len(self.calls) + more > steps:
            msg = f"the budget of {steps} tool calls is used up"
            raise BudgetExceededError(msg)

    def check_time(self) -> None:
        """Time passes.

        Raises:
            BudgetExceededError: There is none left, or no tokens.
        """
        limit_s = self.budget.episode_s
        if limit_s is not None and self._used_s() > limit_s:
            msg = f"the budget of {limit_s:g} episode seconds is used up"
            raise BudgetExceededError(msg)
        left_s = self.wall_left_s()
        if left_s is not None and left_s <= 0:
            out_of_time(self.budget)
        self._check_tokens()

    def wall_left_s(self) -> float | None:
        """Wall-clock seconds that are left; None when there is no such limit."""
        limit_s = self.budget.wall_s
        return None if limit_s is None else limit_s - (time.monotonic() - self._wall_began)

    def in_time(self, work: Callable[[], R]) -> R:
        """Do it, but not for longer than the wall-clock time lasts.

        Raises:
            BudgetExceededError: It took longer.
        """
        left_s = self.wall_left_s()
        return (
            work()
            if left_s is None
            else run_with_deadline(work, left_s, lambda: out_of_time(self.budget))
        )

    def spend_tokens(self, used: Tokens) -> None:
        """Count tokens.

        Raises:
            BudgetExceededError: They are more than there were.
        """
        self.tokens = _sum(self.tokens, used)
        self._fresh_tokens = _sum(self._fresh_tokens, used)
        self._check_tokens()

    def note(self, note: Note) -> None:
        """Record a call that ended now."""
        wall = time.monotonic()
        call = ToolCall(
            at_s=self._timeline.at_s(),
            tool=note.tool,
            arguments=dict(note.arguments),
            exit_code=note.exit_code,
            output=note.output[:OUTPUT_CAP],
            truncated=len(note.output) > OUTPUT_CAP,
            digest=blake2b(
                note.output.encode(errors="surrogateescape"), digest_size=16
            ).hexdigest(),
            cost_s=note.cost_s,
            wall_s=round(wall - self._wall_began, 3),
            took_s=round(wall - self._call_began, 6),
            tokens=self._fresh_tokens,
            ok=note.ok,
            said=self.said,
            own=note.own,
        )
        self._fresh_tokens = None
        self._said.clear()
        self.calls.append(call)
        if note.tool != "submit":
            summary = str(next(iter(note.arguments.values()), ""))[:200]
            self._timeline.record(
                ToolCalled(tool=note.tool, summary=summary, exit_code=note.exit_code)
            )

    def left(self) -> list[str]:
        """What is left of the budget, a line each; nothing for what has no limit."""
        budget = self.budget
        lines = []
        if budget.episode_s is not None:
            left_s = max(0.0, budget.episode_s - self._used_s())
            lines.append(f"time left: {left_s:.0f} of {budget.episode_s:g} s")
        if budget.steps is not None:
            left = max(0, budget.steps - len(self.calls) - 1)
            lines.append(f"tool calls left after this: {left} of {budget.steps}")
        if budget.tokens is not None:
            used = self.tokens.total if self.tokens else 0
            lines.append(f"tokens left: {max(0, budget.tokens - used)} of {budget.tokens}")
        return lines

    def _used_s(self) -> float:
        return self._timeline.at_s() - self._began_s

    def _check_tokens(self) -> None:
        limit = self.budget.tokens
        if limit is not None and self.tokens is not None and self.tokens.total > limit:
            msg = f"the budget of {limit} tokens is used up"
            raise BudgetExceededError(msg)


def out_of_time(budget: Budget) -> NoReturn:
    """Raise that the wall-clock time is used up."""
    msg = f"the budget of {budget.wall_s:g} wall-clock seconds is used up"
    raise BudgetExceededError(msg)


def _sum(tokens: Tokens | None, used: Tokens) -> Tokens:
    before = tokens or Tokens()
    return Tokens(
        prompt=before.prompt + used.prompt,
        completion=before.completion + used.completion,
        cached=before.cached + used.cached,
    )
