"""A component runs, but its Service is gone."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.workloads import scaled_to_zero
from typing_extensions import override

from sregym_injector_kubernetes.restarts import ClientParameters, clients_of
from sregym_injector_kubernetes.service_state import EXPECTED, service_defects
from sregym_injectors import commands, scope


class ServiceMissing(Fault):
    """Deletes the component's Service."""

    name: ClassVar[str] = "service-missing"
    title: ClassVar[str] = "Service is missing"
    layer: ClassVar[str] = "kubernetes"
    Parameters: ClassVar[type[ClientParameters]] = ClientParameters

    @override
    def fits(self, component: Component) -> bool:
        return component.kind != scope.LOAD and component.service is not None

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        assert context.component.service is not None
        edits.delete(context.component.service)
        with scaled_to_zero(edits, clients_of(context, otherwise=True)):
            pass

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check(EXPECTED, service_defects(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        assert component.service is not None
        name = component.service.name
        ports = ", ".join(f"{port.port}->{port.target_port}" for port in component.ports)
        return GroundTruth(
            component=component.name,
            kind="Service",
            object_name=name,
            namespace=component.service.namespace,
            mechanism="service-missing",
            mechanism_phrases=(
                "service is missing",
                "missing service",
                "service was deleted",
                "deleted service",
                "service does not exist",
                "service not found",
                "no service",
                "there is no service",
                "service has been removed",
                "service object is gone",
                "service is absent",
                f"no service named {name}",
                "name does not resolve because the service is gone",
                "DNS lookup fails because the service does not exist",
                "no such host",
            ),
            changed=Change(what=f"Service {name}", before=f"ports {ports}", after=""),
            affected=scope.affected(context.application, component),
            impact=scope.impact(component),
            impact_phrases=(*scope.impact_phrases(component), "name resolution fails"),
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        assert context.component.service is not None
        manifest = manifest_of(context.application, context.component.service)
        return (
            commands.apply(manifest),
            *commands.restart_and_wait(clients_of(context, otherwise=True)),
        )
