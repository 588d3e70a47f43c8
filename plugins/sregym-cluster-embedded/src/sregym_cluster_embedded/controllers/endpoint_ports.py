"""The ports of endpoints: which of a Service's ports a pod offers, and the order they stand in.

The real controllers sort ports by a hash of how Go prints them, so that equal sets of ports are
written alike. That order is seen: in tables, in descriptions, in what a client is given first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

# FNV-1a of 128 bits.
_BASIS = 0x6C62272E07BB014262B821756295C58D
_PRIME = 0x0000000001000000000000000000013B


class Port(NamedTuple):
    """One port of an endpoint.

    Attributes:
        name: Of the Service's port; may be empty.
        number: As the pod resolves the Service's target port.
        protocol: `TCP`, `UDP` or `SCTP`.
        application: The Service's `appProtocol`; may be empty.
    """

    name: str
    number: int
    protocol: str
    application: str


def ports_of_pod(service: Object, pod: Object) -> tuple[Port, ...]:
    """The ports behind a Service that a pod has; without those whose name it does not know."""
    ports = []
    for port in service["spec"].get("ports", ()):
        number = target_port(port, pod)
        if number is not None:
            protocol = port.get("protocol", "TCP")
            ports.append(Port(port.get("name", ""), number, protocol, port.get("appProtocol", "")))
    return tuple(ports)


def target_port(port: Object, pod: Object) -> int | None:
    """The port of `pod` that a Service's port leads to; None when it has none of that name."""
    target = port.get("targetPort", port["port"])
    if isinstance(target, int):
        return target
    for container in [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]:
        for offer in container.get("ports", ()):
            same = offer.get("protocol", "TCP") == port.get("protocol", "TCP")
            if offer.get("name") == target and same:
                number: int = offer["containerPort"]
                return number
    return None


def in_slice(ports: tuple[Port, ...]) -> list[Object]:
    """The ports as an EndpointSlice lists them."""
    ordered = ports if len(ports) < 2 else _sorted(ports, sliced=True)
    return [
        _with_application({"name": name, "port": number, "protocol": protocol}, application)
        for name, number, protocol, application in ordered
    ]


def in_endpoints(ports: tuple[Port, ...]) -> list[Object]:
    """The ports as a subset of Endpoints lists them: without an empty name."""
    ordered = ports if len(ports) < 2 else _sorted(ports, sliced=False)
    return [
        _with_application(
            {"name": name, "port": number, "protocol": protocol}
            if name
            else {"port": number, "protocol": protocol},
            application,
        )
        for name, number, protocol, application in ordered
    ]


def _with_application(written: Object, application: str) -> Object:
    return {**written, "appProtocol": application} if application else written


@lru_cache(maxsize=1024)
def _sorted(ports: tuple[Port, ...], *, sliced: bool) -> tuple[Port, ...]:
    return tuple(sorted(ports, key=lambda port: _hash(_printed(port, sliced=sliced))))


def _printed(port: Port, *, sliced: bool) -> str:
    """A port as Go prints it: in slices all fields may be absent and are behind pointers."""
    star = "*" if sliced else ""
    name = f"Name:({star}string){port.name}"
    protocol = f"Protocol:({star}v1.Protocol){port.protocol}"
    number = f"Port:({star}int32){port.number}"
    middle = f"{protocol} {number}" if sliced else f"{number} {protocol}"
    application = f"AppProtocol:(*string){port.application or '<nil>'}"
    return f"(v1.EndpointPort){{{name} {middle} {application}}}"


def _hash(text: str) -> int:
    value = _BASIS
    for byte in text.encode():
        value = ((value ^ byte) * _PRIME) % (1 << 128)
    return value
