"""How many series, labels and values there are, as Prometheus' status of its storage tells it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from sregym_promql.storage import NAME

from sregym_cluster_embedded.telemetry.metrics.exposition import INTERVAL_S

if TYPE_CHECKING:
    from collections.abc import Collection

    from sregym_promql.storage import Labels

# What is told of each kind, and how many samples a chunk holds.
_MOST, _CHUNK = 10, 120


def cardinality(series: Collection[Labels], first_ms: int, last_ms: int) -> dict[str, Any]:
    """Of /api/v1/status/tsdb.

    Args:
        series: All that are in memory.
        first_ms: The time of their first sample.
        last_ms: And of their last.
    """
    pairs = Counter(pair for labels in series for pair in labels)
    values: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for name, value in pairs:
        values[name] += 1
        sizes[name] += len(value.encode())
    metrics = Counter({value: n for (name, value), n in pairs.items() if name == NAME})
    samples = max(last_ms - first_ms, 0) // round(INTERVAL_S * 1000) + 1
    return {
        "headStats": {
            "numSeries": len(series),
            "numLabelPairs": len(pairs),
            "chunkCount": len(series) * -(-samples // _CHUNK),
            "minTime": first_ms,
            "maxTime": last_ms,
        },
        "seriesCountByMetricName": _most(metrics),
        "labelValueCountByLabelName": _most(values),
        "memoryInBytesByLabelName": _most(sizes),
        "seriesCountByLabelValuePair": _most(
            Counter({f"{name}={value}": n for (name, value), n in pairs.items()})
        ),
    }


def _most(counted: Counter[str]) -> list[dict[str, Any]]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [{"name": name, "value": number} for name, number in ordered[:_MOST]]
