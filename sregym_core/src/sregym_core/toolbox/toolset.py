"""All tools of a session by name, and how those that only observe are answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sregym_core.error_location import format_with_location, must_propagate
from sregym_core.errors import PluginError, SregymError
from sregym_core.interfaces import Tool, ToolArguments, ToolError, ToolGroup
from sregym_core.model.validation import explain
from sregym_core.toolbox import arguments
from sregym_core.toolbox.output import Output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import SessionTool, ToolContext

Observer = Callable[..., str]


@dataclass(frozen=True)
class _Entry:
    """A tool before its schema is made: `observe` is None where the session itself acts."""

    group: ToolGroup
    given: type[ToolArguments]
    description: str
    observe: Observer | None = None
    reads_only: bool = True


_ACTING: Mapping[str, _Entry] = {
    "kubectl": _Entry(
        ToolGroup.CLUSTER,
        arguments.Kubectl,
        "Run one kubectl command with the rights of an engineer on call and return what it prints.",
        reads_only=False,
    ),
    "wait": _Entry(
        ToolGroup.CLUSTER,
        arguments.Wait,
        "Let time pass, for a rollout or for new measurements.",
    ),
}
_SUBMITTING: Mapping[str, _Entry] = {
    "status": _Entry(
        ToolGroup.SUBMISSION,
        ToolArguments,
        "Say which submission comes next, what time it is and how much of the budget is left.",
    ),
    "submit": _Entry(
        ToolGroup.SUBMISSION,
        arguments.Submit,
        "Hand in what comes next: a diagnosis, or word that the repair is done; status says which. Each counts once and cannot be taken back.",
        reads_only=False,
    ),
}
# What each session has, whatever plugins bring.
OWN = frozenset({*_ACTING, *_SUBMITTING})


class Toolset:
    """The tools of a session: its own, and between them those that plugins bring.

    Args:
        observing: Those of plugins, in the order in which models see them.
    """

    def __init__(self, observing: Sequence[SessionTool] = ()) -> None:
        self._entries: dict[str, _Entry] = {**_ACTING, **_entries_of(observing), **_SUBMITTING}

    def extended(self, more: Sequence[SessionTool]) -> Toolset:
        """The same, and after them those of one episode."""
        other = Toolset()
        other._entries = {**self._entries, **_entries_of(more)}
        return other

    def tools(self) -> tuple[Tool, ...]:
        """All tools, with their schemas."""
        return self._described

    @cached_property
    def _described(self) -> tuple[Tool, ...]:
        return tuple(
            Tool(name, entry.group, entry.description, _schema(entry.given), entry.reads_only)
            for name, entry in self._entries.items()
        )

    def validated(self, name: str, given: Mapping[str, object]) -> ToolArguments:
        """The arguments of a call, with types and defaults.

        Raises:
            ToolError: There is no such tool, or an argument is wrong.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise ToolError(f"there is no tool {name!r}; there are: {', '.join(self._entries)}")
        try:
            return entry.given.model_validate(dict(given))
        except ValidationError as error:
            wrong = explain(error, entry.given, dict(given), "argument")
            raise ToolError(f"{name}: {wrong}") from error

    def respond(self, name: str, context: ToolContext, given: ToolArguments) -> Output:
        """What a tool that only observes has to say; that it cannot answer is an output, too.

        Raises:
            PluginError: The tool raised another exception.
        """
        entry = self._entries.get(name)
        assert entry is not None
        assert entry.observe is not None, f"{name} is the session's own"
        try:
            return Output(entry.observe(context, given))
        except ToolError as error:
            return Output(str(error), ok=False)
        except SregymError:
            raise
        except BaseException as error:
            if must_propagate(error):
                raise
            msg = f"tool {name!r} raised {format_with_location(error)}"
            raise PluginError(msg) from error


def _entries_of(tools: Sequence[SessionTool]) -> dict[str, _Entry]:
    return {
        tool.name: _Entry(
            tool.group, tool.Arguments, tool.description, tool.respond, tool.reads_only
        )
        for tool in tools
    }


def _schema(given: type[ToolArguments]) -> dict[str, Any]:
    made = given.model_json_schema()
    properties = {
        name: {key: value for key, value in about.items() if key != "title"}
        for name, about in made.get("properties", {}).items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if made.get("required"):
        schema["required"] = made["required"]
    return {**schema, "additionalProperties": False}
