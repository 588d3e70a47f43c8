"""Faults in the shape of a Service: its port, its protocol, its type, whom its traffic reaches."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_injectors.defects import defect_check
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.service_edit import ServiceChange, ServiceEditFault, served_port
from sregym_injectors.service_fault import service_of
from sregym_injectors.service_state import EXPECTED, service_defects
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Check, Component
    from sregym_injectors.edits import Edits


def _ports(context: FaultContext, **fields: Any) -> list[dict[str, Any]]:
    """The ports of the manifest, with other fields in the one by which users come."""
    ports = deepcopy(manifest_of(context.application, service_of(context))["spec"]["ports"])
    entry = ports[served_port(context)]
    # Without a target of its own it would follow the port's number.
    entry.setdefault("targetPort", entry["port"])
    entry.update(fields)
    return list(ports)


class ServicePort(ServiceEditFault):
    """Moves the Service to a port that no client dials."""

    name: ClassVar[str] = "service-port"
    title: ClassVar[str] = "Service offers another port than its clients dial"
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "service-port-changed"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong service port",
        "service port was changed",
        "service listens on the wrong port",
        "service exposes the wrong port",
        "service port mismatch",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out", "no route to host")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            port: Number that the Service has instead; 0: the next that it does not have.
        """

        port: int = Field(default=0, ge=0, le=65535)

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        index, ports = served_port(context), context.component.ports
        taken = {port.port for port in ports}
        free = (number for number in range(ports[index].port + 1, 65536) if number not in taken)
        wrong = context.parameters.port or next(free)
        return ServiceChange(
            f"spec.ports[{index}].port",
            str(ports[index].port),
            str(wrong),
            {"ports": _ports(context, port=wrong)},
        )


class ServiceProtocol(ServiceEditFault):
    """Lets the Service carry the other transport protocol."""

    name: ClassVar[str] = "service-protocol"
    title: ClassVar[str] = "Service carries UDP where its clients speak TCP"
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "service-protocol-mismatch"
    phrases: ClassVar[tuple[str, ...]] = (
        "wrong service protocol",
        "protocol mismatch",
        "service protocol is UDP instead of TCP",
        "service port uses UDP",
        "protocol of the service port was changed",
        "service forwards UDP only",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out", "no route to host")

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        index = served_port(context)
        before = context.component.ports[index].protocol
        after = "TCP" if before == "UDP" else "UDP"
        where = f"spec.ports[{index}].protocol"
        return ServiceChange(where, before, after, {"ports": _ports(context, protocol=after)})


class ServiceExternalName(ServiceEditFault):
    """Makes the Service an alias of a host that is not there any more."""

    name: ClassVar[str] = "service-external-name"
    title: ClassVar[str] = "Service is an alias of a host that does not exist"
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "service-external-name"
    phrases: ClassVar[tuple[str, ...]] = (
        "service is of type ExternalName",
        "service type was changed to ExternalName",
        "service points to an external name",
        "externalName points to a host that does not exist",
        "service is an alias of an external host",
        "wrong service type",
        "CNAME to a host that does not resolve",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("name resolution fails", "no such host")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            host: Of which the Service becomes an alias; empty: the Service's name in a zone that
                no process serves.
        """

        host: str = ""

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        host = context.parameters.host or f"{service_of(context).name}.legacy.internal"
        wrong = {"type": "ExternalName", "externalName": host}
        before = manifest_of(context.application, service_of(context))["spec"].get("type")
        return ServiceChange("spec.type", before or "ClusterIP", f"ExternalName {host}", wrong)


class ServiceHeadless(ServiceEditFault):
    """Makes the Service anew without an address of its own: its name leads to the pods' own ports."""

    name: ClassVar[str] = "service-headless"
    title: ClassVar[str] = (
        "Service has no address, and its clients dial ports that pods do not have"
    )
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "service-headless"
    phrases: ClassVar[tuple[str, ...]] = (
        "service is headless",
        "headless service",
        "service was made headless",
        "clusterIP is None",
        "service has no cluster IP",
        "service lost its cluster IP",
        "service was recreated as headless",
        "name of the service resolves to pod addresses",
        "port of the service is not translated to the target port",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connection refused", "connections fail")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        if any(port.port == port.container_port for port in component.ports):
            return "its Service has a port of the pods' own, which clients find all the same"
        return ""

    @override
    def break_service(self, context: FaultContext, edits: Edits) -> None:
        service = manifest_of(context.application, service_of(context))
        spec = {k: v for k, v in service["spec"].items() if k not in ("clusterIPs", "type")}
        # Addresses cannot be taken from a Service that has one.
        edits.delete(service_of(context))
        edits.create({**service, "spec": {**spec, "clusterIP": "None"}})

    @override
    def recover(self, context: FaultContext) -> None:
        """It has to be recreated: a Service does not get an address that it did not come with."""
        live = context.cluster.get(service_of(context))
        if live is not None and live["spec"].get("clusterIP") == "None":
            context.cluster.delete(service_of(context))

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        return ServiceChange("spec.clusterIP", "an address", "None", {"clusterIP": "None"})

    @override
    def present(self, context: FaultContext) -> Check:
        live = context.cluster.get(service_of(context))
        found = service_defects(context)
        if live is not None and live["spec"].get("clusterIP") == "None":
            dialled = {p.port for p in context.component.ports if p.port != p.container_port}
            if dialled & {entry["port"] for entry in live["spec"].get("ports") or ()}:
                found.append(f"{service_of(context)} has no address of its own")
        return defect_check(EXPECTED, found)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        service = service_of(context)
        again = commands.apply(manifest_of(context.application, service))
        return (commands.delete(service), again, *super().reference_fix(context)[1:])
