"""`--help` of every command says of each argument what it is for."""

from __future__ import annotations

import argparse
import io
import shlex
from importlib import import_module

import pytest
from commands_page import parsers
from sregym_core.cli import Console, Subcommand
from sregym_core.cli.entry import COMMANDS
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

REGISTRY = Registry(Plugins(Settings()))


def command(name: str) -> type[Subcommand]:
    if name not in COMMANDS:
        return REGISTRY.load("command", name)
    module, _, attribute = COMMANDS[name][0].partition(":")
    return getattr(import_module(f"sregym_core.cli.{module}"), attribute)


@pytest.mark.parametrize("name", [*COMMANDS, *REGISTRY.names("command")])
def test_every_argument_is_explained(name: str) -> None:
    silent = [
        f"{words} {action.dest}"
        for words, parser in parsers(name, command(name))
        for action in parser._actions
        if not action.help and not isinstance(action, argparse._SubParsersAction)
    ]
    assert silent == []


@pytest.mark.parametrize("name", [*COMMANDS, *REGISTRY.names("command")])
def test_what_is_to_be_filled_in_stands_in_capitals(name: str) -> None:
    parser = argparse.ArgumentParser()
    command(name)(Settings(), Console(io.StringIO(), io.StringIO())).arguments(parser)
    small = [
        action.dest
        for action in parser._actions
        if not action.option_strings and action.metavar is None and action.choices is None
    ]
    assert small == []


@pytest.mark.parametrize("name", [*COMMANDS, *REGISTRY.names("command")])
def test_help_ends_with_examples_that_can_be_typed(name: str) -> None:
    made = command(name)(Settings(), Console(io.StringIO(), io.StringIO()))
    parser = argparse.ArgumentParser()
    made.arguments(parser)
    assert made.examples
    spoken = {f"sregym {name}", f"sregym {name.replace('-', ' ', 1)}"}
    for example in made.examples:
        line, _, _ = example.partition(" > ")
        head = next(words for words in sorted(spoken) if f"{line} ".startswith(f"{words} "))
        parser.parse_args(shlex.split(line.removeprefix(head)))
