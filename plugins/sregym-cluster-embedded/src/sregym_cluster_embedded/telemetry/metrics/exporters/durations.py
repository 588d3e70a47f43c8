"""Histograms of what always takes about as long: its time is no state of the cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.metrics.exposition import BEGINNING, FOREVER, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.promql.data import Floats


def even_rows(
    sample: str,
    labels: Pairs,
    counted: Callable[[Floats], Floats],
    took: float,
    bounds: Sequence[float],
    since: float = BEGINNING,
    until: float = FOREVER,
) -> Iterator[Row]:
    """The rows of a histogram whose observations are all alike.

    Args:
        sample: Which of its samples: `_bucket`, `_sum` or `_count` at its end.
        labels: Besides `le`.
        counted: How many observations there were.
        took: What each of them is.
        bounds: Upper bounds of the buckets, ascending, without infinity.
        since: From when on there are rows.
        until: Up to when.
    """
    if sample.endswith("_count"):
        yield Row(labels, counted, since, until)
    elif sample.endswith("_sum"):
        yield Row(labels, lambda seconds: counted(seconds) * took, since, until)
    else:
        for bound in bounds:
            value = counted if took <= bound else 0.0
            yield Row((*labels, ("le", _shown(bound))), value, since, until)
        yield Row((*labels, ("le", "+Inf")), counted, since, until)


def _shown(bound: float) -> str:
    return f"{bound:g}"
