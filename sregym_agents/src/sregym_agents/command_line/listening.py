"""Output of a program becomes notes of the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_agents.command_line.agent_events import (
    AgentMessage,
    Failed,
    Introduced,
    OwnCallEnded,
    OwnCallStarted,
    Troubled,
    Used,
)
from sregym_agents.command_line.tail import Tail

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from sregym_core.interfaces import Session

    from sregym_agents.command_line.agent_events import AgentEvent, EventReader


class Listener:
    """Notes the events of one run of a program.

    Args:
        session: Where it is noted.
        reader: Understands the program.
        output: The file of its output.
        home: Its home, in which it may keep files of events.

    Attributes:
        last_words: The model's last text.
        failure: Why the program could not go on, as far as it reported it.
        trouble: What it struggles with at the moment; empty for nothing.
        understood: How many events meant something.
    """

    def __init__(self, session: Session, reader: EventReader, output: Path, home: Path) -> None:
        self.last_words = ""
        self.failure = ""
        self.trouble = ""
        self.understood = 0
        self._session = session
        self._reader = reader
        self._output = Tail(output)
        self._home = home
        self._kept: dict[Path, Tail] = {}
        self._open: dict[str, OwnCallStarted] = {}

    def look(self, ended: bool = False) -> None:
        """Note what is new.

        Raises:
            BudgetExceededError: The program has used more than there was.
        """
        for tail in self._kept_files():
            for event in tail.new():
                self._note(self._reader.read_kept(event))
        for event in self._output.new(ended):
            self._note(self._reader.read(event))

    def close(self) -> None:
        """The program has ended: note the rest."""
        self.look(ended=True)
        self._note(self._reader.close())
        for call in tuple(self._open):
            self._note([OwnCallEnded(call, "", ok=False)])

    @property
    def complaint(self) -> str:
        """What was wrong with its output; empty when nothing was."""
        tail = self._output
        if not tail.unread:
            return ""
        lines = "line" if tail.unread == 1 else "lines"
        return f"{tail.unread} {lines} of its output could not be read as events, the first: {tail.first_unread}"

    def _kept_files(self) -> Iterable[Tail]:
        if self._reader.kept:
            for path in sorted(self._home.glob(self._reader.kept)):
                self._kept.setdefault(path, Tail(path))
        return self._kept.values()

    def _note(self, events: Iterable[AgentEvent]) -> None:
        for event in events:
            self.understood += 1
            self.trouble = event.reason if isinstance(event, Troubled) else ""
            match event:
                case Introduced(version, model):
                    self._session.note_agent(version, model)
                case AgentMessage(text):
                    if text.strip():
                        self.last_words = text.strip()
                    self._session.note_message(text)
                case Used(tokens):
                    self._session.note_tokens(tokens.prompt, tokens.completion, tokens.cached)
                case OwnCallStarted():
                    self._open[event.call] = event
                case OwnCallEnded(call, output, ok):
                    began = self._open.pop(call, None)
                    if began is not None:
                        self._session.note_own_call(began.tool, began.arguments, output, ok)
                case Failed(reason):
                    self.failure = reason
