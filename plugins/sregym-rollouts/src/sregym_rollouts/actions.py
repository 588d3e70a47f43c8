"""Tools and calls as text, for trainers that exchange text with an agent instead of calls.

An action is what a policy says in one turn. It is read in three ways, the first that fits:

    {"tool": "kubectl", "arguments": {"command": "get pods"}}       an object of JSON
    kubectl get pods -n shop                                        a tool's name, then its argument
    ... ```kubectl get pods -n shop```                              either in a fenced block

What follows a name is the tool's one required argument, or the first where none is required.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FENCED = re.compile(r"```[a-z]*\n?(.*?)```", re.DOTALL)
_NAMES = ("tool", "name")
_ARGUMENTS = ("arguments", "parameters", "args")


@dataclass(frozen=True)
class Action:
    """A call of a tool, as a policy meant it.

    Attributes:
        tool: Name of the tool; not necessarily one that there is.
        arguments: By name.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def line(self, tools: Iterable[Mapping[str, Any]]) -> str:
        """The action as text that `parse_action` reads as the same.

        Args:
            tools: As in a `TaskDescription`.
        """
        shown = list(tools)
        schema = next((tool["parameters"] for tool in shown if tool["name"] == self.tool), None)
        main = "" if schema is None else _main(schema)
        if set(self.arguments) <= {main}:
            line = f"{self.tool} {self.arguments.get(main, '')}".strip()
            if parse_action(line, shown) == self:
                return line
        return json.dumps({"tool": self.tool, "arguments": dict(self.arguments)})


def parse_action(text: str, tools: Iterable[Mapping[str, Any]]) -> Action:
    """The call that a text means.

    Nothing is refused here: a tool that there is not, or a wrong argument, is answered by the
    session as it answers models, and counts as a step.

    Args:
        text: What a policy said.
        tools: As in a `TaskDescription`.
    """
    schemas = {str(tool["name"]): tool["parameters"] for tool in tools}
    said = text.strip()
    blocks = _FENCED.findall(said)
    if blocks and _first_word(said) not in schemas:
        said = blocks[-1].strip()
    if said.startswith("{"):
        found = _of_json(said)
        if found is not None:
            return found
    name = _first_word(said)
    rest = said[len(name) :].strip()
    main = _main(schemas.get(name, {}))
    if not rest:
        return Action(name)
    return Action(name, {main or "text": rest})


def tools_text(tools: Iterable[Mapping[str, Any]]) -> str:
    """The tools of a session for a policy that exchanges text: one line each, then how to call."""
    lines = [f"- {_signature(tool)}: {tool['description']}" for tool in tools]
    return "\n".join(
        (
            "Each answer of yours is one action: the name of a tool, a space, and its argument. For",
            'more arguments write JSON: {"tool": NAME, "arguments": {NAME: VALUE}}. The tools:',
            *lines,
        )
    )


def function_schemas(tools: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The tools of a session as the chat protocol of OpenAI wants them told."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": dict(tool["parameters"]),
            },
        }
        for tool in tools
    ]


def _of_json(text: str) -> Action | None:
    try:
        given = json.loads(text)
    except ValueError:
        return None
    if not isinstance(given, dict):
        return None
    if isinstance(given.get("function"), dict):
        given = given["function"]
    name = next((given[key] for key in _NAMES if isinstance(given.get(key), str)), None)
    arguments: Any = next((given[key] for key in _ARGUMENTS if key in given), {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    if name is None or not isinstance(arguments, dict):
        return None
    return Action(name, arguments)


def _signature(tool: Mapping[str, Any]) -> str:
    required = tool["parameters"].get("required", [])
    main = _main(tool["parameters"])
    words = [name.upper() if name in required else f"[{name.upper()}]" for name in [main] if name]
    others = [name for name in tool["parameters"].get("properties", {}) if name != main]
    more = f" (also {', '.join(others)})" if others else ""
    return " ".join([str(tool["name"]), *words]) + more


def _main(schema: Mapping[str, Any]) -> str:
    """The argument that stands behind a tool's name; empty where it takes none."""
    required = schema.get("required", [])
    if required:
        return str(required[0])
    others = [name for name in schema.get("properties", {}) if name != "page"]
    return str(others[0]) if others else ""


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0] if text else ""
