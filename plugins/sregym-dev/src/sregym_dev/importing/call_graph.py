"""The call graph: references of containers to Services, and the containers behind these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_dev.importing.compose_objects import DEPENDS_ON
from sregym_dev.importing.known import kind_by_name, usual_ports
from sregym_dev.importing.references import Reference, references_of, sibling

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sregym_apps.manifests import KubeObject

    from sregym_dev.importing.container_inputs import Part
    from sregym_dev.importing.remarks import Remarks

# Names of stores of one service.
_STORES = re.compile(
    r"(.+?)-(?:db|database|data|cache|store|redis|mongo|mongodb|mysql|postgres|postgresql)"
)


@dataclass(frozen=True, eq=False)
class Edge:
    """A container calls another through a Service.

    Attributes:
        caller: Who calls.
        service: The Service.
        port: Of the Service.
        callee: Who answers.
        number: Its port.
        reference: Where the caller's configuration says so; None where its order of starting does.
    """

    caller: Part
    service: KubeObject
    port: int
    callee: Part
    number: int
    reference: Reference | None


class Network:
    """Services, and the containers behind their ports.

    Args:
        objects: Of the application.
        parts: Its containers.
    """

    def __init__(self, objects: Iterable[KubeObject], parts: Sequence[Part]) -> None:
        self.services = [obj for obj in objects if obj["kind"] == "Service"]
        self.parts = [part for part in parts if not part.init]

    def behind(self, service: KubeObject) -> list[Part]:
        """Containers whose pods a Service selects."""
        selector = service["spec"].get("selector") or {}
        space = service["metadata"]["namespace"]
        return [
            part
            for part in self.parts
            if selector
            and part.namespace == space
            and selector.items() <= dict(part.labels).items()
        ]

    def ports(self, service: KubeObject) -> Iterator[tuple[int, str, Part, int]]:
        """TCP port of a Service, its name, who answers, and at which port of his."""
        behind = self.behind(service)
        for entry in service["spec"].get("ports") or ():
            if entry.get("protocol", "TCP") != "TCP" or not behind:
                continue
            target = entry.get("targetPort", entry["port"])
            found = [(part, part.port_number(target)) for part in behind]
            declared = [(part, number) for part, number in found if number in part.ports()]
            first = next((part for part in behind if part.first), behind[0])
            part, number = declared[0] if declared else (first, first.port_number(target))
            if number:
                name = str(entry.get("name") or "")
                yield entry["port"], str(entry.get("appProtocol") or name), part, number

    def edges(self, remarks: Remarks) -> list[Edge]:
        """All calls that configurations and orders of starting tell of."""
        found = [edge for part in self.parts for edge in self._of(part, remarks)]
        return [*found, *self._by_name(found, remarks)]

    def _by_name(self, edges: Sequence[Edge], remarks: Remarks) -> Iterator[Edge]:
        """`cart` calls `cart-db`, where no other component does."""
        called = {edge.callee.component for edge in edges}
        for service in self.services:
            name = service["metadata"]["name"]
            found = _STORES.fullmatch(name)
            for port, _, callee, number in [*self.ports(service)][: 1 if found else 0]:
                owners = (found[1], f"{found[1]}s") if found else ()
                for part in self.parts:
                    owns = part.first and part.component in owners and callee is not part
                    if owns and callee.component not in called:
                        remarks.guessed(part.where, f"calls {name}:{port}, as their names tell")
                        yield Edge(part, service, port, callee, number, None)

    def _of(self, part: Part, remarks: Remarks) -> Iterator[Edge]:
        called: set[str] = set()
        for reference in references_of(part, self.services):
            edge = self._edge(part, reference, remarks)
            if edge is not None:
                called.add(edge.callee.component)
                yield edge
        notes = part.owner["metadata"].get("annotations") or {}
        wanted = str(notes.get(DEPENDS_ON, "")).split(",")
        for service in self.services:
            if service["metadata"]["name"] in wanted and part.first:
                for port, _, callee, number in [*self.ports(service)][:1]:
                    if callee.component not in called | {part.component}:
                        name = service["metadata"]["name"]
                        text = f"calls {name}:{port}, since it starts after it; nothing else names {name}"
                        remarks.guessed(part.where, text)
                        yield Edge(part, service, port, callee, number, None)

    def _edge(self, part: Part, reference: Reference, remarks: Remarks) -> Edge | None:
        service = reference.service
        name = service["metadata"]["name"]
        ports = {port: (callee, number) for port, _, callee, number in self.ports(service)}
        if not ports:
            if not service["spec"].get("selector"):
                return None  # a host outside the cluster
            text = f"{reference.source.shown} names Service {name}, which leads to no container"
            remarks.left_out(part.where, text)
            return None
        if any(callee.component == part.component for callee, _ in ports.values()):
            return None
        wanted = reference.port or self._usual(part, reference, ports)
        if wanted not in ports:
            there = ", ".join(map(str, ports))
            text = f"{reference.source.shown} names {name}:{wanted}, and Service {name} has no such port (it has {there})"  # fmt: skip
            remarks.left_out(part.where, text)
            return None
        callee, number = ports[wanted]
        return Edge(part, service, wanted, callee, number, reference)

    def _usual(self, part: Part, reference: Reference, ports: dict[int, tuple[Part, int]]) -> int:
        beside = sibling(part, reference.source, "port")
        if beside is not None and beside.value.isdecimal():
            return int(beside.value)
        by_scheme = {"http": 80, "https": 443}.get(reference.scheme, 0)
        usual = usual_ports(kind_by_name(next(iter(ports.values()))[0].image))
        return next((port for port in (by_scheme, *usual) if port in ports), next(iter(ports)))


def without_cycles(
    edges: Sequence[Edge], entries: Iterable[str], unit: Mapping[str, str], remarks: Remarks
) -> list[Edge]:
    """The calls without those that lead back to a caller that waits for them.

    Configurations name callers, too: addresses of pages, of call-backs. Of a cycle the call is left
    out that is farthest from where users come in.

    Args:
        edges: All calls.
        entries: Components where users come in.
        unit: Component -> what stands for all components that run the same program.
        remarks: Told what is left out.
    """
    depth = _depths(edges, list(entries))
    reach: dict[str, set[str]] = {}
    kept: list[Edge] = []
    order = sorted(
        range(len(edges)),
        key=lambda n: (
            depth.get(edges[n].callee.component, len(depth)) == 0,
            depth.get(edges[n].caller.component, len(edges)),
            edges[n].reference is None,
            n,
        ),
    )
    for index in order:
        caller, callee = edges[index].caller, edges[index].callee
        start, end = unit[caller.component], unit[callee.component]
        if start == end or _leads(end, start, reach):
            why = "both run one program" if start == end else "that one calls it already, directly or through others"  # fmt: skip
            remarks.left_out(caller.where, f"its call of {callee.component}: {why}")
            continue
        reach.setdefault(start, set()).add(end)
        kept.append(edges[index])
    return sorted(kept, key=edges.index)


def _depths(edges: Sequence[Edge], entries: Sequence[str]) -> dict[str, int]:
    """Component -> calls between it and the nearest entry."""
    depth = dict.fromkeys(entries, 0)
    ahead = list(entries)
    while ahead:
        name = ahead.pop(0)
        for edge in edges:
            if edge.caller.component == name and edge.callee.component not in depth:
                depth[edge.callee.component] = depth[name] + 1
                ahead.append(edge.callee.component)
    return depth


def _leads(start: str, end: str, reach: dict[str, set[str]]) -> bool:
    seen, ahead = {start}, [start]
    while ahead:
        for name in sorted(reach.get(ahead.pop(), ())):
            if name not in seen:
                seen.add(name)
                ahead.append(name)
    return end in seen
