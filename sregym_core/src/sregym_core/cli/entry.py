"""From words to a subcommand, and from whatever it raises to a line and an exit code."""

from __future__ import annotations

import argparse
import difflib
import errno
import gc
import os
import sys
import traceback
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from sregym_core.cli import Console, Subcommand
from sregym_core.error_location import check_returned, format_error, must_propagate
from sregym_core.errors import ExitCode, PluginCallError, SregymError, UsageError
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sregym_core.registry import Registry

    Loader = Callable[[], Registry]

# Name -> where it is and what it does. Imported only when used: `--help` must not wait for it.
COMMANDS: dict[str, tuple[str, str]] = {
    "plugins": (
        "plugin_list:PluginList",
        "list installed plugins and whether they could be loaded",
    ),
}

_FULL_DISK = (errno.ENOSPC, errno.EDQUOT)
# What is played is given back and ended whatever its records come to.
_FULL = "make room, or choose another folder; what was written until then stands"


class _Parser(argparse.ArgumentParser):
    """A parser whose errors look like all others and leave with the usage code."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see: {self.prog} --help)")


def run(words: Sequence[str], console: Console | None = None) -> int:
    """Run one command line; returns its exit code and raises nothing but `SystemExit` for help."""
    console = console or Console()
    settings = Settings.from_environment()
    installed = cache(partial(_registry, settings))  # loaded once, and only where somebody asks
    # Worlds are hundreds of thousands of small objects that live long. With the interpreter's
    # default of a collection every 700 allocations a tenth of the time goes into looking at them.
    gc.set_threshold(50_000, 20, 50)
    reveal_traceback = "--traceback" in words
    words = [word for word in words if word != "--traceback"]
    try:
        return int(_dispatch(words, settings, console, installed))
    except BrokenPipeError:
        # The reader of our output went away, as `sregym problems | head` does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.DONE)
    except SregymError as error:
        if reveal_traceback:
            console.note(traceback.format_exc())
        console.note(f"sregym: {error}")
        if isinstance(error, PluginCallError) and not reveal_traceback:
            console.note("(add --traceback to see where)")
        return int(error.exit_code)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and must_propagate(error):
            console.note("interrupted")
            return int(ExitCode.INTERRUPTED)
        if isinstance(error, SystemExit) and not error.code:  # argparse has shown its help
            raise
        return int(_told(error, installed, console, reveal_traceback=reveal_traceback))


def _told(
    error: BaseException, installed: Loader, console: Console, *, reveal_traceback: bool
) -> ExitCode:
    """Tell of an exception that nobody expected: a full disk, a plugin's, or our own."""
    if isinstance(error, OSError) and error.errno in _FULL_DISK and not reveal_traceback:
        where = f" at {error.filename}" if error.filename else ""
        console.note(f"sregym: {error.strerror}{where}; {_FULL}")
        return ExitCode.USAGE
    from sregym_core.conductor.attribution import blamed, is_a_plugins

    plugins = is_a_plugins(error)
    what = blamed(error, installed()) if plugins else f"internal error: {format_error(error)}"
    advice = "" if plugins else "; please report it"
    if reveal_traceback:
        trace = "".join(traceback.format_exception(error))
        console.note(
            f"sregym: {what}\n{trace}"
            if plugins
            else f"sregym: internal error: {trace}(please report it)"
        )
    else:
        console.note(f"sregym: {what}\n(add --traceback to see where{advice})")
    return ExitCode.PLUGIN if plugins else ExitCode.INTERNAL


def _dispatch(words: Sequence[str], settings: Settings, console: Console, installed: Loader) -> int:
    name = words[0] if words else ""
    if not name or name.startswith("-"):
        return _top_level(words, installed, console)
    joined = _two_words(words, installed)
    rest = words[2:] if joined else words[1:]
    name = joined or name
    command = _command(name, settings, console, installed)
    called = " ".join(words[: len(words) - len(rest)])
    parser = _Parser(
        prog=f"sregym {called}",
        description=f"{command.summary[0].upper()}{command.summary[1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=_epilog(command, name, installed) if {"-h", "--help"} & set(rest) else None,
    )
    command.arguments(parser)
    return check_returned(command, "run", command.run(parser.parse_args(list(rest))), int)


