"""What Prometheus tells of the work that a query was, when it is asked with `stats`."""

from __future__ import annotations

from typing import Any

# A query takes so long by itself, and so much longer for each sample.
_QUERY_S, _SAMPLE_S = 8.1e-05, 4.2e-07
_PREPARATION_S, _QUEUE_S = 5.2e-05, 1.4e-05


def statistics(samples: int) -> dict[str, Any]:
    """`stats` beside the result of a query that looked at so many samples."""
    inner = round(_QUERY_S - _PREPARATION_S + samples * _SAMPLE_S, 9)
    return {
        "timings": {
            "evalTotalTime": round(inner + _PREPARATION_S, 9),
            "resultSortTime": 0,
            "queryPreparationTime": _PREPARATION_S,
            "innerEvalTime": inner,
            "execQueueTime": _QUEUE_S,
            "execTotalTime": round(inner + _PREPARATION_S + _QUEUE_S, 9),
        },
        "samples": {"totalQueryableSamples": samples, "peakSamples": samples},
    }
