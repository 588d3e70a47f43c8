"""Requests of one operation that differ, in their headers for instance, told as those of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.arrivals import blended
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_cluster_embedded.traffic.segments import Flow


def by_name(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Flows in their order, those of the same operation as one."""
    known: dict[str, list[Flow]] = {}
    for flow in flows:
        known.setdefault(flow.operation, []).append(flow)
    return tuple(found[0] if len(found) == 1 else _merged(found) for found in known.values())


def _merged(flows: Sequence[Flow]) -> Flow:
    rate = sum(flow.rate for flow in flows)
    if not rate:
        return flows[0]
    shares = [flow.rate / rate for flow in flows]
    errors: dict[str, float] = {}
    for flow, share in zip(flows, shares, strict=True):
        for text, part in flow.errors:
            errors[text] = errors.get(text, 0.0) + share * part
    ok = [share * flow.ok for flow, share in zip(flows, shares, strict=True)]
    lost = [share * flow.lost for flow, share in zip(flows, shares, strict=True)]
    return flows[0]._replace(
        rate=round(rate, 6),
        ok=round(sum(ok), 9),
        errors=tuple(sorted((text, round(part, 9)) for text, part in errors.items())),
        time=_mixed(ok, [flow.time for flow in flows]),
        failed_time=_mixed(lost, [flow.failed_time for flow in flows]),
        calls=tuple(call for flow in flows for call in flow.calls),
        rhythm=blended([(flow.rate, flow.rhythm) for flow in flows], rate),
        chance=round(sum(s * flow.chance for flow, s in zip(flows, shares, strict=True)), 6),
        statuses=tuple(sorted(dict(pair for flow in flows for pair in flow.statuses).items())),
    )


def _mixed(weights: Sequence[float], times: Sequence[Time]) -> Time:
    whole = sum(weights)
    if not whole:
        return Time()
    mean = sum(w * time.mean_ms for w, time in zip(weights, times, strict=True)) / whole
    square = sum(
        w * (time.variance + time.mean_ms**2) for w, time in zip(weights, times, strict=True)
    )
    return Time(round(mean, 6), round(max(0.0, square / whole - mean**2), 6))
