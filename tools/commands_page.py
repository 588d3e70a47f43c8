"""Writes `docs/reference/commands.md`: every command with its arguments, from the parsers themselves.

python tools/commands_page.py            write the page
python tools/commands_page.py --check    exit with 1 when the page is out of date
"""

from __future__ import annotations

import argparse
import io
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sregym_core.cli import Console, Subcommand
from sregym_core.cli.entry import COMMANDS
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from workspace import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = ROOT / "docs" / "reference" / "commands.md"
HEAD = """\
# Commands and their options

Every command of the packages of this repository with all its arguments, as `sregym COMMAND --help` tells them. Written by `tools/commands_page.py` from the commands themselves;
[The command line](command-line.md) says what they are for, and what their JSON looks like. `--traceback` with any command shows where an error arose.
"""


def page() -> str:
    """The page as it should be."""
    registry = Registry(Plugins(Settings()))
    sections = [_section(name, _class(name)) for name in COMMANDS]
    for name in registry.names("command"):
        owner = registry.owner("command", name).distribution
        sections.append(_section(name, registry.load("command", name), owner))
    return HEAD + "".join(sections)


def all_parsers() -> dict[str, argparse.ArgumentParser]:
    """Words behind `sregym` -> their parser, parts of commands included."""
    registry = Registry(Plugins(Settings()))
    classes = {name: _class(name) for name in COMMANDS}
    classes |= {name: registry.load("command", name) for name in registry.names("command")}
    return {words: one for name in classes for words, one in parsers(name, classes[name])}


def parsers(name: str, command: type[Subcommand]) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser of a command and those of its parts, each with the words that lead to it.

    Args:
        name: The word behind `sregym`.
        command: Its class.
    """
    parser = argparse.ArgumentParser(prog=f"sregym {name}", description=command.summary)
    command(Settings(), Console(io.StringIO(), io.StringIO())).arguments(parser)
    yield from _nested(name, parser)


def _nested(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, Any]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for word, inner in action.choices.items():
                inner.description = inner.description or told.get(word, "")
                yield from _nested(f"{name} {word}", inner)


def _class(name: str) -> type[Subcommand]:
    module, _, attribute = COMMANDS[name][0].partition(":")
    found: type[Subcommand] = getattr(import_module(f"sregym_core.cli.{module}"), attribute)
    return found


def _section(name: str, command: type[Subcommand], distribution: str = "sregym-core") -> str:
    lines = []
    for words, parser in parsers(name, command):
        told = _sentence(parser.description or "")
        owner = f" Of `{distribution}`." if words == name else ""
        lines += [f"\n{'##' if words == name else '###'} `sregym {words}`\n", f"{told}{owner}\n"]
        rows = [row for action in parser._actions if (row := _row(action))]
        lines += ["| argument | is |", "|---|---|", *rows] if rows else ["No arguments."]
        if words == name and command.examples:
            lines += ["\n```bash", *command.examples, "```"]
    return "\n".join(lines) + "\n"


def _row(action: argparse.Action) -> str:
    """One argument; nothing for `--help` and for the parts of a command, which have sections."""
    if isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
        return ""
    names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar,)
    words = " ".join(filter(None, names)) or "|".join(map(str, action.choices or ()))
    words = words or action.dest.upper()
    value = "" if action.nargs == 0 else words
    shown = " ".join([", ".join(action.option_strings), value]).strip()
    more = action.nargs in ("*", "+") or isinstance(action, argparse._AppendAction)
    notes = [
        str(action.help),
        "several may be given" if more and "several times" not in (action.help or "") else "",
        "must be given" if action.required and action.option_strings else "",
        f"one of {', '.join(map(str, action.choices))}"
        if action.choices and action.metavar
        else "",
    ]
    text = (
        "; ".join(filter(None, notes)).replace("|", "\\|").replace("<", "&lt;").replace("%%", "%")
    )
    return f"| `{shown}` | {text} |".replace(f"`{shown}`", f"`{shown}`".replace("|", "\\|"))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}" if text else ""


def main(words: list[str]) -> int:
    """Write the page, or compare it."""
    text = page()
    if "--check" not in words:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is out of date; run: python tools/commands_page.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
