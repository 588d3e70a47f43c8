"""The API server and the scheduler: objects stored, requests, pods that wait."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.clock.jitter import place
from sregym_cluster_embedded.store import ChangeType
from sregym_cluster_embedded.telemetry.metrics.exporters.durations import spread_rows
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    FOREVER,
    Exporter,
    Family,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.jitter import Unsteady, flicker
from sregym_cluster_embedded.telemetry.metrics.values import Floored
from sregym_cluster_embedded.telemetry.metrics.view import WRITES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.view import View

_OBJECTS = Family(
    "apiserver_storage_objects",
    "gauge",
    "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
)
_REQUESTS = Family(
    "apiserver_request_total",
    "counter",
    "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
)
_INFLIGHT = Family(
    "apiserver_current_inflight_requests",
    "gauge",
    "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
)
_DURATION = Family(
    "apiserver_request_duration_seconds",
    "histogram",
    "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
)
_SLI = Family(
    "apiserver_request_sli_duration_seconds",
    "histogram",
    "Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
)
_TERMINATED = Family(
    "apiserver_request_terminations_total",
    "counter",
    "Number of requests which apiserver terminated in self-defense.",
)
_AGGREGATED = Family(
    "aggregator_unavailable_apiservice",
    "gauge",
    "Gauge of APIServices which are marked as unavailable broken down by APIService name.",
)
_BUILT = Family(
    "kubernetes_build_info",
    "gauge",
    "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
)
_TOOK = Family(
    "scheduler_scheduling_attempt_duration_seconds",
    "histogram",
    "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
)
_VICTIMS = Family(
    "scheduler_preemption_attempts_total",
    "counter",
    "Total preemption attempts in the cluster till now",
)
_PENDING = Family("scheduler_pending_pods", "gauge", "Number of pending pods, by the queue type.")
_ATTEMPTS = Family(
    "scheduler_schedule_attempts_total",
    "counter",
    "Number of attempts to schedule pods, by the result.",
)
_VERBS = {ChangeType.ADDED: ("POST", "201"), ChangeType.MODIFIED: ("PUT", "200"), ChangeType.DELETED: ("DELETE", "200")}  # fmt: skip
# What a request and an attempt take: how long is no state of the cluster. A watch lasts minutes.
_REQUEST_S, _ATTEMPT_S, _WATCH_S = 0.004, 0.003, 450.0
_REQUEST_BOUNDS = (
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0,
    15.0, 20.0, 30.0, 45.0, 60.0,
)  # fmt: skip
_ATTEMPT_BOUNDS = tuple(0.001 * 2**power for power in range(15))
# How often each node's kubelet renews its lease, and asks for its node object.
_LEASES = "leases.coordination.k8s.io"
_RENEW_S, _NODE_STATUS_S = 10.0, 10.0
# The API server itself renews one, too; the leaders among schedulers and controller managers do so
# every two seconds.
_STEADY_RENEWALS_PER_S = 1 / 10 + 2 / 2
# What components of the cluster watch, and how many of them.
_WATCHED = (
    ("configmaps", 4), ("endpointslices.discovery.k8s.io", 3), ("namespaces", 4), ("nodes", 5),
    ("persistentvolumeclaims", 3), ("pods", 5), ("replicasets.apps", 2), ("secrets", 3),
    ("services", 5),
)  # fmt: skip


def address_of(view: View) -> str:
    """The address that the Service of the API leads to."""
    for line in view.past.of("endpoints"):
        if (line.key.namespace, line.key.name) == ("default", "kubernetes"):
            for version in reversed(line.versions):
                for subset in (version.obj or {}).get("subsets") or ():
                    for address in subset.get("addresses", ()):
                        return str(address["ip"])
    return "kubernetes"


class ApiServer(Exporter):
    """The API server."""

    families: Sequence[Family] = (
        _OBJECTS, _REQUESTS, _DURATION, _SLI, _TERMINATED, _INFLIGHT, _AGGREGATED, _BUILT,
    )  # fmt: skip
    reads = (WRITES, "endpoints", "nodes", "apiservices.apiregistration.k8s.io")
    found_by = ("endpoints",)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The one instance."""
        instance = f"{address_of(view)}:6443"
        labels = (
            ("job", "apiserver"),
            ("instance", instance),
            ("namespace", "default"),
            ("service", "kubernetes"),
            ("endpoint", "https"),
        )
        return [Target("apiserver", f"https://{instance}/metrics", labels)]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """Its series."""
        if sample == _INFLIGHT.name:
            for kind, most in (("mutating", 2.0), ("readOnly", 3.0)):
                yield Row((("request_kind", kind),), _few(most, kind))
        elif sample == _OBJECTS.name:
            written = {change.key.resource for change in view.world.store.history}
            for resource in sorted(written | set(view.world.store.resources())):
                yield Row((("resource", resource),), _stored(view, resource))
        elif sample == _TERMINATED.name:
            yield Row((("code", "504"), ("component", "apiserver"), ("verb", "GET")), 0.0)
        elif sample == _BUILT.name:
            yield Row(_BUILD, 1.0)
        elif sample == _AGGREGATED.name:
            yield from _unavailable(view)
        elif sample == _REQUESTS.name:
            yield from _requests(view)
        else:
            for row in _requests(view):
                assert not isinstance(row.value, float)
                labels = tuple(pair for pair in row.labels if pair[0] != "code")
                mean = _WATCH_S if ("verb", "WATCH") in labels else _REQUEST_S
                yield from spread_rows(sample, labels, row.value, mean, _REQUEST_BOUNDS)


