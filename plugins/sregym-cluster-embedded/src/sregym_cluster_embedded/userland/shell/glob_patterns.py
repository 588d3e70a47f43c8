"""Patterns of the shell, and what is done to values by them."""

from __future__ import annotations

import re

from sregym_regex.globs import expression
from sregym_regex.linear import linear

from sregym_cluster_embedded.userland.shell.lexing import ansi


def transformed(value: str, kind: str) -> str:
    """`${x@Q}` and its kin."""
    if kind == "Q":
        return "'" + value.replace("'", "'\\''") + "'"
    if kind in ("U", "L"):
        return value.upper() if kind == "U" else value.lower()
    if kind == "u":
        return value[:1].upper() + value[1:]
    return ansi(value) if kind == "E" else value


def trimmed(value: str, kind: str, pattern: str) -> str:
    """`${x#pattern}` and its kin."""
    form = expression(pattern, least=kind == "#")
    if kind.startswith("#"):
        found = linear(form).match(value)
        return value[found.end() :] if found else value
    # What is left is as long as can be where as little as can be goes.
    rest = ".*" if kind == "%" else ".*?"
    found = linear(f"(?s:({rest})){form}").fullmatch(value)
    return found[1] or "" if found else value


def escaped(text: str) -> str:
    """A quoted text as a part of a pattern: its characters stand for themselves."""
    if not any(char in text for char in "*?["):
        return text
    return re.sub(r"([*?\[])", r"[\1]", text)
