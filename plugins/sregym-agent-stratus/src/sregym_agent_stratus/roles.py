"""The agents of the machine that think: each a conversation of its own with a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_agents.language_model import converse, model_tool, text_of
from sregym_core.interfaces import Tool, ToolGroup, ToolResult

if TYPE_CHECKING:
    from pydantic_ai import Agent as Conversation
    from pydantic_ai.models import Model
    from sregym_core.interfaces import Session

Call = Callable[[str, Mapping[str, object]], ToolResult]

# How often a model that stops without a conclusion is asked for one.
REMINDERS = 2
CONCLUDE = Tool(
    name="conclude",
    group=ToolGroup.SUBMISSION,
    description="Hand over what you found or did. Your part is over with it.",
    parameters={
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What you found or did, for your colleagues."}
        },
        "required": ["text"],
        "additionalProperties": False,
    },
    reads_only=True,
)
_ENOUGH = "your steps are used up: call conclude now with what you know"
_REMINDER = "Go on, or call conclude with what you have."

DETECTION = """\
You watch over a system together with colleagues. Decide whether there is an incident: something that
users suffer from, or soon will. You may look at everything and change nothing. Conclude with
"incident: " and what you saw, or with "no incident".\
"""
DIAGNOSIS = """\
You find root causes; a colleague repairs what you find. You may look at everything and change
nothing. Begin with what is failing, follow its dependencies to where the failure starts, and look at
the configuration there. Conclude with the diagnosis: the component that is responsible, what exactly
is wrong with it and what it should be, which other components are involved or suffer, and what users
see.\
"""
MITIGATION = """\
You repair a system whose defect a colleague has diagnosed. Change as little as possible, and the
cause rather than its symptoms. Check each command's answer. What you change is put back if the system
is not better afterwards. Do not submit anything. Conclude with what you changed.\
"""


@dataclass
class Role:
    """One agent at one task.

    Attributes:
        brief: What it is and what it must hand over.
        steps: How many tool calls it has.
        call: Does what it asks for.
        concluded: What it handed over.
    """

    brief: str
    steps: int
    call: Call
    concluded: str | None = None

    async def play(self, session: Session, model: Model | str, prompt: str) -> str:
        """What it hands over, in words; its last words when it does not."""
        from pydantic_ai import Agent as Conversation

        offered = [tool for tool in session.tools if tool.group is not ToolGroup.SUBMISSION]
        tools = [model_tool(tool, self._use) for tool in [*offered, CONCLUDE]]
        conversation: Conversation[None, str] = Conversation(
            model, tools=tools, instructions=self.brief
        )
        said: list[Any] = []
        for _ in range(1 + REMINDERS):
            said = await converse(
                session, conversation, prompt, said, lambda: self.concluded is not None
            )
            if self.concluded is not None:
                return self.concluded
            prompt = _REMINDER
        return text_of(said[-1]) if said else ""

    def _use(self, tool: str, arguments: Mapping[str, object]) -> ToolResult:
        if tool == CONCLUDE.name:
            self.concluded = str(arguments.get("text", ""))
            return ToolResult("handed over")
        if self.steps <= 0:
            return ToolResult(_ENOUGH, ok=False)
        self.steps -= 1
        return self.call(tool, arguments)
