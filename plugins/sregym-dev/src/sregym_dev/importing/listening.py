"""At which ports a program listens, and what is spoken there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_dev.importing.call_graph import Edge, Network
    from sregym_dev.importing.container_inputs import Part

_OWN_PORT = re.compile(r"^([A-Z0-9_]*_)?PORT$")
# Ports at which no HTTP is spoken, unless a name says so.
_OTHERS = (
    "21 22 25 53 110 143 389 465 587 636 1025 1433 1521 1883 2181 2379 2380 3306 4222 5432 5672 6379 6650 "
    "7000 7687 8883 9042 9092 9093 11211 26379 27017 61616"
)
_NO_HTTP = frozenset(map(int, _OTHERS.split()))
_GRPC_PORTS = range(50050, 50070)


@dataclass(frozen=True)
class Listener:
    """A port of a program.

    Attributes:
        name: In the service model.
        port: Its number.
        protocol: `http`, `grpc`, `thrift` or `tcp`.
        tls: Whether probes ask it by HTTPS.
        setting: Environment variable that holds the number; empty for none.
        paths: Paths that probes ask for.
    """

    name: str
    port: int
    protocol: str
    tls: bool
    setting: str
    paths: tuple[str, ...]


def listeners_of(parts: Sequence[Part], network: Network, edges: Iterable[Edge]) -> list[Listener]:
    """The listeners of a program that these containers run, in the order of their ports."""
    every = list(edges)
    led = [
        (part, number, name)
        for service in network.services
        for _, name, part, number in network.ports(service)
        if part in parts
    ]
    numbers = dict.fromkeys(
        [
            *(number for part in parts for number in part.ports()),
            *(number for _, number, _ in led),
            *(number for part in parts for number, _, _ in _probed(part)),
        ]
    )
    found: list[Listener] = []
    for number in numbers:
        names = [part.ports().get(number, "") for part in parts]
        names += [name for _, at, name in led if at == number]
        asked = [one for one in every if one.callee in parts and one.number == number]
        probed = [one for part in parts for one in _probed(part) if one[0] == number]
        protocol = _protocol(number, names, asked, [kind for _, kind, _ in probed])
        paths = tuple(dict.fromkeys(path for _, kind, path in probed if path))
        tls = any(kind == "HTTPS" for _, kind, _ in probed)
        name = protocol if all(one.name != protocol for one in found) else f"{protocol}-{number}"
        found.append(Listener(name, number, protocol, tls, _setting(parts, number), paths))
    return found


def _probed(part: Part) -> list[tuple[int, str, str]]:
    """Port, kind (`HTTP`, `HTTPS`, `grpc`, `tcp`) and path of the probes of a container."""
    found = []
    for probe in part.probes():
        for way, kind in (("httpGet", ""), ("grpc", "grpc"), ("tcpSocket", "tcp")):
            if way in probe:
                asked = probe[way]
                number = part.port_number(asked.get("port", 0))
                path = str(asked.get("path") or "/").partition("?")[0] if way == "httpGet" else ""
                if number:
                    found.append((number, kind or str(asked.get("scheme", "HTTP")), path))
    return found


def _protocol(
    number: int, names: Iterable[str], asked: Sequence[Edge], probes: Iterable[str]
) -> str:
    kinds = set(probes)
    if kinds & {"HTTP", "HTTPS"}:
        return "http"
    if "grpc" in kinds:
        return "grpc"
    for name in names:
        for word in ("grpc", "thrift", "http", "web", "ui", "api", "metrics", "rest"):
            if re.search(rf"(^|[-_.\d]){word}", name.lower()):
                return word if word in ("grpc", "thrift") else "http"
    sources = [edge.reference for edge in asked if edge.reference is not None]
    if any("grpc" in f"{one.scheme} {one.source.name}".lower() for one in sources):
        return "grpc"
    if any(one.scheme in ("http", "https", "ws") for one in sources):
        return "http"
    if number in _GRPC_PORTS:
        return "grpc"
    return "tcp" if number in _NO_HTTP else "http"


def _setting(parts: Sequence[Part], number: int) -> str:
    """The variable by which all of these containers are told this port."""
    for name in parts[0].env:
        stem = name.removesuffix("PORT").rstrip("_")
        beside = any(f"{stem}_{tail}" in parts[0].env for tail in ("HOST", "ADDR", "SERVER"))
        own = _OWN_PORT.match(name) and not (stem and beside)
        if own and all(part.env.get(name) == str(number) for part in parts):
            return name
    return ""
