"""Patterns of the shell, and what is done to values by them."""

from __future__ import annotations

import re

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
    form = expression(pattern)
    lengths = range(len(value) + 1)
    if kind.startswith("#"):
        hits = [n for n in lengths if re.fullmatch(form, value[:n])]
        return value[(max(hits) if kind == "##" else min(hits)) :] if hits else value
    hits = [n for n in lengths if re.fullmatch(form, value[len(value) - n :])]
    return value[: len(value) - (max(hits) if kind == "%%" else min(hits))] if hits else value


def expression(pattern: str) -> str:
    """A pattern of the shell as a regular expression."""
    out, at = "", 0
    while at < len(pattern):
        char = pattern[at]
        end = pattern.find("]", at + 2)
        if char == "*":
            out += ".*"
        elif char == "?":
            out += "."
        elif char == "[" and end > 0:
            inner = pattern[at + 1 : end]
            out += f"[{'^' + inner[1:] if inner[:1] == '!' else inner}]"
            at = end
        elif char == "\\" and at + 1 < len(pattern):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += re.escape(char)
        at += 1
    return out


def escaped(text: str) -> str:
    """A quoted text as a part of a pattern: its characters stand for themselves."""
    if not any(char in text for char in "*?["):
        return text
    return re.sub(r"([*?\[])", r"[\1]", text)
