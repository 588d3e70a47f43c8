"""Families of datastores' exporters, and what their samples are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_cluster_embedded.telemetry.metrics.exposition import Family, Pairs
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet
from sregym_cluster_embedded.userland.command_counts import ANSWER_BYTES, REQUEST_BYTES

if TYPE_CHECKING:
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.metrics.exporters.stores.store import Store
    from sregym_cluster_embedded.telemetry.metrics.exposition import Row, Value

# Labels and value; a row is there no longer than it says.
Said: TypeAlias = Iterator["tuple[Pairs, Value] | Row"]
Saying: TypeAlias = Callable[["Store"], Said]
Figure: TypeAlias = Callable[["Store"], "Value"]

MIB = 1024.0 * 1024.0


class Measure(NamedTuple):
    """One family of a datastore's exporter."""

    family: Family
    of: Saying


def gauge(name: str, text: str, of: Figure | float) -> Measure:
    """A gauge without labels of its own; a number is a constant."""
    return Measure(Family(name, "gauge", text), _one(of))


def counter(name: str, text: str, of: Figure | float) -> Measure:
    """A counter without labels of its own."""
    return Measure(Family(name, "counter", text), _one(of))


def gauges(name: str, text: str, of: Saying) -> Measure:
    """A gauge with labels."""
    return Measure(Family(name, "gauge", text), of)


def counters(name: str, text: str, of: Saying) -> Measure:
    """A counter with labels."""
    return Measure(Family(name, "counter", text), of)


def _one(of: Figure | float) -> Saying:
    def said(store: Store) -> Said:
        yield (), of(store) if callable(of) else of

    return said


def by(label: str, figures: Mapping[str, Figure | float]) -> Saying:
    """One series for each value of a label."""

    def said(store: Store) -> Said:
        for value, of in figures.items():
            yield ((label, value),), of(store) if callable(of) else of

    return said


def by_command(label: str, words: Mapping[str, str], *more: str) -> Saying:
    """One series for each command; commands that the exporter counts as one are added up.

    Args:
        label: Its label.
        words: Command -> how the exporter calls it.
        more: What is there even without any request for it.
    """

    def said(store: Store) -> Said:
        kinds: dict[str, list[str]] = {word: [] for word in more}
        for name in store.commands:
            kinds.setdefault(words.get(name, name), []).append(name)
        for kind, names in sorted(kinds.items()):
            yield ((label, kind),), store.total(names=tuple(names)) if names else 0.0

    return said


def total(*names: str, outcome: str | None = None, factor: float = 1.0) -> Figure:
    """Commands, counted: all, or those of these names that ended so."""

    def of(store: Store) -> Value:
        return store.total(outcome, tuple(names), factor)

    return of


def memory(store: Store) -> Value:
    """The working set in bytes."""
    return WorkingSet(store.instance)


def memory_mib(store: Store) -> Value:
    """The working set in whole mebibytes."""
    held = WorkingSet(store.instance)

    def of(seconds: Floats) -> Floats:
        found: Floats = held(seconds) // MIB
        return found

    return of


received, sent = total(factor=REQUEST_BYTES), total(factor=ANSWER_BYTES)
