"""A component runs, but its Service is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Change, GroundTruth
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.service_fault import ServiceFault, service_of
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_injectors.edits import Edits


class ServiceMissing(ServiceFault):
    """Deletes the component's Service."""

    name: ClassVar[str] = "service-missing"
    title: ClassVar[str] = "Service is missing"

    @override
    def break_service(self, context: FaultContext, edits: Edits) -> None:
        edits.delete(service_of(context))

    @override
    def repair_command(self, context: FaultContext) -> Command:
        return commands.apply(manifest_of(context.application, service_of(context)))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        service = service_of(context)
        name = service.name
        ports = ", ".join(f"{port.port}->{port.target_port}" for port in component.ports)
        return truth_of(
            context,
            service,
            "service-missing",
            (
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
            Change(what=f"Service {name}", before=f"ports {ports}", after=""),
            "name resolution fails",
        )
