"""What kubectl says to a command line that it does not understand."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from sregym_cluster_embedded.kubectl import flag_tables
from sregym_cluster_embedded.kubectl.errors import CommandError, NotCovered

# What brings up a command besides similar spelling.
_MEANT = {
    "get": ("list", "ls"),
    "delete": ("rm", "remove"),
    "describe": ("inspect",),
    "top": ("stats",),
}
_NEAR = 2
_UNIT = re.compile(r"[0-9]*\.?[0-9]*([^0-9.]*)")
_UNITS = frozenset({"ns", "us", "µs", "μs", "ms", "s", "m", "h"})
_INT_64, _INT_32 = 63, 31
_SHORT_INTS = frozenset({"replicas", "port", "node-port", "value", "min", "max"})


class _Known(NamedTuple):
    """A flag as the binary declares it; `mark` is the kind of its value."""

    name: str
    short: str
    mark: str

    @property
    def shown(self) -> str:
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


@cache
def _table(text: str) -> dict[str, dict[str, _Known]]:
    """Flags by name and by letter of each command in a table."""
    found: dict[str, dict[str, _Known]] = {}
    flags: dict[str, _Known] = {}
    for word in text.split():
        if word.endswith(":"):
            flags = found.setdefault(word[:-1].replace(".", " "), {})
            continue
        mark = word[-1] if word[-1] in "!#~*" else ""
        short, slash, name = word.rstrip("!#~*").rpartition("/")
        known = _Known(name, short if slash else "", mark)
        flags[name] = known
        if known.short:
            flags[known.short] = known
    return found


def _flags(command: str) -> dict[str, _Known]:
    shared = _table(f"all: {flag_tables.GLOBAL}")["all"]
    return {**shared, **_table(flag_tables.COMMANDS).get(command, {})}


def takes_value(command: str, flag: str) -> bool:
    """Whether the next word belongs to `flag`, which stands before the name of a subcommand.

    What is unknown is believed to take one.
    """
    known = _flags(command).get(flag)
    return known is None or known.mark != "!"


def has_command(command: str) -> bool:
    """Whether the binary has this command of the first level."""
    return command in flag_tables.ORDER.split() or command in ("help", "alpha")


def has_subcommand(command: str) -> bool:
    """Whether the binary has this command below another one."""
    return command in _table(flag_tables.COMMANDS)


def unknown_flag(command: str, word: str, letters: str = "") -> CommandError:
    """The error about a flag that no module declares.

    Args:
        command: Its full name.
        word: The flag's name without dashes, or its letter.
        letters: The rest of the word for a letter, beginning with it.

    Raises:
        NotCovered: The binary knows the flag.
    """
    if word.replace("_", "-") in _flags(command) or word in ("h", "help"):
        raise NotCovered(f"flag {word}")
    if letters:
        return flag_error(command, f"unknown shorthand flag: '{word}' in -{letters}")
    if not word or word[0] in "-=":
        return flag_error(command, f"bad flag syntax: --{word}")
    return flag_error(command, f"unknown flag: --{word}")


def missing_value(command: str, name: str, letters: str = "") -> CommandError:
    """The error about a flag at the end of the line that wants a value."""
    where = f"'{letters[0]}' in -{letters}" if letters else f"--{name}"
    return flag_error(command, f"flag needs an argument: {where}")


def flag_value_error(command: str, name: str, value: str) -> CommandError | None:
    """The error about the value of a switch, a number or a duration; None for a flag of text.

    Raises:
        NotCovered: The value is none that is certainly refused.
    """
    known = _flags(command).get(name)
    if known is None:
        raise NotCovered(f"--{name}={value}")
    if known.mark not in ("!", "#", "~"):
        return None
    if known.mark == "!":
        why = f'strconv.ParseBool: parsing "{value}": invalid syntax'
    elif known.mark == "#":
        why = f'strconv.ParseInt: parsing "{value}": {_wrong_number(name, value)}'
    else:
        why = f"time: {_wrong_duration(value)}"
    return flag_error(command, f'invalid argument "{value}" for "{known.shown}" flag: {why}')


def _wrong_number(name: str, value: str) -> str:
    if re.fullmatch(r"[+-]?\d+", value):
        bits = _INT_32 if name in _SHORT_INTS else _INT_64
        if abs(int(value)) >> bits:
            return "value out of range"
        raise NotCovered(f"--{name}={value}")
    if re.match(r"[+-]?0[xXbBoO_]|[+-]?\d[\d_]*$", value):
        raise NotCovered(f"--{name}={value}")
    return "invalid syntax"


def _wrong_duration(value: str) -> str:
    rest = value.lstrip("+-") if value[:1] in ("+", "-") else value
    quoted = f'"{value}"'
    if not rest or not re.match(r"\.?\d", rest):
        return f"invalid duration {quoted}"
    while rest:
        found = _UNIT.match(rest)
        assert found is not None
        unit = found[1]
        if not unit:
            return f"missing unit in duration {quoted}"
        if unit not in _UNITS:
            return f'unknown unit "{unit}" in duration {quoted}'
        rest = rest[found.end() :]
        if rest and not re.match(r"\.?\d", rest):
            return f"invalid duration {quoted}"
    raise NotCovered(f"duration {value}")


def flag_error(command: str, text: str) -> CommandError:
    """An error about a flag."""
    name = f"kubectl {command}" if command else "kubectl"
    return CommandError(f"error: {text}\nSee '{name} --help' for usage.")


def usage_error(command: str, text: str) -> CommandError:
    """An error about the words of a command."""
    return CommandError(f"error: {text}\nSee 'kubectl {command} -h' for help and examples")


def unknown_command(word: str) -> CommandError:
    """The error about a first word that is no command, with the commands that may be meant."""
    text = f'error: unknown command "{word}" for "kubectl"'
    lower = word.lower()
    near = []
    for name in flag_tables.ORDER.split():
        if _distance(lower, name) <= _NEAR or name.startswith(lower):
            near.append(name)
        near += [name for meant in _MEANT.get(name, ()) if meant == lower]
    if near:
        text += "\n\nDid you mean this?" + "".join(f"\n\t{name}" for name in near)
    return CommandError(text)


def _distance(one: str, other: str) -> int:
    """How many letters have to be added, dropped or replaced."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        corner, row[0] = row[0], at
        for to, wanted in enumerate(other, 1):
            cost = min(row[to] + 1, row[to - 1] + 1, corner + (letter != wanted))
            corner, row[to] = row[to], cost
    return row[-1]
