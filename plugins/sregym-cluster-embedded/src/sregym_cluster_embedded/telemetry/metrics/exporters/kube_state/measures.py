"""From what an object says to rows: measures over the versions of an object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_cluster_embedded.telemetry.metrics.exposition import FOREVER, Family, Pairs, Row, Steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.object_history import Lifeline

Measured: TypeAlias = Iterable[tuple[Pairs, float]]


class Measure(NamedTuple):
    """One family about one resource.

    Attributes:
        family: Name, type and help.
        of: What an object says: labels and values.
    """

    family: Family
    of: Callable[[Object], Measured]


def gauge(name: str, help_text: str, of: Callable[[Object], Measured]) -> Measure:
    """A measure that is a gauge."""
    return Measure(Family(name, "gauge", help_text), of)


def counter(name: str, help_text: str, of: Callable[[Object], Measured]) -> Measure:
    """A measure that is a counter."""
    return Measure(Family(name, "counter", help_text), of)


def rows_of(line: Lifeline, measure: Measure) -> Iterator[Row]:
    """The rows of one object for one measure."""
    tracks: dict[Pairs, list[tuple[float, float, float]]] = {}
    for since, until, measured in _changing(line, measure):
        for labels, value in measured:
            track = tracks.setdefault(labels, [])
            if track and track[-1][1] == since and track[-1][2] == value:
                track[-1] = (track[-1][0], until, value)
            else:
                track.append((since, until, value))
    for labels, track in tracks.items():
        yield from _rows(labels, track)


def _changing(
    line: Lifeline, measure: Measure
) -> Iterator[tuple[float, float, list[tuple[Pairs, float]]]]:
    """What an object says and from when to when: most of its versions say what those before said."""
    begin, end, told = 0.0, 0.0, list[tuple[Pairs, float]]()
    for since, until, obj in line.spans(FOREVER):
        found = list(measure.of(obj))
        if found == told and end == since:
            end = until
            continue
        if told:
            yield begin, end, told
        begin, end, told = since, until, found
    if told:
        yield begin, end, told


def _rows(labels: Pairs, track: list[tuple[float, float, float]]) -> Iterator[Row]:
    """One row for each stretch in which a label set was there."""
    stretch: list[tuple[float, float, float]] = []
    for part in track:
        if stretch and stretch[-1][1] != part[0]:
            yield _row(labels, stretch)
            stretch = []
        stretch.append(part)
    if stretch:
        yield _row(labels, stretch)


def _row(labels: Pairs, stretch: list[tuple[float, float, float]]) -> Row:
    since, until = stretch[0][0], stretch[-1][1]
    value = (
        stretch[0][2]
        if len(stretch) == 1
        else Steps([part[0] for part in stretch], [part[2] for part in stretch])
    )
    return Row(labels, value, since, until)


def unix(timestamp: str) -> float:
    """Seconds since 1970 of a timestamp of the API."""
    return datetime.fromisoformat(timestamp[:19]).replace(tzinfo=UTC).timestamp()


def created(obj: Object) -> float:
    """When an object was created, in Unix seconds."""
    return unix(obj["metadata"]["creationTimestamp"])


def states(labels: Pairs, name: str, names: Iterable[str], present: str) -> Measured:
    """One sample for each state that there can be: 1 for the present one."""
    return [((*labels, (name, state)), float(state == present)) for state in names]


CONDITION = ("true", "false", "unknown")


def conditions(labels: Pairs, obj: Object, name: str = "condition") -> Measured:
    """One sample for each condition and status."""
    found: list[tuple[Pairs, float]] = []
    for entry in obj.get("status", {}).get("conditions", ()):
        kept = (*labels, (name, entry["type"]))
        found.extend(states(kept, "status", CONDITION, entry["status"].lower()))
    return found


def named(label: str) -> Callable[[Object], Pairs]:
    """The labels of objects that are known by namespace and name."""

    def of(obj: Object) -> Pairs:
        metadata = obj["metadata"]
        return (("namespace", metadata.get("namespace", "")), (label, metadata["name"]))

    return of


def at(obj: Object, path: str) -> object:
    """What stands at a dotted path; None when nothing does."""
    found: object = obj
    for step in path.split("."):
        if not isinstance(found, dict):
            return None
        found = found.get(step)
    return found


def number(
    labels: Callable[[Object], Pairs], path: str, default: float | None = None
) -> Callable[[Object], Measured]:
    """The number, or the moment, at a dotted path; nothing when it is not there."""

    def of(obj: Object) -> Measured:
        found = at(obj, path)
        if isinstance(found, str):
            yield labels(obj), unix(found)
        elif isinstance(found, int | float):
            yield labels(obj), float(found)
        elif default is not None:
            yield labels(obj), default

    return of


def info(labels: Callable[[Object], Pairs], *more: tuple[str, str]) -> Callable[[Object], Measured]:
    """1, with labels (name, dotted path)."""

    def of(obj: Object) -> Measured:
        shown = tuple((name, _text(at(obj, path))) for name, path in more)
        yield (*labels(obj), *shown), 1.0

    return of


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def creation(labels: Callable[[Object], Pairs]) -> Callable[[Object], Measured]:
    """When the object was created."""
    return number(labels, "metadata.creationTimestamp")


def condition_of(labels: Callable[[Object], Pairs]) -> Callable[[Object], Measured]:
    """All conditions."""
    return lambda obj: conditions(labels(obj), obj)


@lru_cache(maxsize=1024)
def label_name(name: str) -> str:
    """The name of the series label for a label of an object."""
    return "label_" + "".join(char if char.isalnum() or char == "_" else "_" for char in name)


def labels_of_object(labels: Callable[[Object], Pairs]) -> Callable[[Object], Measured]:
    """1, with the object's labels."""

    def of(obj: Object) -> Measured:
        kept = obj["metadata"].get("labels") or {}
        shown = tuple((label_name(name), value) for name, value in sorted(kept.items()))
        yield (*labels(obj), *shown), 1.0

    return of


def phase(
    labels: Callable[[Object], Pairs], names: tuple[str, ...]
) -> Callable[[Object], Measured]:
    """One sample for each phase."""
    return lambda obj: states(labels(obj), "phase", names, _text(at(obj, "status.phase")))
