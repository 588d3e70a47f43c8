"""One attempt at a repair: everything it changes can be put back, in reverse order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import CommandRefusedError, ToolResult
from sregym_kubernetes.command_lines import parse, reads_only, verb

from sregym_agent_stratus import snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Session

# How much one attempt may change before it is looked at.
MOST_WRITES = 20
_LIMIT = "this attempt has made its {count} changes: conclude, so that the system can be looked at"
_READ_ONLY = "you may look but change nothing: only the repair may"


@dataclass(frozen=True)
class Step:
    """One command that may have changed something, with what it changed."""

    command: str
    changes: tuple[snapshot.Change, ...]


def is_read_only(session: Session, tool: str, arguments: Mapping[str, object]) -> ToolResult:
    """A call of an agent that must not change anything; in containers it is trusted to look."""
    if tool == "kubectl" and _writes(arguments) and not _in_container(arguments):
        _note_refused(session, arguments, _READ_ONLY)
        return ToolResult(_READ_ONLY, ok=False)
    return session.call(tool, arguments)


class Transaction:
    """The calls of one attempt.

    Args:
        session: Where they are made.

    Attributes:
        steps: What may have changed something, in order.
    """

    def __init__(self, session: Session) -> None:
        self.steps: list[Step] = []
        self._session = session
        self._first: snapshot.Snapshot | None = None
        self._last: snapshot.Snapshot = {}

    def call(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        """Do it, and note what it changed."""
        if tool != "kubectl" or not _writes(arguments):
            return self._session.call(tool, arguments)
        if len(self.steps) >= MOST_WRITES:
            text = _LIMIT.format(count=MOST_WRITES)
            _note_refused(self._session, arguments, text)
            return ToolResult(text, ok=False)
        if self._first is None:
            self._first = self._last = snapshot.take(self._session)
        result = self._session.call(tool, arguments)
        now = self._last if _in_container(arguments) else snapshot.take(self._session)
        command = str(arguments.get("command", "")).partition("\n")[0]
        self.steps.append(Step(command, snapshot.changes(self._last, now)))
        self._last = now
        return result

    def told(self) -> list[str]:
        """What was done and what it changed, for the next attempt."""
        lines = []
        for step in self.steps:
            seen = "; ".join(map(str, step.changes)) or "nothing that is compared changed"
            lines.append(f"{step.command}  ({seen})")
        return lines

    def undo(self) -> list[str]:
        """Put everything back, the last change first; gives what could not be put back."""
        for step in reversed(self.steps):
            for change in reversed(step.changes):
                self._session.kubectl(change.undoing())
        if self._first is None:
            return []
        left = [
            str(change) for change in snapshot.changes(self._first, snapshot.take(self._session))
        ]
        inside = [step.command for step in self.steps if _ran_inside(step.command)]
        return left + [f"{command} (inside a container)" for command in inside]


def _note_refused(session: Session, arguments: Mapping[str, object], why: str) -> None:
    session.note_own_call("refuse", {"request": arguments.get("command", "")}, why, ok=False)


def _writes(arguments: Mapping[str, object]) -> bool:
    try:
        return not reads_only(parse(str(arguments.get("command", ""))))
    except CommandRefusedError:
        return False  # the session refuses it and says why


def _in_container(arguments: Mapping[str, object]) -> bool:
    return _ran_inside(str(arguments.get("command", "")).partition("\n")[0])


def _ran_inside(command: str) -> bool:
    try:
        return verb(parse(command))[:1] == ("exec",)
    except CommandRefusedError:
        return False
