"""CoreDNS: questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sregym_apps.model import NameServerProgram

from sregym_cluster_embedded.telemetry.metrics.exporters.durations import spread_rows
from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Row, Target
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.pods import Scraped, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import LIVES, LIVES_IN_ORDER
from sregym_cluster_embedded.telemetry.metrics.work import end_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.telemetry.lives import Life
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.promql.data import Floats

_REQUESTS = Family(
    "coredns_dns_requests_total",
    "counter",
    "Counter of DNS requests made per zone, protocol and family.",
)
_RESPONSES = Family("coredns_dns_responses_total", "counter", "Counter of response status codes.")
_BUILD = Family(
    "coredns_build_info",
    "gauge",
    "A metric with a constant '1' value labeled by version, revision, and goversion from which CoreDNS was built.",
)
_PANICS = Family("coredns_panics_total", "counter", "A metrics that counts the number of panics.")
_DURATION = Family(
    "coredns_dns_request_duration_seconds",
    "histogram",
    "Histogram of the time (in seconds) each request took per zone.",
)
_SIZE = Family(
    "coredns_dns_request_size_bytes",
    "histogram",
    "Size of the EDNS0 UDP buffer in bytes (64K for TCP) per zone and protocol.",
)
_ANSWER_SIZE = Family(
    "coredns_dns_response_size_bytes", "histogram", "Size of the returned response in bytes."
)
_REJECTED = Family(
    "coredns_forward_max_concurrent_rejects_total",
    "counter",
    "Counter of the number of queries rejected because the concurrent queries were at maximum.",
)
# What a look-up takes and weighs, and the bounds of CoreDNS's histograms.
_TOOK_S, _ASKED_BYTES, _ANSWERED_BYTES = 0.0002, 66.0, 130.0
_SECONDS = tuple(0.00025 * 2**power for power in range(16))
_BYTES = (
    0, 100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16000, 32000, 48000, 64000,
)  # fmt: skip
_SERVER = ("server", "dns://:53")
# Clients keep their connections: a process asks again for the names it depends on twice a minute.
_RATE = 1 / 30


class CoreDns(Exporter):
    """One target for each replica of the cluster DNS."""

    families: Sequence[Family] = (
        _REQUESTS, _RESPONSES, _DURATION, _SIZE, _ANSWER_SIZE, _REJECTED, _BUILD, _PANICS,
    )  # fmt: skip
    reads = ("pods", LIVES, LIVES_IN_ORDER)
    found_by = ("pods", LIVES)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The replicas."""
        found = container_targets(view, self, _is_one, lambda _: 9153, "kube-dns")
        more = (("service", "kube-dns"), ("endpoint", "metrics"))
        return [
            target._replace(
                labels=(
                    *(pair for pair in target.labels if pair[0] not in ("service", "node")),
                    *more,
                )
            )
            for target in found
        ]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one replica, life by life."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        for life in scraped.lives:
            served, until = life.process.served_at, end_of(life)
            if served is None:
                continue
            if sample == _BUILD.name:
                labels = (("goversion", "go1.24.1"), ("version", "1.12.1"))
                yield Row(labels, 1.0, served, until)
            elif sample in (_PANICS.name, _REJECTED.name):
                yield Row((), 0.0, served, until)
            else:
                yield from _questions(view, life, sample)


def _is_one(life: Life) -> bool:
    return isinstance(life.process.behaviour, NameServerProgram)


def _questions(view: View, life: Life, sample: str) -> Iterator[Row]:
    since, until = life.process.served_at or 0.0, end_of(life)
    asked, lost = [], []
    for other in view.lives_in_order:
        if isinstance(other.process.behaviour, NameServerProgram):
            continue
        end = min(end_of(other), until)
        asked.append(Integral([max(other.process.started_at, since)], [_RATE], end))
        starts = [max(segment.start, since) for segment in other.served]
        rates = [_failing(other, number) for number in range(len(other.served))]
        if any(rates):
            lost.append(Integral(starts, rates, end))
    base = (_SERVER, ("zone", "."), ("plugin", "kubernetes"))
    if sample == _REQUESTS.name:
        labels = (_SERVER, ("zone", "."), ("proto", "udp"), ("family", "1"), ("type", "A"))
        yield Row(labels, _Sum([*asked, *lost]), since, until)
        return
    for family, took, bounds in (
        (_DURATION, _TOOK_S, _SECONDS),
        (_SIZE, _ASKED_BYTES, _BYTES),
        (_ANSWER_SIZE, _ANSWERED_BYTES, _BYTES),
    ):
        if sample.startswith(family.name):
            more = () if family is _DURATION else (("proto", "udp"),)
            labels = (_SERVER, ("zone", "."), *more)
            counted = _Sum([*asked, *lost])
            yield from spread_rows(sample, labels, counted, took, bounds, since, until)
            return
    yield Row((*base, ("rcode", "NOERROR")), _Sum(asked), since, until)
    yield Row((*base, ("rcode", "NXDOMAIN")), _Sum(lost), since, until)


def _failing(life: Life, number: int) -> float:
    """Calls a second that end because a name is not known."""
    return sum(
        call.rate * share
        for flow in life.served[number].flows
        for call in flow.calls
        for kind, _, share in call.errors
        if kind == "dns"
    )


class _Sum:
    def __init__(self, parts: Sequence[Integral]) -> None:
        self._parts = parts

    def __call__(self, seconds: Floats) -> Floats:
        total = np.zeros(len(seconds))
        for part in self._parts:
            total += np.maximum(part(seconds), 0.0)
        return np.floor(total + 1e-6)
