"""Regular expressions and globs from untrusted authors, matched in bounded time.

`go` is the language of Go's programs, `posix` that of grep, sed, awk and the shells, `perl` that of
PCRE; `globs` are patterns of names. All of them are matched by RE2, in time linear in the text.
What RE2 has no answer to (references back, look-around) is matched step by step, and the steps are
counted. `budget` limits what such work, or any other, may cost, and cancels it.

These five modules and the names here are what this library promises.
"""

from __future__ import annotations

from sregym_regex.budget import (
    Budget,
    BudgetExceededError,
    CancelledError,
    OutOfMemoryError,
    OutOfStepsError,
    under,
)
from sregym_regex.matches import Match, PatternError, Searching

__all__ = [
    "Budget",
    "BudgetExceededError",
    "CancelledError",
    "Match",
    "OutOfMemoryError",
    "OutOfStepsError",
    "PatternError",
    "Searching",
    "under",
]
