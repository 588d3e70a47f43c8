"""Options and operands of command lines, as getopt takes them apart."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def options(
    words: list[str], with_value: str = "", long: Mapping[str, str] | None = None
) -> tuple[dict[str, str], list[str]]:
    """Single-letter options (those in `with_value` take one) and operands.

    Args:
        words: The command line, its name first.
        with_value: Letters of options that take a value.
        long: Long names without dashes -> letter they stand for.
    """
    found: dict[str, str] = {}
    operands: list[str] = []
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--":
            operands.extend(words[index:])
            break
        if word.startswith("--") and long is not None:
            name, equals, value = word[2:].partition("=")
            letter = long.get(name, name)
            if letter in with_value and letter and not equals and index < len(words):
                value, index = words[index], index + 1
            found[letter] = value
            continue
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        for place, letter in enumerate(word[1:], start=1):
            if letter in with_value:
                rest = word[place + 1 :]
                if not rest and index < len(words):
                    rest, index = words[index], index + 1
                found[letter] = rest
                break
            found[letter] = ""
    return found, operands


def human(amount: float, *, unit: int = 1) -> str:
    """A number of `unit` bytes as `ls -h` and `du -h` of GNU show it: `4.0K`, `12M`."""
    size, letters = float(amount * unit), "KMGTP"
    if size < 1024:
        return str(int(size))
    number = -1
    while size >= 1024 and number < len(letters) - 1:
        size, number = size / 1024, number + 1
    if size < 10:
        return f"{math.ceil(size * 10) / 10:.1f}{letters[number]}"
    return f"{math.ceil(size)}{letters[number]}"


def busybox_human(amount: float, *, unit: int = 1) -> str:
    """The same as BusyBox shows it: `8.0M`, `252.0G`, `0`."""
    size = float(amount * unit)
    if size == 0:
        return "0"
    for letter in ("", "K", "M", "G", "T"):
        if size < 1024 or letter == "T":
            return f"{size:.1f}{letter}" if letter else str(int(size))
        size /= 1024
    return str(int(size))


def tail_follows(words: list[str]) -> bool:
    """Whether a `tail` follows its files."""
    return any(re.fullmatch(r"-\d*[cn]?\d*[fF]\w*|--follow(=\w+)?", word) for word in words[1:])
