"""What an environment gives to its caller: the task at the beginning, an observation for each step."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.api.errors import ToolArgumentError, UnknownToolError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.conductor.session import LiveSession
    from sregym_core.interfaces.agent import Budget, Session
    from sregym_core.interfaces.tools import Tool
    from sregym_core.model import Claims


@dataclass(frozen=True)
class TaskDescription:
    """What an agent receives when an episode begins.

    Attributes:
        instruction: The text.
        tools: One mapping for each tool: `name`, `description`, `parameters` (a JSON Schema of an
            object) and `reads_only` (it changes nothing but the time that passes).
        alerts: The alerts that fired, as a payload of Alertmanager's webhook; None where the mode
            reports none.
        namespaces: Namespaces of the application.
        mode: Name of the mode.
        submissions: The stages that are handed in, in order: `diagnosis`, `mitigation`.
        budget: Limits of the episode.
    """

    instruction: str
    tools: tuple[Mapping[str, Any], ...]
    alerts: Mapping[str, Any] | None
    namespaces: tuple[str, ...]
    mode: str
    submissions: tuple[str, ...]
    budget: Budget

    @classmethod
    def of(cls, session: Session) -> TaskDescription:
        """That of a session."""
        tools = tuple(map(described, session.tools))
        task = session.task
        submissions = tuple(map(str, task.submissions))
        return cls(
            session.instruction,
            tools,
            session.alerts,
            session.namespaces,
            task.mode,
            submissions,
            session.budget,
        )


def described(tool: Tool) -> Mapping[str, Any]:
    """A tool as `TaskDescription` lists it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "reads_only": tool.reads_only,
    }


@dataclass(frozen=True)
class Observation:
    """What a step gave back.

    Attributes:
        text: For an agent to read; one page of it where it is long, with a note about it.
        ok: False when the call was refused or failed; `text` says why.
        at_s: Seconds on the episode's clock after the step.
        done: Whether the agent's part is over: everything was handed in, or the budget is used up.
        page: Which page of a long answer this is, from 1.
        pages: How many there are.
        reward: What the environment's reward settles with this step; the rest of it comes at the
            end, so that all together are the total of the record. 0.0 where none was requested.
    """

    text: str
    ok: bool
    at_s: float
    done: bool
    page: int = 1
    pages: int = 1
    reward: float = 0.0


def check_call(session: LiveSession, tool: str, arguments: Mapping[str, object]) -> None:
    """Refuse a call that a tool does not take, before anything is done.

    Raises:
        UnknownToolError: There is no such tool.
        ToolArgumentError: It does not take these arguments.
    """
    from sregym_core.interfaces import ToolError

    names = sorted(one.name for one in session.tools)
    if tool not in names:
        raise UnknownToolError(tool, names, difflib.get_close_matches(tool, names, 3))
    try:
        session.toolset.validated(tool, arguments)
    except ToolError as error:
        raise ToolArgumentError("step", str(error)) from None


def claims_of(what: str, given: Claims | Mapping[str, Any] | None) -> Claims | None:
    """Claims from what a caller gave to a method; `what` is its name.

    Raises:
        ToolArgumentError: A field is none, or has another type.
    """
    from pydantic import ValidationError

    from sregym_core.model import Claims
    from sregym_core.model.validation import explain

    if given is None or isinstance(given, Claims):
        return given
    try:
        return Claims.model_validate(dict(given))
    except ValidationError as error:
        message = f"claims, {explain(error, Claims, given)}"
        raise ToolArgumentError(what, message) from error
