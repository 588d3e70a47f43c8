"""CoreDNS: questions and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sregym_apps.model import NameServerProgram

from sregym_cluster_embedded.network.dns_queries import QUESTIONS
from sregym_cluster_embedded.network.resolver import CLUSTER_DOMAIN
from sregym_cluster_embedded.telemetry.coredns_query_log import (
    FAMILIES,
    Server,
    answering,
    questions,
    rates,
)
from sregym_cluster_embedded.telemetry.metrics.exporters.durations import changing_rows
from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family, Row, Target
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.pods import Scraped, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import (
    INSTANCES,
    INSTANCES_IN_ORDER,
    LOOKUPS,
    SENT_REQUESTS,
)
from sregym_cluster_embedded.telemetry.metrics.work import end_of
from sregym_cluster_embedded.traffic.dns_load import ANSWERS, INSIDE, OUTSIDE
from sregym_cluster_embedded.traffic.segments import SENT, segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.view import View

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
_ZONE = ("zone", ".")
# Types of questions that are counted under their own name.
_TYPES = frozenset({"A", "AAAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"})


class CoreDns(Exporter):
    """One target for each replica of the cluster DNS."""

    families: Sequence[Family] = (
        _REQUESTS, _RESPONSES, _DURATION, _SIZE, _ANSWER_SIZE, _REJECTED, _BUILD, _PANICS,
    )  # fmt: skip
    reads = ("pods", INSTANCES, INSTANCES_IN_ORDER, SENT_REQUESTS, LOOKUPS)
    found_by = ("pods", INSTANCES)

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
        """The series of one replica, instance by instance."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        for instance in scraped.instances:
            served, until = instance.process.served_at, end_of(instance)
            if served is None:
                continue
            if sample == _BUILD.name:
                labels = (("goversion", "go1.24.1"), ("version", "1.12.1"))
                yield Row(labels, 1.0, served, until)
            elif sample in (_PANICS.name, _REJECTED.name):
                yield Row((), 0.0, served, until)
            else:
                yield from _questions(view, instance, sample)


def _is_one(instance: ContainerInstance) -> bool:
    return isinstance(instance.process.behaviour, NameServerProgram)


def _questions(view: View, instance: ContainerInstance, sample: str) -> Iterator[Row]:
    since, until = instance.process.served_at or 0.0, end_of(instance)
    counts = _counts(view, instance)
    if sample == _RESPONSES.name:
        for code, plugin in sorted({(code, plugin) for _, code, plugin in counts}):
            mine = [counts[key] for key in sorted(counts) if key[1:] == (code, plugin)]
            labels = (_SERVER, _ZONE, ("plugin", plugin), ("rcode", code))
            yield Row(labels, _Sum(mine), since, until)
        return
    if sample == _REQUESTS.name:
        for kind in sorted({kind for kind, _, _ in counts}):
            mine = [counts[key] for key in sorted(counts) if key[0] == kind]
            asked = (_SERVER, _ZONE, ("proto", "udp"), ("family", "1"), ("type", kind))
            yield Row(asked, _Sum(mine), since, until)
        return
    for family, took, bounds in (
        (_DURATION, _TOOK_S, _SECONDS),
        (_SIZE, _ASKED_BYTES, _BYTES),
        (_ANSWER_SIZE, _ANSWERED_BYTES, _BYTES),
    ):
        if sample.startswith(family.name):
            more = () if family is _DURATION else (("proto", "udp"),)
            counted = _Sum([counts[key] for key in sorted(counts)])
            means = _taking(instance, took) if family is _DURATION else [(since, took)]
            yield from changing_rows(
                sample, (_SERVER, _ZONE, *more), counted, means, bounds, since, until
            )


def _taking(instance: ContainerInstance, usual: float) -> list[tuple[float, float]]:
    """From when on which time a server took for an answer, in seconds."""
    found = [(instance.process.served_at or 0.0, usual)]
    for segment in instance.served:
        slowest = max((flow.time.mean_ms for flow in segment.flows), default=0.0) / 1000
        # A pair of questions that waits for nothing takes about the usual time.
        mean = slowest if slowest > 2 * usual else usual
        if mean != found[-1][1]:
            found.append((segment.start, mean))
    return found


