"""Expressions of Perl's kind: those of PCRE (web servers, `grep -P`) and of datastores' servers."""

from __future__ import annotations

import re

from sregym_regex.backtracking import Backtracking, TrialsExceededError
from sregym_regex.budget import cached
from sregym_regex.linear import linear
from sregym_regex.matches import Match, PatternError, Searching

__all__ = ["Match", "PatternError", "Searching", "compiled", "found"]

_LONGEST = 65_536
# Whether `\Z` stands there, which RE2 writes differently.
_BEHIND_ALL = re.compile(r"(?<!\\)(?:\\\\)*\\Z")


@cached(256)
def compiled(
    pattern: str, *, ignore_case: bool = False, dot_all: bool = False, multiline: bool = False
) -> Searching:
    """An expression; what RE2 does not know of Perl's is matched by trial and error.

    Args:
        pattern: The expression.
        ignore_case: Whether letters match those of the other case.
        dot_all: Whether `.` matches the end of a line.
        multiline: Whether `^` and `$` match at each line.

    Raises:
        PatternError: It is none; the text is that of Python's parser.
    """
    if len(pattern) > _LONGEST:
        raise PatternError("regular expression is too large")
    try:
        if _BEHIND_ALL.search(pattern) is None:
            text = f"(?s){pattern}" if dot_all else pattern
            return linear(text, ignore_case=ignore_case, multiline=multiline)
    except PatternError:
        pass
    flags = re.IGNORECASE if ignore_case else 0
    flags |= (re.DOTALL if dot_all else 0) | (re.MULTILINE if multiline else 0)
    try:
        return _Limited(pattern, flags)
    except RecursionError:
        raise PatternError("regular expression is too large") from None


def found(pattern: str, text: str, *, ignore_case: bool = False) -> Match | None:
    """The first match in a text; none as well when finding out takes too long.

    Raises:
        PatternError: The pattern is no expression.
    """
    return compiled(pattern, ignore_case=ignore_case).search(text)


class _Limited(Backtracking):
    """An expression that is not found where finding out takes too long, as PCRE has it."""

    def search(self, text: str, pos: int = 0) -> Match | None:
        try:
            return super().search(text, pos)
        except TrialsExceededError:
            return None

    def match(self, text: str) -> Match | None:
        try:
            return super().match(text)
        except TrialsExceededError:
            return None

    def fullmatch(self, text: str) -> Match | None:
        try:
            return super().fullmatch(text)
        except TrialsExceededError:
            return None
