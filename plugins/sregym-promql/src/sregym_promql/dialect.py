"""Which PromQL is spoken: what later versions of Prometheus read and answer otherwise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """What a version of Prometheus does otherwise than others.

    Attributes:
        name: As it is asked for: `2.42` or `3`.
        left_open: Ranges, subqueries and the look-back leave out a sample at their very begin.
        dot_matches_newline: In regular expressions `.` matches a newline, too.
        delayed_names: Functions and operators mark the name of a metric for removal; it is removed
            from the answer, so that expressions around them still see it.
        expressions_of_durations: Numbers are durations in seconds and durations numbers, and ranges
            and offsets take arithmetic with them: `[5m + 1m]`, `offset -(1m)`, `step()`.
        quoted_names: Names of metrics and labels may be any text, in quotes: `{"a.b", "c d"="e"}`.
        later_functions: Functions and aggregations that came after 2.42, those among them that
            Prometheus calls experimental.
        compensated: Sums and means over series know what rounding took from them.
        zero_after_threshold: Rates are carried on to where a counter was zero also where the window
            begins far before the first sample.
    """

    name: str
    left_open: bool = False
    dot_matches_newline: bool = False
    delayed_names: bool = False
    expressions_of_durations: bool = False
    quoted_names: bool = False
    later_functions: bool = False
    compensated: bool = False
    zero_after_threshold: bool = False


PROMETHEUS_2 = Dialect("2.42")
PROMETHEUS_3 = Dialect(
    "3",
    left_open=True,
    dot_matches_newline=True,
    delayed_names=True,
    expressions_of_durations=True,
    quoted_names=True,
    later_functions=True,
    compensated=True,
    zero_after_threshold=True,
)
DIALECTS = (PROMETHEUS_2, PROMETHEUS_3)


def dialect_named(name: str) -> Dialect:
    """The dialect of that name.

    Raises:
        ValueError: There is none.
    """
    for dialect in DIALECTS:
        if dialect.name == name:
            return dialect
    known = ", ".join(dialect.name for dialect in DIALECTS)
    message = f"no dialect of PromQL: {name!r}; there are {known}"
    raise ValueError(message)
