"""Regular expressions of POSIX: those of grep, sed, awk, expr and the shells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex.backtracking import Backtracking, TrialsExceededError
from sregym_regex.budget import OutOfStepsError, cached, spend
from sregym_regex.globs import quoted
from sregym_regex.linear import linear
from sregym_regex.matches import Match, PatternError, Searching

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Match", "PatternError", "Searching", "bracket", "compiled", "of_linear", "translated"]

_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9A-Fa-f",
    "print": " -~", "graph": "!-~", "cntrl": r"\x00-\x1f",
}  # fmt: skip
# Escapes that mean the same here and there.
_SAME = "nt.^$*[]/wWsSbB-"
_NAMED = re.compile(r"\[:(\w+):\]")
_MARKED = re.compile(r"\0(\w+)\0")
_INTERVAL = re.compile(r"(\d*)(,?)(\d*)\}")
_MOST_REPEATS, _AT_ONCE = 32_767, 1000
_LONGEST = 1 << 20
# What glibc says of what Python's parser complains of.
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
    "too large": "Regular expression too big",
}


@cached(256)
def compiled(
    text: str, *, extended: bool = False, ignore_case: bool = False, multiline: bool = False
) -> Searching:
    """A basic or extended expression, compiled.

    Args:
        text: The expression.
        extended: Whether it is an extended one.
        ignore_case: Whether letters match those of the other case.
        multiline: Whether `^` and `$` match at each line of a text.

    Raises:
        PatternError: It is none; the text is glibc's.
    """
    if len(text) > _LONGEST:
        raise PatternError(_WORDS["too large"])
    form = translated(text, extended=extended)
    return of_linear(form, ignore_case=ignore_case, multiline=multiline)


def of_linear(form: str, *, ignore_case: bool = False, multiline: bool = False) -> Searching:
    """An expression that has been translated; with references back it is tried step by step.

    Raises:
        PatternError: It is none; the text is glibc's.
    """
    try:
        return linear(f"(?s){form}", ignore_case=ignore_case, longest=True, multiline=multiline)
    except PatternError as error:
        if str(error).startswith("pattern too large"):
            raise PatternError(_WORDS["too large"]) from None
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0) | (re.MULTILINE if multiline else 0)
    try:
        return _Patient(form, flags)
    except RecursionError:
        raise PatternError(_WORDS["too large"]) from None
    except PatternError as error:
        raise PatternError(_said(str(error))) from None


class _Patient(Backtracking):
    """An expression whose search has no limit of its own: it goes on for as long as it takes."""

    def search(self, text: str, pos: int = 0) -> Match | None:
        try:
            return super().search(text, pos)
        except TrialsExceededError:
            raise OutOfStepsError from None

    def match(self, text: str) -> Match | None:
        try:
            return super().match(text)
        except TrialsExceededError:
            raise OutOfStepsError from None

    def finditer(self, text: str) -> Iterator[Match]:
        try:
            yield from super().finditer(text)
        except TrialsExceededError:
            raise OutOfStepsError from None


def _said(text: str) -> str:
    return next((words for start, words in _WORDS.items() if text.startswith(start)), text)


def translated(text: str, *, extended: bool) -> str:
    """A POSIX expression in the language of RE2."""
    spend(len(text))
    out: list[str] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char == "[":
            part, at = bracket(text, at)
            out.append(part)
            continue
        special = char in "(){}|+?"
        if char == "\\" and at + 1 < len(text):
            char = text[at + 1]
            at += 1
            if char in "(){}|+?":
                special = not extended
            else:
                out.append(_escaped(char))
                at += 1
                continue
        elif special:
            special = extended
        elif char not in "*.^$\\":
            out.append(quoted(char))
            at += 1
            continue
        elif char != "*":
            out.append(char)
            at += 1
            continue
        at += 1
        if char == "*":
            _repeat(out, "*")
        elif not special:
            out.append(f"\\{char}")
        elif char == "{":
            at = _interval(text, at, out, closing="}" if extended else "\\}")
        elif char in "+?":
            _repeat(out, char)
        else:
            out.append("(" if char == "(" else "\\}" if char == "}" else char)
    return "".join(out)


def _escaped(char: str) -> str:
    if char in "<>":
        return r"\b"
    if char.isdigit() or char in _SAME:
        return f"\\{char}"
    return quoted(char)


def _repeat(out: list[str], sign: str) -> None:
    """A repeat behind what stands there; where nothing does, it stands for itself."""
    before = out[-1] if out else "("
    if before in ("(", "|", "^") and sign == "*":
        out.append(f"\\{sign}")
    else:
        out.append(sign)


def _interval(text: str, at: int, out: list[str], closing: str) -> int:
    """`{2,5}` behind an atom; where it is none it stands for itself."""
    end = text.find(closing, at, at + 16)
    found = _INTERVAL.fullmatch(text[at:end] + "}") if end >= 0 else None
    if found is None or not out or not (found[1] or found[2]):
        out.append("\\{")
        return at
    low = int(found[1] or 0)
    high = int(found[3]) if found[3] else None if found[2] else low
    behind = end + len(closing)
    if high is not None and high < low:
        raise PatternError(_WORDS["min repeat"])
    if max(low, high or 0) > _MOST_REPEATS:
        raise PatternError(_WORDS["too large"])
    if out[-1] in ("*", "+", "?"):
        return behind
    many = max(low, high or 0) > _AT_ONCE
    if not many:
        out.append(
            f"{{{low}{',' if found[2] else ''}{'' if high is None else high if found[2] else ''}}}"
        )
        return behind
    if out[-1].endswith(")"):
        raise PatternError(_WORDS["too large"])
    # RE2 counts to a thousand; a single character can be repeated again.
    atom, rest = out.pop(), low
    written = []
    while rest > 0:
        written.append(f"{atom}{{{min(rest, _AT_ONCE)}}}")
        rest -= _AT_ONCE
    rest = 0 if high is None else high - low
    written += [f"{atom}*"] if high is None else []
    while rest > 0:
        written.append(f"{atom}{{0,{min(rest, _AT_ONCE)}}}")
        rest -= _AT_ONCE
    out.append("".join(written))
    return behind


def bracket(text: str, at: int) -> tuple[str, int]:
    """A bracket that begins at a place, as RE2 has it, and where it ends; beyond the text if not."""
    end = at + 1
    if text[end : end + 1] == "^":
        end += 1
    if text[end : end + 1] == "]":
        end += 1
    while end < len(text) and text[end] != "]":
        if text.startswith("[:", end):
            closed = text.find(":]", end)
            end = closed + 1 if closed >= 0 else end
        end += 1
    spend(end - at)
    inner = text[at + 1 : end]
    negated = inner.startswith("^")
    inner = _NAMED.sub(r"\0\1\0".replace("\\0", "\0"), inner[1:] if negated else inner)
    inner = inner.replace("\\", "\\\\").replace("[", r"\[").replace("]", r"\]")
    inner = inner.replace("\\\\n", "\\n").replace("\\\\t", "\\t")
    if not negated and inner.startswith("^"):
        inner = f"\\{inner}"
    inner = _MARKED.sub(lambda match: _CLASSES.get(match.group(1), ""), inner)
    if end >= len(text):
        return f"[{'^' if negated else ''}{inner}", end + 1
    return f"[{'^' if negated else ''}{inner}]", end + 1
