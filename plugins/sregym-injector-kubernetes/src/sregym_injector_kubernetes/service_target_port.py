"""A Service forwards to a port on which nothing listens."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth, Port
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import (
    container_ports,
    main_container,
    manifest_of,
    probed_port,
)
from sregym_injectors.workloads import scaled_to_zero
from typing_extensions import override

from sregym_injector_kubernetes.restarts import ClientParameters, clients_of
from sregym_injector_kubernetes.service_state import EXPECTED, service_defects
from sregym_injectors import commands, scope


class ServiceTargetPort(Fault):
    """Changes the targetPort of one port of the component's Service."""

    name: ClassVar[str] = "service-target-port"
    title: ClassVar[str] = "Service forwards to a port on which nothing listens"
    layer: ClassVar[str] = "kubernetes"

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
    def fits(self, component: Component) -> bool:
        return (
            component.kind != scope.LOAD and component.service is not None and bool(component.ports)
        )

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        assert context.component.service is not None
        edits.patch(context.component.service, [_replace(context, _wrong_port(context))], "json")
        with scaled_to_zero(edits, clients_of(context, otherwise=True)):
            pass

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check(EXPECTED, service_defects(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, port = context.component, _port(context)
        assert component.service is not None
        before, after = str(port.target_port), str(_wrong_port(context))
        return GroundTruth(
            component=component.name,
            kind="Service",
            object_name=component.service.name,
            namespace=component.service.namespace,
            mechanism="service-target-port-mismatch",
            mechanism_phrases=(
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
            changed=Change(
                what=f"spec.ports[{_index(context)}].targetPort", before=before, after=after
            ),
            affected=scope.affected(context.application, component),
            impact=scope.impact(component),
            impact_phrases=(*scope.impact_phrases(component), "connection refused"),
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        assert context.component.service is not None
        restore = [_replace(context, _port(context).target_port)]
        return (
            commands.patch(context.component.service, restore, "json"),
            *commands.restart_and_wait(clients_of(context, otherwise=True)),
        )


def _replace(context: FaultContext, target_port: int | str) -> dict[str, int | str]:
    path = f"/spec/ports/{_index(context)}/targetPort"
    return {"op": "add", "path": path, "value": target_port}


def _index(context: FaultContext) -> int:
    """Place of the port in the Service."""
    ports, wanted = context.component.ports, context.parameters.port
    if wanted is None:
        probed = probed_port(main_container(context))
        names = container_ports(manifest_of(context.application, context.component.workload))
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
    workload = manifest_of(context.application, context.component.workload)
    used = [*container_ports(workload), *(port.container_port for port in context.component.ports)]
    candidate = _port(context).container_port + 1
    while candidate in used:
        candidate += 1
    return candidate