_BUILD = (
    ("build_date", "2026-05-13T14:02:11Z"), ("compiler", "gc"), ("git_commit", "5a9f1c2e"),
    ("git_tree_state", "clean"), ("git_version", "v1.36.2"), ("go_version", "go1.26.1"),
    ("major", "1"), ("minor", "36"), ("platform", "linux/amd64"),
)  # fmt: skip


def _unavailable(view: View) -> Iterator[Row]:
    """APIServices that other servers answer for, by what their condition has said."""
    for line in view.past.of("apiservices.apiregistration.k8s.io"):
        last = next((v.obj for v in reversed(line.versions) if v.obj is not None), None)
        if last is None or not last["spec"].get("service"):
            continue
        times, values, until = [line.versions[0].since], [0.0], FOREVER
        for version in line.versions:
            if version.obj is None:
                until = version.since
                break
            said = version.obj.get("status", {}).get("conditions", ())
            down = any(one["type"] == "Available" and one["status"] != "True" for one in said)
            times.append(version.since)
            values.append(float(down))
        yield Row((("name", line.key.name),), Steps(times, values), times[0], until)


def _stored(view: View, resource: str) -> Steps:
    changes: list[tuple[float, int]] = []
    for line in view.past.of(resource):
        there = False
        for version in line.versions:
            if (version.obj is not None) != there:
                there = not there
                changes.append((version.since, 1 if there else -1))
    return _running(changes)


def _running(changes: Sequence[tuple[float, int]]) -> Steps:
    """A number from its changes."""
    times, values, present = [-math.inf], [0.0], 0
    for at, change in sorted(changes):
        present += change
        times.append(at)
        values.append(float(present))
    return Steps(times, values)


def _requests(view: View) -> Iterator[Row]:
    writes: dict[Pairs, list[float]] = {}
    for change in view.world.store.history:
        if change.key.resource == _LEASES:
            continue
        verb, code = _VERBS[change.type]
        writes.setdefault(_request(change.key.resource, verb, code), []).append(change.at)
    for labels in sorted(writes):
        yield Row(labels, _Counted(writes[labels]))
    nodes = float(sum(1 for line in view.nodes if line.versions[-1].obj is not None))
    yield Row(_request(_LEASES, "PUT", "200"), renewals(view))
    yield Row(_request("nodes", "GET", "200"), _steady(nodes / _NODE_STATUS_S, "nodes"))
    for resource, watchers in _WATCHED:
        rate = (watchers + nodes) / _WATCH_S
        yield Row(_request(resource, "WATCH", "200", "cluster"), _steady(rate, resource))


