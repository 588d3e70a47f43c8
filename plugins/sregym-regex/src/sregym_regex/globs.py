"""Patterns of names, as shells have them: `*`, `?` and `[...]`."""

from __future__ import annotations

import re

from sregym_regex.budget import cached, spend
from sregym_regex.linear import Pattern, linear
from sregym_regex.matches import PatternError

_CLASS = re.compile(r"\[:(\w+):\]")
_CLASSES = frozenset(
    ("alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
     "upper", "xdigit")
)  # fmt: skip
# A class that has no member.
_NOTHING = r"[^\x00-\x{10FFFF}]"


def matches(name: str, pattern: str, *, escapes: bool = False) -> bool:
    r"""Whether a whole name fits a pattern, its case included.

    Args:
        name: The name.
        pattern: The pattern.
        escapes: Whether `\` makes the next character stand for itself.
    """
    return compiled(pattern, escapes=escapes).fullmatch(name) is not None


@cached(256)
def compiled(pattern: str, *, escapes: bool = False) -> Pattern:
    """A pattern as an expression."""
    try:
        return linear(expression(pattern, escapes=escapes))
    except PatternError:
        # Too large: it fits nothing but itself.
        return linear(f"(?s:{quoted(pattern[:1000])}){_NOTHING}")


def expression(pattern: str, *, least: bool = False, escapes: bool = True) -> str:
    r"""A pattern in the language of RE2.

    Args:
        pattern: The pattern.
        least: Whether it shall match as little as it can.
        escapes: Whether `\` makes the next character stand for itself.
    """
    out: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            while pattern[at + 1 : at + 2] == "*":
                at += 1
            out.append(".*?" if least else ".*")
        elif char == "?":
            out.append(".")
        elif char == "[":
            part, at = _one_of(pattern, at)
            out.append(part)
            continue
        elif char == "\\" and escapes and at + 1 < len(pattern):
            at += 1
            out.append(quoted(pattern[at]))
        else:
            out.append(quoted(char))
        at += 1
    return f"(?s:{''.join(out)})"


def quoted(text: str) -> str:
    """A text that stands for itself."""
    return "".join(char if char.isalnum() or not char.isascii() else _hidden(char) for char in text)


def _hidden(char: str) -> str:
    return f"\\{char}" if char.isprintable() else f"\\x{ord(char):02x}"


def _one_of(pattern: str, at: int) -> tuple[str, int]:
    """The expression of a bracket, and where the pattern goes on; unclosed, it stands for itself."""
    end = at + 1
    negated = pattern[end : end + 1] in ("!", "^") and end < len(pattern)
    first = end = end + negated
    if pattern[end : end + 1] == "]":
        end += 1
    while end < len(pattern) and pattern[end] != "]":
        known = _CLASS.match(pattern, end) if pattern[end] == "[" else None
        end = known.end() if known is not None else end + 1
    spend(end - at)
    if end >= len(pattern):
        return r"\[", at + 1
    members = _members(pattern[first:end])
    if not members:
        return ("." if negated else _NOTHING), end + 1
    return f"[{'^' if negated else ''}{members}]", end + 1


def _members(text: str) -> str:
    """What stands between brackets; ranges that end before they begin have no member."""
    out: list[str] = []
    at = 0
    while at < len(text):
        known = _CLASS.match(text, at)
        if known is not None:
            out.append(known[0] if known[1] in _CLASSES else "")
            at = known.end()
        elif text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            low, high = text[at], text[at + 2]
            out.append(f"{quoted(low)}-{quoted(high)}" if low <= high else "")
            at += 3
        else:
            out.append(quoted(text[at]))
            at += 1
    return "".join(out)