def _counts(view: View, instance: ContainerInstance) -> dict[tuple[str, str, str], _Share]:
    """What one server answered, by (type of the question, code, plugin that answered)."""
    flowing: dict[tuple[str, str, str], list[Integral]] = {}
    served = [one for one in view.instances_in_order if _is_one(one) and one.process.served_at]
    turns = _Turns(instance, served)
    for other in view.instances_in_order:
        if not _is_one(other):
            for (code, plugin), part in _asked(view, other):
                for kind in FAMILIES:
                    flowing.setdefault((kind, code, plugin), []).append(part)
    commands: dict[tuple[str, str, str], list[float]] = {}
    servers = sorted(Server(one.ref, one.process.started_at, end_of(one)) for one in served)
    for (kind, code), (before, latest) in view.world.table(QUESTIONS).items():
        named = kind if kind in _TYPES else "other"
        for number, heard in enumerate(latest, before):
            if answering(servers, number, heard.at) == instance.ref:
                key = (named, code, _plugin(heard.name))
                commands.setdefault(key, []).append(heard.at)
    own = _served(instance)
    keys = {*flowing, *commands, *own, *((kind, "NOERROR", INSIDE) for kind in FAMILIES)}
    return {
        key: _Share(flowing.get(key, ()), commands.get(key, ()), turns, own.get(key))
        for key in keys
    }


def _served(instance: ContainerInstance) -> dict[tuple[str, str, str], Integral]:
    """What one server answered to look-ups that calls wait for."""
    starts = [segment.start for segment in instance.served]
    found = {}
    for code, plugin in ANSWERS:
        rates = [
            sum(
                flow.rate * flow.ok
                for flow in segment.flows
                if flow.operation == f"{code} {plugin}"
            )
            for segment in instance.served
        ]
        if any(rates):
            for kind in FAMILIES:
                found[(kind, code, plugin)] = Integral(starts, rates, end_of(instance))
    return found


def _plugin(name: str) -> str:
    return INSIDE if name.endswith(CLUSTER_DOMAIN) else OUTSIDE


def _asked(view: View, other: ContainerInstance) -> Iterator[tuple[tuple[str, str], Integral]]:
    """The questions of one program for one family, by code and plugin."""
    sent = segments(view.world, SENT, other.ref)
    known = sent or other.served
    by_kind: dict[tuple[str, str], list[float]] = {}
    for number, segment in enumerate(known):
        for host, answer, rate in rates(other.process, segment, each=False):
            for name, code in questions(other.ref.namespace, host, answer):
                key = (code, _plugin(name))
                found = by_kind.setdefault(key, [0.0] * len(known))
                found[number] += rate
    starts = [segment.start for segment in known]
    for key in sorted(by_kind):
        yield key, Integral(starts, by_kind[key], end_of(other))


class _Turns:
    """Servers that are there at the same time share what is asked.

    Args:
        instance: The server.
        servers: All servers there ever were.
    """

    def __init__(self, instance: ContainerInstance, servers: Sequence[ContainerInstance]) -> None:
        since, until = instance.process.served_at or 0.0, end_of(instance)
        spans = [(one.process.served_at or 0.0, end_of(one)) for one in servers]
        edges = {since, *(edge for span in spans for edge in span if since < edge < until)}
        self.edges = np.array(sorted(edges))
        self.until = until
        there = [sum(first <= edge < last for first, last in spans) for edge in sorted(edges)]
        self.shares = 1 / np.maximum(np.array(there, dtype=np.float64), 1.0)


class _Share:
    """The questions that one server answered up to each moment.

    Args:
        flowing: What programs ask all servers together.
        moments: When commands asked this one.
        turns: Its part of the former.
        own: What programs ask this one.
    """

    def __init__(
        self, flowing: Sequence[Integral], moments: Sequence[float], turns: _Turns,
        own: Integral | None = None,
    ) -> None:  # fmt: skip
        self._flowing, self._turns, self._own = flowing, turns, own
        self._moments = np.array(sorted(moments))
        self._at_edges = self._whole(turns.edges)
        grown = np.diff(self._at_edges) * turns.shares[:-1]
        self._before = np.concatenate(([0.0], grown.cumsum()))

    def _whole(self, seconds: Floats) -> Floats:
        total = np.zeros(len(seconds))
        for part in self._flowing:
            total += np.maximum(part(seconds), 0.0)
        return total

    def __call__(self, seconds: Floats) -> Floats:
        turns = self._turns
        at = np.clip(seconds, turns.edges[0], turns.until)
        index = np.maximum(turns.edges.searchsorted(at, side="right") - 1, 0)
        grown = (self._whole(at) - self._at_edges[index]) * turns.shares[index]
        asked = self._moments.searchsorted(seconds, side="right")
        flowed = self._before[index] + grown
        if self._own is not None:
            flowed = flowed + np.maximum(self._own(np.minimum(seconds, turns.until)), 0.0)
        found: Floats = np.floor(flowed + 1e-6) + asked
        return found


class _Sum:
    """Whole numbers together."""

    def __init__(self, parts: Sequence[_Share]) -> None:
        self._parts = parts

    def __call__(self, seconds: Floats) -> Floats:
        found: Floats = np.add.reduce([part(seconds) for part in self._parts])
        return found
