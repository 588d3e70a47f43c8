"""Expressions of Go's `regexp`: those of Prometheus, Loki, Alertmanager, CoreDNS and Kubernetes.

Go's package and RE2 are by the same author and refuse the same; their words for it differ.
"""

from __future__ import annotations

import re

from sregym_regex import linear as engine
from sregym_regex.budget import cached
from sregym_regex.go_text import BROKEN, readable
from sregym_regex.linear import Pattern
from sregym_regex.matches import PatternError

__all__ = ["Pattern", "PatternError", "anywhere", "compiled"]

_DEEPEST = 1000
# What stands for itself, whatever it looks like.
_HIDDEN = re.compile(r"\\Q.*?(?:\\E|\Z)|\\[^C]|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# RE2's words -> Go's; what follows a colon is the part that is wrong.
_WORDS = {
    "missing )": "missing closing )",
    "unexpected )": "unexpected )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "invalid character class range": "invalid character class range",
    "invalid escape sequence": "invalid escape sequence",
}


@cached(256)
def compiled(pattern: str) -> Pattern:
    """The expression that matches whole values: matchers of series.

    Raises:
        PatternError: It is none; the text is Go's.
    """
    whole = _read(f"^(?:{pattern})$")
    # Parentheses may balance with those around the pattern only.
    _read(pattern)
    return whole


@cached(256)
def anywhere(pattern: str) -> Pattern:
    """The expression that is looked for anywhere in a text: filters of lines, schemas.

    Raises:
        PatternError: It is none; the text is Go's.
    """
    return _read(pattern)


def _read(pattern: str) -> Pattern:
    if pattern.count("(") > _DEEPEST and _depth(pattern) > _DEEPEST:
        raise PatternError(f"expression nests too deeply: `{pattern}`")
    if (broken := BROKEN.search(pattern)) is not None:
        raise PatternError(f"invalid UTF-8: `{readable(pattern[broken.start() :])}`")
    try:
        found = engine.linear(pattern)
    except PatternError as error:
        raise PatternError(_said(str(error), pattern)) from None
    if "\\C" in pattern or "(?<" in pattern:
        bare = _HIDDEN.sub("", pattern)
        if "(?<" in bare:
            raise PatternError("invalid or unsupported Perl syntax: `(?<`")
        if "\\C" in bare:
            raise PatternError("invalid escape sequence: `\\C`")
    for name in found.groupindex:
        if not name.isascii():
            raise PatternError(f"invalid named capture: `(?P<{name}>`")
    return found


def _said(words: str, pattern: str) -> str:
    kind, _, part = words.partition(": ")
    if kind.startswith("trailing \\"):
        return "trailing backslash at end of expression: ``"
    if kind not in _WORDS:
        return f"expression too large: `{pattern}`"
    if kind == "invalid named capture group" and ">" not in part:
        part = pattern[pattern.index(part) :] if part in pattern else part
    return f"{_WORDS[kind]}: `{part}`"


def _depth(pattern: str) -> int:
    """How deep its groups stand in each other, at most."""
    deepest = depth = 0
    for char in pattern:
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    return deepest
