"""How the values of many series are worked out together."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.jitter import Unsteady, unsteady_moments
from sregym_cluster_embedded.telemetry.metrics.operations import Count
from sregym_cluster_embedded.telemetry.metrics.values import Scaled, Summed
from sregym_cluster_embedded.telemetry.metrics.vectorized import Counters, Integrals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_promql.storage import Floats, Times

    from sregym_cluster_embedded.telemetry.metrics.exposition import Value

# Fewer are worked out one by one.
_FEWEST = 3


class Plan:
    """The values of some series, as rows.

    Args:
        values: Of each row.
    """

    def __init__(self, values: Sequence[Value]) -> None:
        self._fixed = [0.0 if callable(value) else value for value in values]
        self._each: list[tuple[int, Callable[[Floats], Floats]]] = []
        self._together: list[tuple[list[int], Callable[[Floats], Floats]]] = []
        # For one moment: what is quicker one by one.
        self._quick: list[tuple[int, Callable[[float], float]]] = []
        self._slow: list[tuple[list[int], Callable[[Floats], Floats]]] = []
        self._sums: tuple[list[int], _Summed] | None = None
        kinds: dict[type, list[tuple[int, Any]]] = {}
        for row, value in enumerate(values):
            if callable(value):
                kinds.setdefault(type(value), []).append((row, value))
        places = {id(value): row for row, value in enumerate(values)}
        for kind, members in kinds.items():
            if kind is Summed and all(_among(value, places) for _, value in members):
                # Sums of what is worked out anyway.
                sums = _Summed([value for _, value in members], places)
                self._sums = ([row for row, _ in members], sums)
                self._quick.extend((row, value.at) for row, value in members)
            else:
                self._note(kind, members)
        # Most often all rows are of one kind.
        self._whole = len(self._together) == 1 and len(self._together[0][0]) == len(values)

    def _note(self, kind: type, members: Sequence[tuple[int, Any]]) -> None:
        rows, own = [row for row, _ in members], [value for _, value in members]
        work = _TOGETHER.get(kind)
        together = work(own) if work is not None and len(own) >= _FEWEST else None
        if together is None:
            self._each.extend(members)
        else:
            self._together.append((rows, together))
        if hasattr(kind, "at"):
            self._quick.extend((row, value.at) for row, value in members)
        elif together is not None:
            self._slow.append((rows, together))
        else:
            self._slow.extend(([row], _as_row(value)) for row, value in members)

    def at(self, second: float) -> list[float]:
        """The values at one moment."""
        found = self._fixed.copy()
        for row, quick in self._quick:
            found[row] = quick(second)
        if self._slow:
            # One array for all: what is worked out together is kept for the same array.
            seconds = np.array([second])
            for rows, work in self._slow:
                for row, number in zip(rows, work(seconds)[:, 0].tolist(), strict=True):
                    found[row] = number
        return found

    def over(self, seconds: Floats) -> Floats:
        """The values at many moments: rows by moments."""
        if self._whole:
            return self._together[0][1](seconds)
        found = np.empty((len(self._fixed), len(seconds)))
        found[:] = np.array(self._fixed)[:, np.newaxis]
        for row, value in self._each:
            found[row] = value(seconds)
        for rows, work in self._together:
            found[rows] = work(seconds)
        if self._sums is not None:
            rows, sums = self._sums
            found[rows] = sums.of(found[sums.places], seconds)
        return found


def _as_row(value: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    return lambda seconds: value(seconds)[np.newaxis]


class _Scaled:
    def __init__(self, values: Sequence[Scaled]) -> None:
        self._inner = Plan([scaled.value for scaled in values])
        self._factors = np.array([scaled.factor for scaled in values])[:, np.newaxis]

    def __call__(self, seconds: Floats) -> Floats:
        found: Floats = self._inner.over(seconds) * self._factors
        return found


def _among(summed: Summed, places: Mapping[int, int]) -> bool:
    values = [member.value for member in summed.members]
    return all(id(value) in places and not isinstance(value, Summed) for value in values)


class _Summed:
    def __init__(self, values: Sequence[Summed], places: Mapping[int, int] | None = None) -> None:
        members = [member for summed in values for member in summed.members]
        self._rows = len(values)
        # Where the members stand in a plan that has them; else a plan of their own.
        self.places = [] if places is None else [places[id(member.value)] for member in members]
        self._inner = Plan([member.value for member in members] if places is None else [])
        self._since = np.array([member.since for member in members])[:, np.newaxis]
        stays = [summed.stays for summed in values for _ in summed.members]
        until = [
            np.inf if keeps else member.until for keeps, member in zip(stays, members, strict=True)
        ]
        self._until = np.array(until)[:, np.newaxis]
        # The first members of all, then the second ones, and so on: sums grow in their order.
        self._turns: list[tuple[Times, Times]] = []
        first = np.cumsum([0, *(len(summed.members) for summed in values)])
        lengths = np.diff(first)
        for turn in range(int(lengths.max(initial=0))):
            rows = np.flatnonzero(lengths > turn)
            self._turns.append((rows, first[rows] + turn))

    def __call__(self, seconds: Floats) -> Floats:
        return self.of(self._inner.over(seconds), seconds)

    def of(self, members: Floats, seconds: Floats) -> Floats:
        """The sums of what members are at each moment."""
        there = (seconds >= self._since) & (seconds < self._until)
        added = np.where(there, members, 0.0)
        found = np.zeros((self._rows, len(seconds)))
        for rows, places in self._turns:
            found[rows] += added[places]
        return found


def _begun(values: Sequence[Integral]) -> Integrals | None:
    return Integrals(values) if all(len(value.starts) for value in values) else None


def _unsteady(values: Sequence[Unsteady]) -> Callable[[Floats], Floats] | None:
    flows = _begun([value.flow for value in values])
    if flows is None:
        return None
    begin = np.array([value.begin for value in values])[:, np.newaxis]
    return lambda seconds: flows(unsteady_moments(begin, seconds))


def _counted(values: Sequence[Count]) -> Counters | None:
    return Counters(values) if all(len(value.outcomes.starts) for value in values) else None


_TOGETHER: Mapping[type, Callable[[Any], Callable[[Floats], Floats] | None]] = MappingProxyType(
    {Integral: _begun, Unsteady: _unsteady, Count: _counted, Scaled: _Scaled, Summed: _Summed}
)
