"""The command line of `systemctl`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUED = (
    "-n",
    "--lines",
    "-t",
    "--type",
    "-p",
    "--property",
    "-o",
    "--output",
    "-s",
    "--signal",
    "--state",
)


class ParsedCommandLine(NamedTuple):
    """A command line: verb, names, options with their values."""

    verb: str
    names: tuple[str, ...]
    options: dict[str, str]

    def on(self, *names: str) -> bool:
        """Whether one of these options is there."""
        return any(name in self.options for name in names)

    def get(self, *names: str) -> str:
        """The value of an option by one of its names; empty without it."""
        return next((self.options[name] for name in names if name in self.options), "")


def parse_command_line(words: Sequence[str]) -> ParsedCommandLine:
    """A command line taken apart; without a verb the units are listed."""
    options: dict[str, str] = {}
    plain: list[str] = []
    rest = list(words[1:])
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            plain.append(word)
            continue
        name, equals, value = word.partition("=")
        if not equals and name in _VALUED and rest:
            value = rest.pop(0)
        elif not equals and name[:2] in _VALUED and not name.startswith("--") and len(name) > 2:
            name, value = name[:2], name[2:]
        options[name] = f"{options[name]},{value}" if name in options else value
    return ParsedCommandLine(plain[0] if plain else "list-units", tuple(plain[1:]), options)
