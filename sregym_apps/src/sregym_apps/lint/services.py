"""Services and the programs behind them; what users request, and what serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_lint import Defect, no_such

from sregym_apps.lint.reaching import ResolvedAddress, selector_of, target_port
from sregym_apps.model import (
    LoadGeneratorProgram,
    RegisterStep,
    ServiceProgram,
    StoreProgram,
    route_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_lint import Location

    from sregym_apps.lint.container_programs import Running
    from sregym_apps.lint.files import KubeDocument
    from sregym_apps.lint.reaching import Network

_PROBES = ("startup", "readiness", "liveness")


def services(network: Network) -> Iterator[Defect]:
    """Services that select no pod, and ports that lead to none of a program."""
    templates = [obj.template for obj in network.files.objects]
    for service in network.files.of_kind("Service"):
        selector = selector_of(service)
        labels = [
            ((found[1].get("metadata") or {}).get("labels") or {}) for found in templates if found
        ]
        if selector and not any(selector.items() <= one.items() for one in labels):
            known = {f"{key}={value}" for one in labels for key, value in one.items()}
            wanted = ",".join(f"{key}={value}" for key, value in selector.items())
            what = f"selects no pods: {no_such('label', wanted, known)}"
            yield service.defect(("spec", "selector"), what)
        yield from _ports(network, service)


def _ports(network: Network, service: KubeDocument) -> Iterator[Defect]:
    behind = network.behind(service)
    for index, entry in enumerate((service.data.get("spec") or {}).get("ports") or ()):
        if entry.get("protocol", "TCP") != "TCP":
            continue  # service models have listeners for TCP alone
        reached = [(one, target_port(entry, one.container)) for one in behind]
        if not reached or any(number in one.ports() for one, number in reached):
            continue
        if any(_may_listen(one, number) for one, number in reached):
            continue
        one, _ = reached[0]
        there = ", ".join(map(str, sorted(one.ports()))) or "no port"
        shown = entry.get("targetPort", entry.get("port"))
        field = "targetPort" if "targetPort" in entry else "port"
        what = f"leads to port {shown!r}, where program {one.name!r} does not listen (it listens on {there})"
        yield service.defect(("spec", "ports", index, field), what)


def _may_listen(one: Running, number: int) -> bool:
    """Whether a program may listen on a port that its model does not name."""
    declared = {entry.get("containerPort") for entry in one.container.get("ports") or ()}
    return not one.all_known and number in declared


def _is_probed(one: Running, number: int) -> bool:
    """Whether the kubelet asks a port by a probe: no Service needs to lead there."""
    probes = [one.container.get(f"{name}Probe") or {} for name in _PROBES]
    asked = [probe.get(way) or {} for probe in probes for way in ("httpGet", "tcpSocket", "grpc")]
    ports = [entry["port"] for entry in asked if "port" in entry]
    return any(target_port({"targetPort": port}, one.container) == number for port in ports)


def unreachable_listeners(network: Network) -> Iterator[Defect]:
    """Listeners with operations that no Service leads to, no probe reaches, and that are registered nowhere."""
    seen: dict[tuple[str, str], bool] = {}
    for one in network.containers:
        if not isinstance(one.program, ServiceProgram):
            continue
        announced = {one.value(s.port) for s in one.program.startup if isinstance(s, RegisterStep)}
        for number, listener in one.ports().items():
            used = {operation.listener for operation in one.program.operations.values()}
            if listener in used:
                led = (
                    str(number) in announced
                    or _is_probed(one, number)
                    or any(
                        target_port(entry, one.container) == number
                        for service in network.files.of_kind("Service")
                        if one in network.behind(service)
                        for entry in (service.data.get("spec") or {}).get("ports") or ()
                    )
                )
                seen[one.name, listener] = seen.get((one.name, listener), False) or led
    for (program, listener), led in seen.items():
        if not led:
            where: Location = ("programs", program, "listeners", listener)
            what = "no Service of the manifests leads to this port of the program's pods"
            yield network.files.model_defect(where, what)


def entrances(network: Network) -> Iterator[Defect]:
    """Requests by which users meet the application: Service, port and route."""
    files = network.files
    model = files.examined.model if files.examined else None
    every = files.of_kind("Service")
    for name, entry in model.entry_points.items() if model else ():
        here: Location = ("entry_points", name)
        found = [one for one in every if one.name == entry.service]
        if not found:
            names = [one.name for one in every]
            what = no_such("Service", entry.service, names, "in the manifests")
            yield files.model_defect((*here, "service"), what)
            continue
        reached = network.at(found[0], entry.port)
        if reached.wrong:
            yield files.model_defect((*here, "port"), reached.wrong)
        yield from _asks(network, reached, (*here, "request"), entry.request)


def loads(network: Network) -> Iterator[Defect]:
    """Requests of load generators: the address, and a route for each."""
    for one in network.containers:
        if not isinstance(one.program, LoadGeneratorProgram):
            continue
        here: Location = ("programs", one.name)
        target = one.value(one.program.target)
        if target is None:
            continue
        reached = network.reach(one, target, 443 if target.startswith("https:") else 80)
        if reached.wrong:
            yield network.files.model_defect((*here, "target"), reached.wrong)
        for name, entry in one.program.mix.items():
            yield from _asks(network, reached, (*here, "mix", name, "request"), entry.request)


def _asks(
    network: Network, reached: ResolvedAddress, where: Location, request: str
) -> Iterator[Defect]:
    """Whether a request to an address is answered."""
    method, _, path = request.partition(" ")
    for one, _listener in reached.containers[:1]:
        if isinstance(one.program, StoreProgram) or not isinstance(one.program, ServiceProgram):
            return
        if route_of(one.program, method, path) is None:
            bare = f"{method} {path.partition('?')[0]}"
            known = [o.route for o in one.program.operations.values() if o.route is not None]
            yield network.files.model_defect(
                where, f"program {one.name!r}: {no_such('route', bare, known)}"
            )


def declared(program: Any) -> frozenset[str]:
    """Topics, queues and databases that exist from the start."""
    names: set[str] = set()
    for field in ("topics", "queues", "databases"):
        names |= set(getattr(program, field, ()) or ())
    return frozenset(names)
