"""Patterns of the shell, and what is done to values by them."""

from __future__ import annotations

import re

from sregym_cluster_embedded.userland.shell.lexing import ansi
from sregym_cluster_embedded.userland.shell.patterns import bracket


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
        found = re.match(form, value)
        return value[found.end() :] if found else value
    # What is left is as long as can be where as little as can be goes.
    rest = ".*" if kind == "%" else ".*?"
    found = re.fullmatch(f"(?s:({rest})){form}", value)
    return found[1] if found else value


def expression(pattern: str, *, least: bool = False) -> str:
    """A pattern of the shell as a regular expression.

    Args:
        pattern: The pattern.
        least: Whether it shall match as little as it can.
    """
    out, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            out += ".*?" if least else ".*"
        elif char == "?":
            out += "."
        elif char == "[":
            part, at = _one_of(pattern, at)
            out += part
            continue
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += re.escape(char)
        at += 1
    return f"(?s:{out})"


def _one_of(pattern: str, at: int) -> tuple[str, int]:
    """The expression of a bracket, and where the pattern goes on; unclosed, it stands for itself."""
    text = pattern[at:]
    part, end = bracket(f"[^{text[2:]}" if text.startswith("[!") else text, 0)
    if end > len(text):
        return r"\[", at + 1
    try:
        re.compile(part)
    except re.error:
        # A range that ends before it begins: nothing lies in it.
        part = "(?!)"
    return part, at + end


def escaped(text: str) -> str:
    """A quoted text as a part of a pattern: its characters stand for themselves."""
    if not any(char in text for char in "*?["):
        return text
    return re.sub(r"([*?\[])", r"[\1]", text)
