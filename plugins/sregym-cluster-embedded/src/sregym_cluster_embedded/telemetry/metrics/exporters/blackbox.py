"""The blackbox exporter: connections to services, pages behind ingresses and of annotated services."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_apps.model import IngressProgram, NameServerProgram

from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.jitter import About
from sregym_cluster_embedded.telemetry.metrics.reachability import Reach, moments_of, serving
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_apps.model.service import Program
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.object_history import Lifeline

_SUCCESS = Family("probe_success", "gauge", "Displays whether or not the probe was a success")
_DURATION = Family(
    "probe_duration_seconds", "gauge", "Returns how long the probe took to complete in seconds"
)
_LOOKUP = Family(
    "probe_dns_lookup_time_seconds",
    "gauge",
    "Returns the time taken for probe dns lookup in seconds",
)
_STATUS = Family("probe_http_status_code", "gauge", "Response HTTP status code")
# A connection inside the cluster, and the exporter's timeout of one that is never established.
_FAST_S, _TIMEOUT_S, _LOOKUP_S = 0.0021, 10.0, 0.0009
# How unsteady they are, and how long after its timeout a probe ends.
_SPREAD, _LATE_S = 0.3, 0.0004
_SYSTEM = "kube-system"
_INGRESSES = "ingresses.networking.k8s.io"
_CLASSES = "ingressclasses.networking.k8s.io"
_DEFAULT_CLASS = "ingressclass.kubernetes.io/is-default-class"
# What Prometheus' example for this exporter asks of Services that want a page of theirs probed.
_WANTED, _ON_PORT, _ON_PATH = (f"prometheus.io/{word}" for word in ("probe", "port", "path"))
_GOOD, _NOT_FOUND, _UNAVAILABLE, _NOBODY = 200, 404, 503, 0


class _Port(NamedTuple):
    """One port of a Service."""

    namespace: str
    service: str
    port: int


class _Entry(NamedTuple):
    """A page of a Service that people come to."""

    door: _Port
    path: str


class _Page(NamedTuple):
    """One path of an Ingress."""

    namespace: str
    ingress: str
    host: str
    path: str


class Blackbox(Exporter):
    """Probes of what was ever there; they go on when it is deleted, up to its namespace's end."""

    families: Sequence[Family] = (_SUCCESS, _DURATION, _LOOKUP, _STATUS)
    reads = (
        "services",
        "endpointslices.discovery.k8s.io",
        "networkpolicies.networking.k8s.io",
        "namespaces",
        _INGRESSES,
        _CLASSES,
        INSTANCES,
    )
    found_by = ("services", "namespaces", _INGRESSES)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The ports of Services that select pods, their pages, and the paths of Ingresses."""
        return [*_ports(view), *_entries(view), *_pages(view)]

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The outcome of one probe."""
        probed = target.subject
        if isinstance(probed, _Port):
            if sample == _STATUS.name:
                return
            times, codes = _connections(view, probed)
        elif isinstance(probed, _Entry):
            times, codes = _connections(view, probed.door)
        else:
            assert isinstance(probed, _Page)
            times, codes = _answers(view, probed)
        if sample == _LOOKUP.name:
            yield Row((), About(_LOOKUP_S, _SPREAD, sample, target.labels))
        elif sample == _STATUS.name:
            yield Row((), Steps(times, [float(code) for code in codes]))
        elif sample == _SUCCESS.name:
            yield Row((), Steps(times, [float(code == _GOOD) for code in codes]))
        else:
            needed = Steps(times, [_TIMEOUT_S if code == _NOBODY else _FAST_S for code in codes])
            yield Row((), _Took(needed, About(1.0, _SPREAD, sample, target.labels)))


class _Took:
    """How long probes take, at most their timeout."""

    def __init__(self, needed: Steps, unsteady: Callable[[Floats], Floats]) -> None:
        self._needed, self._unsteady = needed, unsteady

    def __call__(self, seconds: Floats) -> Floats:
        needed = self._needed(seconds)
        spread = self._unsteady(seconds)
        given_up = needed >= _TIMEOUT_S
        found: Floats = np.where(given_up, needed + spread * _LATE_S, needed * spread)
        return found


def _ports(view: View) -> Iterator[Target]:
    for line in view.past.of("services"):
        namespace, name = line.key.namespace, line.key.name
        if namespace == _SYSTEM:
            continue
        for port, since in _of_service(line).items():
            instance = f"{name}.{namespace}.svc.cluster.local:{port}"
            labels = (("service", name),)
            probed = _Port(namespace, name, port)
            yield from _target(
                view, "blackbox", "tcp_connect", instance, labels, namespace, probed, since
            )


def _entries(view: View) -> Iterator[Target]:
    for line in view.past.of("services"):
        namespace, name = line.key.namespace, line.key.name
        for (port, path), since in _annotated(line).items():
            instance = f"http://{name}.{namespace}.svc.cluster.local:{port}{path}"
            entry = _Entry(_Port(namespace, name, port), path)
            labels = (("service", name),)
            yield from _target(
                view, "blackbox-http", "http_2xx", instance, labels, namespace, entry, since
            )


def _pages(view: View) -> Iterator[Target]:
    for line in view.past.of(_INGRESSES):
        namespace, name = line.key.namespace, line.key.name
        for (host, path), since in _of_ingress(line).items():
            instance = f"http://{host}{path}"
            labels = (("ingress", name),)
            probed = _Page(namespace, name, host, path)
            yield from _target(
                view, "blackbox-http", "http_2xx", instance, labels, namespace, probed, since
            )


