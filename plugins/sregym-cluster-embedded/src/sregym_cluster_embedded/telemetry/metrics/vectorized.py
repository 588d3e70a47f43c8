"""Many integrals and counters at once: as one by one, to the last bit, for the price of one.

Each keeps its own moments of change; rows with fewer of them are filled up with such as never come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from sregym_cluster_embedded.telemetry.metrics.arrival_integrals import Progresses
from sregym_cluster_embedded.telemetry.metrics.integrals import WHOLE
from sregym_cluster_embedded.telemetry.metrics.scatter import off_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Floats, Times

    from sregym_cluster_embedded.telemetry.metrics.integrals import Integral, Outcomes, Parts
    from sregym_cluster_embedded.telemetry.metrics.operations import Count

_NEVER = float("inf")
# With more changes than that, looking for a place costs less than comparing with all of them.
_FEW = 32
# In place of an outcome: all of them.
_ALL = -1


class Integrals:
    """Several integrals, as rows.

    Args:
        parts: The integrals; each has a beginning.
    """

    def __init__(self, parts: Sequence[Integral]) -> None:
        self._starts = _filled([part.starts for part in parts], _NEVER)
        self._before = _filled([part.before for part in parts], _NEVER)
        self._rates = _filled([part.rates for part in parts], 0.0)
        self._ends = np.array([part.end for part in parts])[:, np.newaxis]
        self._first = _first_places(self._starts)

    def __call__(self, seconds: Floats) -> Floats:
        """The amounts: rows by moments. The moments are the same for all rows, or rows, too."""
        at = np.minimum(seconds, self._ends)
        if self._starts.shape[1] == 1:
            found: Floats = self._rates * np.maximum(at - self._starts, 0.0)
            return found
        flat = _place(self._starts, at, reached=True) + self._first
        elapsed = np.maximum(at - self._starts.ravel()[flat], 0.0)
        grown: Floats = self._before.ravel()[flat] + self._rates.ravel()[flat] * elapsed
        return grown

    def reached(self, amounts: Floats) -> Floats:
        """When each row reached its amounts."""
        flat = _place(self._before, amounts, reached=False) + self._first
        rates = self._rates.ravel()[flat]
        missing = amounts - self._before.ravel()[flat]
        at = self._starts.ravel()[flat] + missing / np.where(rates > 0, rates, 1.0)
        found: Floats = np.minimum(at, self._ends)
        return found


def _filled(rows: Sequence[Floats], filling: float) -> Floats:
    """Rows of different lengths as one array."""
    width = max(len(row) for row in rows)
    if all(len(row) == width for row in rows):
        return np.array(rows, dtype=np.float64)
    found = np.full((len(rows), width), filling)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found


def _first_places(table: Floats) -> Times:
    rows, width = table.shape
    found: Times = (np.arange(rows, dtype=np.int64) * width)[:, np.newaxis]
    return found


def _place(table: Floats, wanted: Floats, *, reached: bool) -> Times:
    """In each row, the last place that is below what is wanted, or at it if that is `reached`."""
    width = table.shape[1]
    if width == 1:
        return np.zeros(wanted.shape, dtype=np.int64)
    if width <= _FEW:
        edges, looked = table[:, np.newaxis, :], wanted[:, :, np.newaxis]
        count = np.add.reduce(edges <= looked if reached else edges < looked, axis=2)
    else:
        pairs = zip(table, wanted, strict=True)
        side: Literal["left", "right"] = "right" if reached else "left"
        count = np.array([row.searchsorted(own, side) for row, own in pairs])
    found: Times = np.maximum(count - 1, 0)
    return found


class _Alike:
    """The counters of requests with equally many outcomes."""

    def __init__(self, several: Sequence[Outcomes]) -> None:
        self.size = len(several)
        self._groups = [_Together(several, group) for group in range(len(several[0].groups))]

    def counts(self, seconds: Floats) -> dict[int, tuple[Floats, Floats]]:
        """Of each outcome: its counts and how far its requests have come; rows by moments."""
        return {
            place: found for group in self._groups for place, found in group.counts(seconds).items()
        }


class _Together:
    """`integrals.Group` of many counters at once."""

    def __init__(self, several: Sequence[Outcomes], group: int) -> None:
        groups = [one.groups[group] for one in several]
        self._places = groups[0].places
        self._course = Progresses([one.course for one in groups])
        self._sent = Integrals([one.sent for one in groups])
        turns = range(len(groups[0].rests))
        self._rests = [Integrals([one.rests[turn] for one in groups]) for turn in turns]
        self._own = [Integrals([one.own[self._places[turn]] for one in several]) for turn in turns]

    def counts(self, seconds: Floats) -> dict[int, tuple[Floats, Floats]]:
        """Of each outcome."""
        come = self._course(seconds)
        left, found = np.floor(self._sent(come) + WHOLE), {}
        for place, rest, own in zip(self._places, self._rests, self._own, strict=False):
            part = np.minimum(np.floor(own(rest.reached(left)) + WHOLE), left)
            found[place] = (part, come)
            left = left - part
        found[self._places[-1]] = (left, come)
        return found


class _Divided:
    """Histograms with equally many buckets, of one outcome each."""

    def __init__(self, several: Sequence[Parts]) -> None:
        self._starts = _filled([parts.own.starts for parts in several], _NEVER)
        self._ends = np.array([parts.own.end for parts in several])[:, np.newaxis]
        self._first = _first_places(self._starts)
        width = self._starts.shape[1]
        shape = (len(several), width, several[0].rates.shape[1])
        self.size = shape[0] * shape[2]
        self._rates, self._before = np.zeros(shape), np.zeros(shape)
        self._fractions, self._columns = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        self._cells, self._scales = np.zeros(shape[:2]), np.zeros(shape[:2])
        self._begins = np.array([parts.scatter.begin for parts in several])[:, np.newaxis]
        for number, parts in enumerate(several):
            length, scatter = len(parts.rates), parts.scatter
            self._rates[number, :length] = parts.rates
            self._before[number, :length] = parts.before
            self._fractions[number, :length] = scatter.fractions
            self._columns[number, :length] = scatter.columns
            self._cells[number, :length] = scatter.cells
            self._scales[number, :length] = scatter.scales

    def counts(self, counted: Floats, come: Floats) -> Floats:
        """Of each bucket: histograms by buckets by moments."""
        buckets = self._rates.shape[2]
        come = np.minimum(come, self._ends)
        flat = _place(self._starts, come, reached=True) + self._first
        elapsed = come - self._starts.ravel()[flat]
        amounts = self._rates.reshape(-1, buckets)[flat] * elapsed[:, :, np.newaxis]
        amounts += self._before.reshape(-1, buckets)[flat]
        amounts += off_share(
            come * self._cells.ravel()[flat] + self._begins,
            self._scales.ravel()[flat],
            self._columns.reshape(-1, buckets)[flat],
            self._fractions.reshape(-1, buckets)[flat],
        )
        whole = np.minimum(np.floor(amounts + WHOLE), counted[:, :, np.newaxis])
        found: Floats = np.maximum(whole, 0.0).transpose(0, 2, 1)
        return found


class _Work(NamedTuple):
    """What is read off the counters that are alike.

    Attributes:
        counters: The counters.
        counts: The outcomes that are wanted, and rows of the answer with their counters.
        buckets: Outcome, counters, histograms, and rows of the answer (histograms by buckets).
    """

    counters: _Alike
    counts: dict[int, tuple[list[int], list[int]]]
    buckets: list[tuple[int, Times, _Divided, Times, Times]]


class Counters:
    """Several counters, as rows.

    Args:
        several: The counters; there is a beginning to each.
    """

    def __init__(self, several: Sequence[Count]) -> None:
        by_size: dict[tuple[Sequence[int], ...], list[int]] = {}
        for row, counted in enumerate(several):
            alike = tuple(group.places for group in counted.outcomes.groups)
            by_size.setdefault(alike, []).append(row)
        self._work = [_worked_out(several, rows) for rows in by_size.values()]
        # Where each row is found among what is worked out, one after the other.
        self._places = np.empty(len(several), dtype=np.int64)
        first = 0
        for counters, counts, buckets in self._work:
            for rows, owners in counts.values():
                self._places[rows] = first + np.array(owners)
                first += counters.size
            for _, _, divided, rows_, columns in buckets:
                self._places[rows_] = first + columns
                first += divided.size

    def __call__(self, seconds: Floats) -> Floats:
        """The counts: rows by moments."""
        pieces: list[Floats] = []
        for counters, counts, buckets in self._work:
            known = counters.counts(seconds)
            if _ALL in counts:
                whole = np.add.reduce([counted for counted, _ in known.values()])
                known[_ALL] = (whole, whole[:0])
            pieces.extend(known[place][0] for place in counts)
            for place, owners, divided, _, _ in buckets:
                counted, come = known[place]
                several = divided.counts(counted[owners], come[owners])
                pieces.append(several.reshape(-1, len(seconds)))
        found: Floats = np.concatenate(pieces)[self._places]
        return found


def _worked_out(several: Sequence[Count], rows: Sequence[int]) -> _Work:
    outcomes: dict[int, Outcomes] = {}
    counts: dict[int, tuple[list[int], list[int]]] = {}
    histograms: dict[tuple[int, int], dict[int, tuple[Parts, int, list[tuple[int, int]]]]] = {}
    places: dict[int, int] = {}
    for row in rows:
        one, parts = several[row].outcomes, several[row].parts
        if id(one) not in outcomes:
            outcomes[id(one)] = one
            places[id(one)] = len(places)
        name, owner = several[row].name, places[id(one)]
        place = _ALL if name is None else one.names.index(name)
        if parts is None:
            known = counts.setdefault(place, ([], []))
            known[0].append(row)
            known[1].append(owner)
        else:
            alike = histograms.setdefault((place, parts.rates.shape[1]), {})
            alike.setdefault(id(parts), (parts, owner, []))[2].append((row, several[row].number))
    buckets = []
    for (place, width), alike in histograms.items():
        members = [*alike.values()]
        pairs = [
            (row, histogram * width + number)
            for histogram, (_, _, wanted) in enumerate(members)
            for row, number in wanted
        ]
        rows_, columns = np.array(pairs, dtype=np.int64).T
        divided = _Divided([parts for parts, _, _ in members])
        owners = np.array([owner for _, owner, _ in members])
        buckets.append((place, owners, divided, rows_, columns))
    return _Work(_Alike([*outcomes.values()]), counts, buckets)
