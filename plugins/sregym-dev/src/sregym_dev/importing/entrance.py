"""Where users come in, and the load of their requests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.call_graph import Edge, Network
    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.remarks import Remarks

_FRONTS = re.compile(r"(front|web|ui|gateway|edge|proxy|portal|www|site|app|api)")
# Requests a second: enough to be seen, and no load worth the name.
RATE = 20


@dataclass(frozen=True, eq=False)
class Entrance:
    """A Service by which users come in.

    Attributes:
        service: The Service.
        port: Of the Service.
        part: Who answers.
        number: His port.
        why: What tells so.
    """

    service: KubeObject
    port: int
    part: Part
    number: int
    why: str


def entrances_of(
    objects: Sequence[KubeObject], network: Network, edges: Sequence[Edge], able: Iterable[Part]
) -> list[Entrance]:
    """Where users may come in, the likeliest first.

    Args:
        objects: Of the application.
        network: Its Services.
        edges: Its calls.
        able: Containers that answer HTTP, and are no datastores.
    """
    serving = list(able)
    ways = (
        _of_ingresses(objects, network),
        _of_types(network),
        _uncalled(network, edges),
        _any(network),
    )
    for found in ways:
        usable = [one for one in found if one.part in serving]
        if usable:
            reach = {id(one): len(_reached(one.part.component, edges)) for one in usable}
            unique = {id(one.service): one for one in reversed(usable)}
            return sorted(unique.values(), key=lambda one: (-reach[id(one)], usable.index(one)))
    return []


def describe_entrances(entrances: Sequence[Entrance], remarks: Remarks) -> None:
    """Say by which users come in, and that others have no load."""
    for index, one in enumerate(entrances):
        name = f"Service/{one.service['metadata']['name']}"
        if not index:
            remarks.guessed(name, f"users come in here, port {one.port}: {one.why}")
        elif not one.why.startswith("nobody"):
            remarks.left_out(name, f"users come in here, too ({one.why}), but no load does")


def _of_ingresses(objects: Iterable[KubeObject], network: Network) -> Iterator[Entrance]:
    for obj in objects:
        if obj["kind"] != "Ingress":
            continue
        spec = obj.get("spec") or {}
        backends = [spec.get("defaultBackend")] + [
            path.get("backend")
            for rule in spec.get("rules") or ()
            for path in (rule.get("http") or {}).get("paths") or ()
        ]
        for backend in backends:
            wanted = (backend or {}).get("service") or {}
            for service in network.services:
                if service["metadata"]["name"] == wanted.get("name"):
                    port = wanted.get("port") or {}
                    why = f"Ingress {obj['metadata']['name']} leads to it"
                    yield from _at(service, network, why, port.get("number") or port.get("name"))


def _of_types(network: Network) -> Iterator[Entrance]:
    for service in network.services:
        kind = service["spec"].get("type")
        if kind in ("NodePort", "LoadBalancer"):
            yield from _at(service, network, f"it is of type {kind}")


def _uncalled(network: Network, edges: Iterable[Edge]) -> Iterator[Entrance]:
    called = {edge.callee.component for edge in edges}
    found = [
        one
        for service in network.services
        for one in _at(service, network, "nobody calls it")
        if one.part.component not in called
    ]
    yield from sorted(found, key=lambda one: not _FRONTS.search(one.part.component))


def _any(network: Network) -> Iterator[Entrance]:
    """Where all are called, the component that leads to most."""
    for service in network.services:
        yield from _at(service, network, "most others are reached through it")


def _at(service: KubeObject, network: Network, why: str, wanted: Any = None) -> Iterator[Entrance]:
    named = {entry.get("name"): entry["port"] for entry in service["spec"].get("ports") or ()}
    number = named.get(wanted, wanted)
    for port, _, part, target in network.ports(service):
        if number in (None, port):
            yield Entrance(service, port, part, target, why)
            return


def _reached(component: str, edges: Iterable[Edge]) -> set[str]:
    every, seen, ahead = list(edges), {component}, [component]
    while ahead:
        name = ahead.pop()
        for edge in every:
            if edge.caller.component == name and edge.callee.component not in seen:
                seen.add(edge.callee.component)
                ahead.append(edge.callee.component)
    return seen


def load_objects(name: str, image: str, target: str, application: str) -> list[KubeObject]:
    """The Deployment that sends the requests of users."""
    labels = {"app": name}
    container: dict[str, Any] = {"name": name, "image": image}
    container["env"] = [{"name": "TARGET", "value": target}]
    container["resources"] = {"requests": {"cpu": "50m", "memory": "32Mi"}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return [
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "namespace": application, "labels": labels},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
        }
    ]


def load_program(target: str, variable: str, mix: Mapping[str, str]) -> dict[str, Any]:
    """The entry of the load generator's program.

    Args:
        target: URL of the entrance.
        variable: Environment variable that holds it; empty for none.
        mix: Operation -> request.
    """
    found: dict[str, Any] = {"kind": "load-generator"}
    if variable:
        found["config"] = {"target": {"env": variable, "default": target}}
    found |= {"target": "${target}" if variable else target, "rate": RATE}
    weights = {name: 3 if name == "home" and len(mix) > 1 else 1 for name in mix}
    found["mix"] = {n: {"weight": weights[n], "request": mix[n]} for n in mix}
    return found
