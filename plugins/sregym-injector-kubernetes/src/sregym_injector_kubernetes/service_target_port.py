"""A Service forwards to a port on which nothing listens."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import Change, Component, GroundTruth, Port
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import (
    declared_ports,
    main_container,
    probed_port,
)
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.service_fault import ServiceFault, service_of
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_injectors.edits import Edits


class ServiceTargetPort(ServiceFault):
    """Changes the targetPort of one port of the component's Service."""

    name: ClassVar[str] = "service-target-port"
    title: ClassVar[str] = "Service forwards to a port on which nothing listens"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            port: Port of the Service; None: the one whose container port the readiness probe
                looks at, else the first.
            wrong_port: New targetPort; None: the next higher number that no container declares.
        """

        port: int | None = Field(default=None, ge=1, le=65535)
        wrong_port: int | None = Field(default=None, ge=1, le=65535)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        service = component.own_service
        if service is not None and service.headless:
            return "its Service is headless: clients dial the pods' own ports"
        return "" if component.ports else "its Service has no ports"

    @override
    def break_service(self, context: FaultContext, edits: Edits) -> None:
        edits.patch(service_of(context), [_replace(context, _wrong_port(context))], "json")

    @override
    def repair_command(self, context: FaultContext) -> Command:
        restore = [_replace(context, _port(context).target_port)]
        return commands.patch(service_of(context), restore, "json")

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        port = _port(context)
        before, after = str(port.target_port), str(_wrong_port(context))
        return truth_of(
            context,
            service_of(context),
            "service-target-port-mismatch",
            (
                "wrong targetPort",
                "wrong target port",
                "incorrect targetPort",
                "targetPort mismatch",
                "target port mismatch",
                "targetPort misconfigured",
                "misconfigured target port",
                "targetPort does not match the container port",
                "service forwards to the wrong port",
                "service routes to a closed port",
                "service points at a port on which nothing listens",
                "nothing listens on the target port",
                "port mismatch between service and container",
                "service port mapping is wrong",
                f"targetPort {after}",
                f"targetPort is {after} instead of {before}",
            ),
            Change(what=f"spec.ports[{_index(context)}].targetPort", before=before, after=after),
            "connection refused",
        )


def _replace(context: FaultContext, target_port: int | str) -> dict[str, int | str]:
    path = f"/spec/ports/{_index(context)}/targetPort"
    return {"op": "add", "path": path, "value": target_port}


def _index(context: FaultContext) -> int:
    """Place of the port in the Service."""
    ports, wanted = context.component.ports, context.parameters.port
    if wanted is None:
        probed = probed_port(main_container(context))
        names = declared_ports(context)
        served = [
            index
            for index, port in enumerate(ports)
            if probed in (port.container_port, names.get(port.container_port))
        ]
        return served[0] if served else 0
    for index, port in enumerate(ports):
        if port.port == wanted:
            return index
    known = ", ".join(str(port.port) for port in ports)
    raise UsageError(
        f"parameter 'port' of fault 'service-target-port': Service of component "
        f"{context.component.name!r} has no port {wanted}; it has {known}"
    )


def _port(context: FaultContext) -> Port:
    return context.component.ports[_index(context)]


def _wrong_port(context: FaultContext) -> int:
    if context.parameters.wrong_port is not None:
        wrong: int = context.parameters.wrong_port
        return wrong
    used = [*declared_ports(context), *(port.container_port for port in context.component.ports)]
    candidate = _port(context).container_port + 1
    while candidate in used:
        candidate += 1
    return candidate
