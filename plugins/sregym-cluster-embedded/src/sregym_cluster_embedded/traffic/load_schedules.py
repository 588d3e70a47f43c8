"""How the load of a generator changes with time: schedules, bursts, users of a closed loop."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_apps.model import expand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_apps.model import LoadGeneratorProgram

# Moments closer together than this are one.
_NEAR_S = 1e-6


def number(text: str) -> float:
    """The number of a setting; 0 for what is none."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if 0 < found < math.inf else 0.0


def users_of(program: LoadGeneratorProgram, facts: Mapping[str, str]) -> float:
    """Users of a closed loop; 0 for an open one."""
    return number(expand(program.users, facts)) if program.users else 0.0


def factor(program: LoadGeneratorProgram, age_s: float, facts: Mapping[str, str]) -> float:
    """What the load is multiplied with, so long after the first request."""
    found = _staged(program, age_s, facts)
    at = age_s % program.repeat_s if program.repeat_s else age_s
    for phase in program.schedule:
        if at >= phase.at_s - _NEAR_S:
            found = phase.times
    for burst in program.bursts:
        since = age_s - burst.from_s
        if since >= -_NEAR_S and (since + _NEAR_S) % burst.every_s < burst.for_s:
            found *= burst.times
    return found


def next_change(
    program: LoadGeneratorProgram, age_s: float, facts: Mapping[str, str]
) -> float | None:
    """When the factor may change next, counted from the first request; None for never."""
    found = (*_changes(program, age_s), *_between_stages(program, age_s, facts))
    return min((at for at in found if at > age_s + _NEAR_S), default=None)


def _stages(
    program: LoadGeneratorProgram, facts: Mapping[str, str]
) -> tuple[list[tuple[float, float, float]], float]:
    """Begin, end and factor of the stages of the first turn, and how long a turn is; 0: no other."""
    found, at = [], 0.0
    for stage in program.stages:
        lasts = number(expand(stage.for_s, facts))
        if lasts:
            found.append((at, at + lasts, number(expand(stage.times, facts))))
            at += lasts
    pause = number(expand(program.cycle_s, facts))
    return found, at + pause if found and pause else 0.0


def _staged(program: LoadGeneratorProgram, age_s: float, facts: Mapping[str, str]) -> float:
    stages, turn = _stages(program, facts) if program.stages else ([], 0.0)
    at = (age_s + _NEAR_S) % turn if turn else age_s + _NEAR_S
    return next((times for begin, end, times in stages if begin <= at < end), 1.0)


def _between_stages(
    program: LoadGeneratorProgram, age_s: float, facts: Mapping[str, str]
) -> Iterator[float]:
    stages, turn = _stages(program, facts) if program.stages else ([], 0.0)
    began = math.floor(age_s / turn) * turn if turn else 0.0
    for _, end, _ in stages:
        yield began + end
    if turn:
        yield began + turn
        yield began + turn + stages[0][1]


def _changes(program: LoadGeneratorProgram, age_s: float) -> Iterator[float]:
    turns = math.floor(age_s / program.repeat_s) if program.repeat_s else 0
    for phase in program.schedule:
        yield turns * program.repeat_s + phase.at_s
    if program.repeat_s and program.schedule:
        yield (turns + 1) * program.repeat_s
        yield (turns + 1) * program.repeat_s + program.schedule[0].at_s
    for burst in program.bursts:
        turn = max(0, math.floor((age_s - burst.from_s) / burst.every_s))
        for begin in (turn, turn + 1):
            yield burst.from_s + begin * burst.every_s
            yield burst.from_s + begin * burst.every_s + burst.for_s
