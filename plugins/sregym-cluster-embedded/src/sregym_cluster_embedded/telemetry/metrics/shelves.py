"""Series as they are kept: rows of exporters with all of their labels, ready to be selected."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.telemetry.promql.data import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sregym_cluster_embedded.telemetry.metrics.exposition import (
        Exporter,
        Pairs,
        Part,
        Row,
        Target,
    )
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.promql.data import Labels, Matcher


class Kept(NamedTuple):
    """One series of a target.

    Attributes:
        labels: As they are stored.
        known: The same, by name.
        row: Its values, and how long it is there.
    """

    labels: Labels
    known: Mapping[str, str]
    row: Row


def targets(view: View, exporter: Exporter) -> Sequence[Target]:
    """All targets of an exporter that there ever were."""
    basis = view.basis(exporter.reads)
    return view.remembered(("targets", exporter), basis, partial(exporter.targets, view))


def kept(
    view: View,
    exporter: Exporter,
    target: Target,
    sample: str,
    matchers: Sequence[Matcher] = (),
    span: tuple[float, float] = (float("-inf"), float("inf")),
) -> Iterator[Sequence[Kept]]:
    """The series of one sample name at a target, those together that are worked out together.

    Args:
        view: The cluster.
        exporter: Whose.
        target: Which one.
        sample: The name.
        matchers: Series that they do not select may be left out.
        span: Virtual seconds; series that are not there in between may be left out.
    """
    for part in exporter.parts(view, target, sample):
        if part.until < span[0] or part.since > span[1]:
            continue
        if matchers and not may_be(part.labels, matchers):
            continue
        key = (sample, target.labels, part.key)
        yield view.remembered(key, part.basis, partial(_shelf, sample, target, part))


def may_be(labels: Pairs, matchers: Sequence[Matcher]) -> bool:
    """Whether matchers may select series with these labels among others."""
    for matcher in matchers:
        for name, value in labels:
            if name == matcher.name and not matcher.matches(value):
                return False
    return True


def own(name: str, target: Target, row: Row) -> Kept:
    """What Prometheus itself notes of a target."""
    return _kept(name, target, row)


def _shelf(sample: str, target: Target, part: Part) -> Sequence[Kept]:
    return tuple(_kept(sample, target, row) for row in part.rows())


def _kept(name: str, target: Target, row: Row) -> Kept:
    """With all labels; what the target says wins unless it honours those of samples."""
    found = dict(target.labels)
    for label, value in row.labels:
        if label in found and not target.honours:
            label = f"exported_{label}"
        found[label] = value
    found[NAME] = name
    labels = tuple(sorted(pair for pair in found.items() if pair[1]))
    return Kept(labels, found, row)
