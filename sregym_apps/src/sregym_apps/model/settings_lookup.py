"""Settings that a program reads when it starts: flags, arguments, environment, files."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from sregym_apps.model.forms import value_at, value_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_apps.model.configuration import Setting


def settings_found(
    wanted: Mapping[str, Setting],
    words: tuple[str, ...],
    environment: Mapping[str, str],
    read: Callable[[str], str | None],
    working_dir: str,
) -> dict[str, str]:
    """The values a program finds, by name; what it does not find is not there.

    Args:
        wanted: What it looks for.
        words: Its command line without the program itself.
        environment: Its variables.
        read: The content of a file by its absolute path, or None.
        working_dir: Where relative paths begin.
    """
    flags, arguments = parse_words(words, wanted)
    values: dict[str, str] = {}
    for name, setting in wanted.items():
        value: str | None = None
        if setting.flag is not None:
            value = flags.get(setting.flag)
        if value is None and setting.argument is not None and setting.argument < len(arguments):
            value = arguments[setting.argument]
        if value is None and setting.env is not None:
            value = environment.get(setting.env)
            if value is not None and setting.key is not None and setting.file is None:
                value = value_in(value, setting.key)
        if value is None and setting.file is not None:
            value = _in_file(
                read(posixpath.join(working_dir, setting.file)), setting.file, setting.key
            )
        if value is None or not _fits(value, setting.type):
            value = setting.default
        if value is not None:
            values[name] = value
    return values


def parse_words(
    words: tuple[str, ...], wanted: Mapping[str, Setting]
) -> tuple[dict[str, str], list[str]]:
    """Flags by name without dashes, and the other arguments in order.

    A flag without `=` takes the next word unless it is known to be a boolean or that word is a
    flag itself.
    """
    switches = {setting.flag for setting in wanted.values() if setting.type == "boolean"}
    flags: dict[str, str] = {}
    arguments: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if not word.startswith("-") or word in ("-", "--"):
            arguments.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        following = words[index] if index < len(words) else "-"
        if equals:
            flags[name] = value
        elif name in switches or following.startswith("-"):
            flags[name] = "true"
        else:
            flags[name] = following
            index += 1
    return flags, arguments


def _in_file(text: str | None, file: str, key: str | None) -> str | None:
    if text is None or key is None:
        return None if text is None else text.strip()
    return value_at(text, file, key)


def _fits(value: str, kind: str) -> bool:
    if kind == "integer":
        return value.lstrip("-").isdecimal()
    if kind == "number":
        return value.lstrip("-").replace(".", "", 1).isdecimal()
    if kind == "boolean":
        return value.lower() in ("true", "false", "1", "0", "yes", "no")
    return True
