"""`sregym tool`: use a tool of the session around this process."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Mapping

    from sregym_agents.session_folder import SessionAddress


class Tool(Subcommand):
    """Calls tools of a session of `sregym up` or of the agent `shell`."""

    name: ClassVar[str] = "tool"
    summary: ClassVar[str] = "call a tool from inside a session, or list the tools"
    examples: ClassVar[tuple[str, ...]] = (
        "sregym tool",
        "sregym tool query_metrics query='up == 0'",
    )

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument(
            "tool",
            metavar="NAME",
            nargs="?",
            default=None,
            help="name of the tool (default: list all)",
        )
        parser.add_argument(
            "given",
            metavar="ARGUMENT=VALUE",
            nargs="*",
            help="an argument of the tool: query='up == 0' minutes=10",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: the whole answer")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Call it and print what it answers."""
        from sregym_agents.session_folder import find_address

        from sregym_up.gateway_client import get_json

        address = find_address(self.settings)
        known = _tools(address)
        if arguments.tool is None:
            return self._list(known.values(), arguments.json)
        tool = known.get(arguments.tool)
        if tool is None:
            close = difflib.get_close_matches(arguments.tool, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else "list them with: sregym tool"
            msg = f"this session has no tool {arguments.tool!r}; {hint}"
            raise UsageError(msg)
        body = _body(tool, arguments.given)
        answer = get_json(address, f"/tools/{arguments.tool}", "call", body)
        if arguments.json:
            self.console.json(answer, one_line=True)
        else:
            self.console.say(str(answer.get("text", "")))
        return ExitCode.DONE if answer.get("ok") else ExitCode.FAILED

    def _list(self, tools: Iterable[Mapping[str, Any]], as_json: bool) -> ExitCode:
        if as_json:
            self.console.json(list(tools))
            return ExitCode.DONE
        for tool in tools:
            self.console.say(f"{_call(tool)}\n    {tool['description']}")
        return ExitCode.DONE


def _tools(address: SessionAddress) -> dict[str, dict[str, Any]]:
    from sregym_up.gateway_client import get_json

    return {tool["name"]: tool for tool in get_json(address, "/tools", "list of tools")["tools"]}


def _fields(tool: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return dict(tool["parameters"].get("properties", {}))


def _call(tool: Mapping[str, Any]) -> str:
    """The tool with its arguments; those that may be left out stand in brackets."""
    needed = tool["parameters"].get("required", ())
    spared = [f"[{name}=]" for name in _fields(tool) if name not in needed]
    return " ".join([tool["name"], *(f"{name}=" for name in needed), *spared])


def _body(tool: Mapping[str, Any], words: Iterable[str]) -> dict[str, Any]:
    """The arguments as the tool takes them: text as it stands, all else as JSON."""
    fields = _fields(tool)
    body: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in fields:
            msg = f"{word!r} is no argument of the tool {tool['name']!r}; it is used as: sregym tool {_call(tool)}"
            raise UsageError(msg)
        body[name] = value if fields[name].get("type") == "string" else _read(value)
    return body


def _read(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        # The tool says what it wants instead.
        return value