def _two_words(words: Sequence[str], installed: Loader) -> str:
    """A plugin's command `export-dataset` is called as `export dataset`, too; empty for any other.

    Of the core's own commands `plugins` alone can be added to.
    """
    ours = words[:1] != ["plugins"] and words[0] in COMMANDS
    if len(words) < 2 or ours or words[1].startswith("-"):
        return ""
    name = f"{words[0]}-{words[1]}"
    return name if name in installed().names("command") else ""


def _spoken(name: str, known: Iterable[str]) -> str:
    """A plugin's command as it is called: `plugins search` where there is a command `plugins`."""
    first, _, rest = name.partition("-")
    return f"{first} {rest}" if rest and first in known else name


def _epilog(command: Subcommand, name: str, installed: Loader) -> str:
    """What a command's help ends with: examples, and the further commands behind its word."""
    examples = "\n  ".join(["examples:", *command.examples]) if command.examples else ""
    return "\n\n".join(filter(None, [examples, _below(name, installed)]))


def _below(name: str, installed: Loader) -> str:
    if name in COMMANDS and name != "plugins":
        return ""
    known = _plugin_summaries(installed()).items()
    below = [(word, text) for word, text in known if word.startswith(f"{name}-")]
    lines = [f"  sregym {_spoken(word, [name])}: {text}" for word, text in below]
    return "\n".join(["further commands:", *lines]) if lines else ""


def _top_level(words: Sequence[str], installed: Loader, console: Console) -> ExitCode:
    if words and words[0] == "--version":
        from sregym_core import __version__

        console.say(f"sregym {__version__}")
        return ExitCode.DONE
    if words and words[0] not in ("-h", "--help"):
        raise UsageError(f"unknown option {words[0]!r} (see: sregym --help)")
    console.say("usage: sregym COMMAND [OPTION ...]\n")
    console.say("A training ground for agents that repair broken Kubernetes systems.\n")
    summaries = {name: summary for name, (_, summary) in COMMANDS.items()}
    summaries.update(_plugin_summaries(installed()))
    called = {name if name in COMMANDS else _spoken(name, summaries): name for name in summaries}
    width = max(map(len, called)) + 2
    for words, name in called.items():
        console.say(f"  {words:<{width}}{summaries[name]}")
    console.say(
        "\n`sregym COMMAND --help` says more. `--traceback` with any command shows where an error arose."
    )
    return ExitCode.DONE


def _command(name: str, settings: Settings, console: Console, installed: Loader) -> Subcommand:
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name][0].partition(":")
        made: Subcommand = getattr(import_module(f"sregym_core.cli.{module}"), attribute)(
            settings, console
        )
        return made
    registry = installed()
    known = registry.names("command")
    if name not in known:
        everything = sorted([*COMMANDS, *known])
        close = difflib.get_close_matches(name, everything, 3)
        if not close:
            raise UsageError(registry.unknown("command", name, everything))
        hint = " or ".join(map(repr, close))
        raise UsageError(f"no command named {name!r}; did you mean {hint}? (see: sregym --help)")
    loaded: Subcommand = registry.make("command", name, settings, console)
    return loaded


def _plugin_summaries(registry: Registry) -> dict[str, str]:
    summaries = {}
    for name in registry.names("command"):
        try:
            summaries[name] = registry.load("command", name).summary
        except SregymError as error:
            summaries[name] = f"(cannot be loaded: {error})"
    return summaries


def _registry(settings: Settings) -> Registry:
    from sregym_core.plugins import Plugins
    from sregym_core.registry import Registry

    return Registry(Plugins(settings))
