"""The agent `react`: thinks and acts in turns, in the session's own thread."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_agents.language_model import LanguageModel, converse, model_tool
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai import Agent as Conversation
    from sregym_core.interfaces import Session

# How often a model that stops too early is asked to go on.
REMINDERS = 3


class React(Agent):
    """Runs `--agent-option model=...` with the tools of the session until all is handed in."""

    name: ClassVar[str] = "react"
    accepts: ClassVar[tuple[str, ...] | None] = LanguageModel.OPTIONS

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._model = LanguageModel.of(self.name, self.options)

    def missing(self) -> str:
        """The key of the model's provider, if it is not set."""
        return self._model.missing(self.options)

    def run(self, session: Session) -> None:
        """Let the model act."""
        asyncio.run(self._run(session))

    async def _run(self, session: Session) -> None:
        from pydantic_ai import Agent as Conversation

        tools = [model_tool(tool, session.call) for tool in session.tools]
        async with self._model.opened() as model:
            conversation: Conversation[None, str] = Conversation(model, tools=tools)
            said: list[Any] = []
            prompt = session.instruction
            for _ in range(1 + REMINDERS):
                said = await converse(session, conversation, prompt, said, lambda: _done(session))
                if _done(session):
                    return
                prompt = _reminder(session)


def _done(session: Session) -> bool:
    return session.stage is Stage.DONE


def _reminder(session: Session) -> str:
    """What to say to a model that stopped before all was handed in."""
    if session.task.watching and session.stage is Stage.DIAGNOSIS:
        return "You have not reported an incident yet. Go on watching; call submit when you are sure of one."
    if session.stage is Stage.DIAGNOSIS:
        return "You have not submitted a diagnosis yet. Go on with the tools, then call submit."
    received = "The diagnosis was received. " if len(session.task.submissions) > 1 else ""
    again = " once more" if received else ""
    return f"{received}Repair the cause with kubectl, then call submit{again}."