def renewals(view: View) -> Callable[[Floats], Floats]:
    """How often leases were renewed."""
    nodes = float(sum(1 for line in view.nodes if line.versions[-1].obj is not None))
    return _steady(nodes / _RENEW_S + _STEADY_RENEWALS_PER_S, _LEASES)


def _request(resource: str, verb: str, code: str, scope: str = "resource") -> Pairs:
    name, _, group = resource.partition(".")
    return (
        ("code", code),
        ("component", "apiserver"),
        ("group", group),
        ("resource", name),
        ("scope", scope),
        ("verb", verb),
        ("version", "v1"),
    )


def _few(most: float, purpose: str) -> Callable[[Floats], Floats]:
    """A small whole number, most often 0."""
    begin = place("few", purpose)

    def of(seconds: Floats) -> Floats:
        found: Floats = np.floor(np.maximum(flicker(begin, seconds), 0.0) ** 2 * (most + 1))
        return found

    return of


class _Counted:
    """How many moments there were up to each other one."""

    def __init__(self, moments: Sequence[float]) -> None:
        self._moments = np.sort(np.asarray(moments, dtype=np.float64))

    def __call__(self, seconds: Floats) -> Floats:
        return np.searchsorted(self._moments, seconds, side="right").astype(np.float64)


def _steady(rate: float, purpose: str) -> Callable[[Floats], Floats]:
    """How often something happened that goes on all the time."""
    return Floored(Unsteady(Integral([0.0], [rate], FOREVER), "steady", purpose))


class Scheduler(Exporter):
    """The scheduler."""

    families: Sequence[Family] = (_PENDING, _ATTEMPTS, _TOOK, _VICTIMS)
    reads = ("endpoints", "pods")
    found_by = ("endpoints",)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The one instance, beside the API server."""
        instance = f"{address_of(view)}:10259"
        labels = (
            ("job", "kube-scheduler"),
            ("instance", instance),
            ("namespace", "kube-system"),
            ("service", "kube-scheduler"),
            ("endpoint", "https-metrics"),
        )
        return [Target("kube-scheduler", f"https://{instance}/metrics", labels)]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """Its series."""
        waiting: list[tuple[float, int]] = []
        bound: list[float] = []
        refused: list[float] = []
        for line in view.past.of("pods"):
            stuck = placed = False
            for version in line.versions:
                now_stuck = version.obj is not None and _unschedulable(version.obj)
                if now_stuck != stuck:
                    waiting.append((version.since, 1 if now_stuck else -1))
                    refused.extend([version.since] if now_stuck else [])
                now_placed = version.obj is not None and "nodeName" in version.obj["spec"]
                if now_placed and not placed:
                    bound.append(version.since)
                stuck, placed = now_stuck, now_placed
        if sample == _PENDING.name:
            for queue in ("active", "backoff", "gated"):
                yield Row((("queue", queue),), 0.0)
            yield Row((("queue", "unschedulable"),), _running(waiting))
        elif sample == _VICTIMS.name:
            yield Row((), _Counted(_preemptions(view)))
        elif sample.startswith(_TOOK.name):
            for result, moments in (("scheduled", bound), ("unschedulable", refused)):
                labels = (("profile", "default-scheduler"), ("result", result))
                counted = _Counted(moments)
                yield from spread_rows(sample, labels, counted, _ATTEMPT_S, _ATTEMPT_BOUNDS)
        else:
            profile = ("profile", "default-scheduler")
            yield Row((profile, ("result", "error")), 0.0)
            yield Row((profile, ("result", "scheduled")), _Counted(bound))
            yield Row((profile, ("result", "unschedulable")), _Counted(refused))


def _preemptions(view: View) -> list[float]:
    """When pods were given a node that others had to leave for them."""
    found = []
    for line in view.past.of("pods"):
        before = ""
        for version in line.versions:
            node = (version.obj or {}).get("status", {}).get("nominatedNodeName", "")
            if node and node != before:
                found.append(version.since)
            before = node
    return found


def _unschedulable(pod: Object) -> bool:
    said = pod.get("status", {}).get("conditions", ())
    return any(entry["type"] == "PodScheduled" and entry["status"] == "False" for entry in said)
