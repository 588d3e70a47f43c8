"""Whether a Service led to a listening process, at any moment of the past."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from sregym_apps.model import IngressProgram, ServiceProgram, StoreProgram, expand

from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.object_history import Lifeline

_LABEL = "kubernetes.io/service-name"
_SLICES = "endpointslices.discovery.k8s.io"


class Reach:
    """How a Service could be reached from another namespace.

    Args:
        view: The cluster.
        namespace: Of the Service.
        name: Of the Service.
    """

    def __init__(self, view: View, namespace: str, name: str) -> None:
        self._name = name
        past = view.past
        service = past.one(Key("services", namespace, name))
        self._services = [service] if service.versions else []
        slices = past.of(_SLICES)
        by_service = view.remembered("slices", (slices,), lambda: _by_service(slices), shared=True)
        self._slices = by_service.get((namespace, name), [])
        self._policies = [
            line
            for line in past.of("networkpolicies.networking.k8s.io")
            if line.key.namespace == namespace
        ]
        uids = partial(_uids, self._slices)
        behind = view.remembered(("uids", namespace, name), self._slices, uids, shared=True)
        self._instances = {uid: view.all_instances.get(uid, ()) for uid in behind}

    @cached_property
    def _opened(self) -> Mapping[ContainerRef, set[int]]:
        return {
            instance.ref: opened(instance)
            for members in self._instances.values()
            for instance in members
        }

    @property
    def basis(self) -> Sequence[object]:
        """All that the answer depends on."""
        return (*self._services, *self._slices, *self._policies, *self._instances.values())

    @property
    def moments(self) -> set[float]:
        """When the answer may have changed."""
        lines = [*self._services, *self._slices, *self._policies]
        found = {version.since for line in lines for version in line.versions}
        for members in self._instances.values():
            for instance in members:
                found |= moments_of(instance)
        return found

    def at(self, port: int | str, at: float) -> bool:
        """Whether a connection to a port, by number or name, succeeded at a virtual second."""
        service = self._services[0].at(at) if self._services else None
        if service is None:
            return False
        field = "port" if isinstance(port, int) else "name"
        names = [
            entry.get("name", "")
            for entry in service["spec"].get("ports") or ()
            if entry.get(field) == port
        ]
        rules = [obj for line in self._policies if (obj := line.at(at)) is not None]
        if not names or _blocked(rules, service["spec"].get("selector") or {}):
            return False
        return any(self._led(line.at(at), names[0], at) for line in self._slices)

    def _led(self, obj: Object | None, name: str, at: float) -> bool:
        if obj is None or (obj["metadata"].get("labels") or {}).get(_LABEL) != self._name:
            return False
        ports = [e["port"] for e in obj.get("ports") or () if (e.get("name") or "") == name]
        for endpoint in obj.get("endpoints") or ():
            uid = (endpoint.get("targetRef") or {}).get("uid", "")
            ready = (endpoint.get("conditions") or {}).get("ready", True)
            instances = self._instances.get(uid, ())
            if ready and any(
                serving(instance, at) and not self._opened[instance.ref].isdisjoint(ports)
                for instance in instances
            ):
                return True
        return False


def _by_service(slices: Sequence[Lifeline]) -> Mapping[tuple[str, str], list[Lifeline]]:
    """The slices that were ever those of a Service, by its namespace and name."""
    found: dict[tuple[str, str], list[Lifeline]] = {}
    for line in slices:
        names = {
            (version.obj["metadata"].get("labels") or {}).get(_LABEL, ""): None
            for version in line.versions
            if version.obj is not None
        }
        for name in names:
            found.setdefault((line.key.namespace, name), []).append(line)
    return found


def _uids(slices: Sequence[Lifeline]) -> list[str]:
    """The pods behind slices."""
    found = {
        (endpoint.get("targetRef") or {}).get("uid", "")
        for line in slices
        for version in line.versions
        if version.obj is not None
        for endpoint in version.obj.get("endpoints") or ()
    }
    return sorted(found)


def moments_of(instance: ContainerInstance) -> set[float]:
    """When a process began to serve, and ended."""
    process = instance.process
    return {at for at in (process.served_at, process.ended_at) if at is not None}


def serving(instance: ContainerInstance, at: float) -> bool:
    """Whether a process served at a moment."""
    served, ended = instance.process.served_at, instance.process.ended_at
    return served is not None and served <= at and (ended is None or at < ended)


def opened(instance: ContainerInstance) -> set[int]:
    """The ports that a program opens, as it was configured when it started."""
    program = instance.process.behaviour
    texts: list[str] = []
    if isinstance(program, ServiceProgram):
        texts = [listener.port for listener in program.listeners.values()]
    elif isinstance(program, StoreProgram):
        texts = [program.port, *getattr(program, "ports", ())]
    elif isinstance(program, IngressProgram):
        texts = [program.http_port, program.https_port]
    facts = instance.process.facts()
    written = (expand(text, facts) for text in texts)
    return {int(text) for text in written if text.isdecimal()}


def _blocked(policies: Sequence[Object], labels: Mapping[str, str]) -> bool:
    """Whether policies refuse all other namespaces to pods with these labels."""
    selecting = [policy for policy in policies if _selects(policy, labels)]
    return bool(selecting) and not any(_admits(policy) for policy in selecting)


def _selects(policy: Object, labels: Mapping[str, str]) -> bool:
    if "Ingress" not in policy["spec"].get("policyTypes", ("Ingress",)):
        return False
    wanted = (policy["spec"].get("podSelector") or {}).get("matchLabels") or {}
    return all(labels.get(name) == value for name, value in wanted.items())


def _admits(policy: Object) -> bool:
    """Whether a policy has a rule for sources everywhere."""
    for rule in policy["spec"].get("ingress") or ():
        sources = rule.get("from")
        if not sources or any(source.get("namespaceSelector") == {} for source in sources):
            return True
    return False
