"""Regular expressions of POSIX in the form that Python knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f",
    "print": " -~", "graph": "!-~", "cntrl": r"\x00-\x1f",
}  # fmt: skip
# Escapes that mean the same here and there.
_SAME = "nt.^$*[]/wWsSbB-"


class PatternError(ValueError):
    """The text is no regular expression."""


def compiled(text: str, *, extended: bool = False, ignore_case: bool = False) -> re.Pattern[str]:
    """A basic or extended expression, compiled.

    Raises:
        PatternError: It is none.
    """
    try:
        return re.compile(translated(text, extended=extended), re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise PatternError(_said(error)) from None


# What glibc says of what Python's expressions complain of.
_WORDS = {
    "missing ), unterminated": "Unmatched ( or \\(",
    "unbalanced parenthesis": "Unmatched ) or \\)",
    "unterminated character": "Unmatched [, [^, [:, [., or [=",
    "bad character range": "Invalid range end",
    "invalid group reference": "Invalid back reference",
    "min repeat": "Invalid content of \\{\\}",
    "multiple repeat": "Invalid preceding regular expression",
    "nothing to repeat": "Invalid preceding regular expression",
    "bad escape": "Trailing backslash",
}


def _said(error: re.error) -> str:
    text = str(error)
    return next((words for start, words in _WORDS.items() if text.startswith(start)), text)


def substituted(pattern: re.Pattern[str], fresh: Callable[[re.Match[str]], str], text: str) -> str:
    """A text in which every match is put anew; nothing is found right behind another match."""
    out, at, last = "", 0, -1
    for match in pattern.finditer(text):
        start, end = match.span()
        if start == end == last:
            continue
        out += text[at:start] + fresh(match)
        at = last = end
    return out + text[at:]


def translated(text: str, *, extended: bool) -> str:
    """A POSIX expression as a Python one."""
    out, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "[":
            part, at = bracket(text, at)
            out += part
            continue
        if char == "\\" and at + 1 < len(text):
            follow = text[at + 1]
            at += 2
            if follow in "(){}|+?":
                out += f"\\{follow}" if extended else follow
            elif follow in "<>":
                out += r"\b"
            elif follow.isdigit() or follow in _SAME:
                out += f"\\{follow}"
            else:
                out += re.escape(follow)
            continue
        if not extended and char in "(){}|+?":
            out += f"\\{char}"
        elif char == "*" and (not out or out.endswith(("(", "|")) or out == "^"):
            out += r"\*"
        else:
            out += char
        at += 1
    return out


def bracket(text: str, at: int) -> tuple[str, int]:
    """A bracket that begins at a place, as Python has it, and where it ends; beyond the text if not."""
    end = at + 1
    if text[end : end + 1] == "^":
        end += 1
    if text[end : end + 1] == "]":
        end += 1
    while end < len(text) and text[end] != "]":
        if text.startswith("[:", end):
            end = text.find(":]", end) + 1 if ":]" in text[end:] else end
        end += 1
    inner = text[at + 1 : end]
    negated = inner.startswith("^")
    inner = re.sub(
        r"\[:(\w+):\]",
        lambda match: f"\0{match.group(1)}\0",
        inner[1:] if negated else inner,
    )
    inner = inner.replace("\\", "\\\\").replace("[", r"\[").replace("]", r"\]")
    inner = inner.replace("\\\\n", "\\n").replace("\\\\t", "\\t")
    inner = re.sub(r"\0(\w+)\0", lambda match: _CLASSES.get(match.group(1), ""), inner)
    return f"[{'^' if negated else ''}{inner}]", end + 1