def _target(
    view: View,
    job: str,
    module: str,
    instance: str,
    more: tuple[tuple[str, str], ...],
    namespace: str,
    probed: _Port | _Entry | _Page,
    since: float,
) -> Iterator[Target]:
    labels = (("job", job), ("instance", instance), ("namespace", namespace), *more)
    url = f"http://blackbox-exporter:9115/probe?module={module}&target={instance}"
    yield Target(job, url, labels, probed, since, _gone(view, namespace))


def _of_service(line: Lifeline) -> Mapping[int, float]:
    """Ports of a Service that selects pods -> since when."""
    found: dict[int, float] = {}
    for version in line.versions:
        spec = {} if version.obj is None else version.obj["spec"]
        if spec.get("selector") and spec.get("type") != "ExternalName":
            for port in spec.get("ports") or ():
                if port.get("protocol", "TCP") == "TCP":
                    found.setdefault(int(port["port"]), max(version.since, 0.0))
    return found


def _annotated(line: Lifeline) -> Mapping[tuple[int, str], float]:
    """(port, path) that the annotations of a Service want probed -> since when."""
    found: dict[tuple[int, str], float] = {}
    for version in line.versions:
        given = {} if version.obj is None else version.obj["metadata"].get("annotations") or {}
        if version.obj is None or given.get(_WANTED) != "true":
            continue
        named = given.get(_ON_PORT, "")
        own = [int(port["port"]) for port in version.obj["spec"].get("ports") or ()]
        for port in [int(named)] if named.isdecimal() else own:
            found.setdefault((port, given.get(_ON_PATH, "/")), max(version.since, 0.0))
    return found


def _of_ingress(line: Lifeline) -> Mapping[tuple[str, str], float]:
    """(host, path) of an Ingress -> since when."""
    found: dict[tuple[str, str], float] = {}
    for version in line.versions:
        for host, path, _ in _paths(version.obj):
            if host:
                found.setdefault((host, path), max(version.since, 0.0))
    return found


def _paths(ingress: Object | None) -> Iterator[tuple[str, str, Object]]:
    """Host, path and Service of each path."""
    for rule in () if ingress is None else ingress["spec"].get("rules") or ():
        for path in (rule.get("http") or {}).get("paths", ()):
            service = path["backend"].get("service")
            if service is not None:
                yield rule.get("host", ""), path.get("path", "/"), service


def _gone(view: View, namespace: str) -> float:
    """When a namespace was deleted."""
    for line in view.past.of("namespaces"):
        if line.key.name == namespace and line.versions[-1].obj is None:
            return line.versions[-1].since
    return float("inf")


def _connections(view: View, probed: _Port) -> tuple[list[float], list[int]]:
    """From when on a connection succeeds; a name that cannot be resolved leads nowhere."""
    reach = Reach(view, probed.namespace, probed.service)
    servers = _running(view, NameServerProgram)

    def tried() -> tuple[list[float], list[int]]:
        times = sorted(reach.moments.union(*(moments_of(instance) for instance in servers)))
        good = (
            any(serving(instance, at) for instance in servers) and reach.at(probed.port, at)
            for at in times
        )
        return times, [_GOOD if ok else _NOBODY for ok in good]

    # Of all that probes read, most is about other Services.
    basis = (*reach.basis, *servers)
    return view.remembered(("connections", probed), basis, tried, shared=True)


def _running(view: View, kind: type[Program]) -> list[ContainerInstance]:
    """All instances of programs of a kind."""
    return [
        instance
        for instances in view.all_instances.values()
        for instance in instances
        if isinstance(instance.process.behaviour, kind)
    ]


def _answers(view: View, page: _Page) -> tuple[list[float], list[int]]:
    """From when on a page is answered with which status; 0 when there is no answer."""
    ingress = next(
        line for line in view.past.of(_INGRESSES) if line.key[1:] == (page.namespace, page.ingress)
    )
    classes = view.past.of(_CLASSES)
    doors = _running(view, IngressProgram)
    services = {
        service["name"]
        for version in ingress.versions
        for host, path, service in _paths(version.obj)
        if (host, path) == (page.host, page.path)
    }
    reaches = {name: Reach(view, page.namespace, name) for name in sorted(services)}
    times = {version.since for line in (ingress, *classes) for version in line.versions}
    for instance in doors:
        times |= moments_of(instance)
    for reach in reaches.values():
        times |= reach.moments

    def status(at: float) -> int:
        if not any(serving(instance, at) for instance in doors):
            return _NOBODY
        present = ingress.at(at)
        if present is None or not _looked_after(present, classes, at):
            return _NOT_FOUND
        for host, path, service in _paths(present):
            if (host, path) == (page.host, page.path):
                port = service.get("port") or {}
                wanted: int | str = port.get("number") or port.get("name", "")
                reached = reaches[service["name"]].at(wanted, at)
                return _GOOD if reached else _UNAVAILABLE
        return _NOT_FOUND

    ordered = sorted(times)
    return ordered, [status(at) for at in ordered]


def _looked_after(ingress: Object, classes: Sequence[Lifeline], at: float) -> bool:
    """Whether an Ingress belongs to a class that there is."""
    present = [obj for line in classes if (obj := line.at(at)) is not None]
    wanted = ingress["spec"].get("ingressClassName")
    if wanted:
        return any(obj["metadata"]["name"] == wanted for obj in present)
    marks = (obj["metadata"].get("annotations") or {} for obj in present)
    return any(mark.get(_DEFAULT_CLASS) == "true" for mark in marks)
