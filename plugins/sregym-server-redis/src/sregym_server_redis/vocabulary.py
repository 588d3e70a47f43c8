"""Which commands there are, how many words each takes, what it does to data, and to which keys."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple


class Refused(Exception):
    """An error reply."""


class Spec(NamedTuple):
    """A command, or a part of one (`config|get`).

    Attributes:
        name: Lower case.
        arity: How many words it takes, its name included; at least so many when negative.
        flags: `w` writes, `r` reads, `m` may need memory, `n` needs no authentication, `b` waits.
        first: Place of the first key among its words; 0 when it takes none.
        last: Place of the last key; negative numbers count from the end.
        step: From one key to the next.
        categories: To which it belongs, for access lists.
    """

    name: str
    arity: int
    flags: str
    first: int
    last: int
    step: int
    categories: tuple[str, ...]

    def takes(self, count: int) -> bool:
        """Whether so many words are enough, and not too many."""
        return count == self.arity if self.arity > 0 else count >= -self.arity

    def keys(self, words: list[str]) -> list[str]:
        """The keys among the words of a command."""
        if not self.first:
            return []
        last = self.last if self.last >= 0 else len(words) + self.last
        return words[self.first : last + 1 : self.step]


@lru_cache(maxsize=1)
def specs() -> dict[str, Spec]:
    """All commands by name, those with two words as `config|get`."""
    found = {}
    for line in files(__package__).joinpath("commands.txt").read_text().splitlines():
        name, arity, flags, first, last, step, *categories = line.split()
        found[name] = Spec(
            name, int(arity), flags, int(first), int(last), int(step), tuple(categories)
        )
    return found


def spec_of(words: list[str], old: bool) -> Spec:
    """What a command line asks for.

    Args:
        words: The command and its arguments.
        old: Whether the server is older than 7.0, which quotes otherwise.

    Raises:
        Refused: There is no such command, or it takes another number of words.
    """
    known, name = specs(), words[0].lower()
    spec = known.get(name)
    if spec is None or "|" in name:
        raise Refused(_unknown(words, old))
    part = known.get(f"{name}|{words[1].lower()}") if len(words) > 1 else None
    if part is None and f"{name}|help" in known and len(words) > 1:
        if old:
            raise Refused(
                f"ERR Unknown subcommand or wrong number of arguments for '{words[1]}'. "
                f"Try {name.upper()} HELP."
            )
        raise Refused(f"ERR unknown subcommand '{words[1]}'. Try {name.upper()} HELP.")
    chosen = part or spec
    if not chosen.takes(len(words)):
        shown = name if old else chosen.name
        raise Refused(f"ERR wrong number of arguments for '{shown}' command")
    return chosen


def parts_of(name: str) -> list[str]:
    """What the HELP of a command with several parts begins with, and their names."""
    upper = name.upper()
    parts = [part.partition("|")[2].upper() for part in specs() if part.startswith(f"{name}|")]
    head = f"{upper} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"
    return [head, *(part for part in parts if part != "HELP"), "HELP", "    Prints this help."]


def _unknown(words: list[str], old: bool) -> str:
    room, shown = 128, ""
    for word in words[1:]:
        if len(shown) >= room:
            break
        shown += f"`{word[: room - len(shown)]}`, " if old else f"'{word[: room - len(shown)]}' "
    quoted = f"`{words[0][:room]}`" if old else f"'{words[0][:room]}'"
    return f"ERR unknown command {quoted}, with args beginning with: {shown}"
