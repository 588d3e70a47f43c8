"""What the faults in Services share: their targets, their clients, how the defect is described."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import ComponentPart
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.component_fault import ComponentFault, by_service, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.service_state import EXPECTED, service_defects
from sregym_injectors.workloads import restart_rollout

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Check, Component, ObjectRef


class ServiceFault(ComponentFault):
    """Breaks the component's Service and restarts its clients, as a subclass defines."""

    layer: ClassVar[str] = "kubernetes"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.SERVICE,)
    Parameters: ClassVar[type[ClientParameters]] = ClientParameters

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or by_service(component):
            return reason
        service = component.own_service
        if service is not None and service.made:
            return f"the operator of {component.workload.kind} puts its Service back"
        return ""

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        self.break_service(context, edits)
        restart_rollout(edits, clients_of(context, otherwise=True))

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check(EXPECTED, service_defects(context))

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (
            self.repair_command(context),
            *commands.restart_and_wait(clients_of(context, otherwise=True)),
        )

    @abstractmethod
    def break_service(self, context: FaultContext, edits: Edits) -> None:
        """Edit the Service."""

    @abstractmethod
    def repair_command(self, context: FaultContext) -> Command:
        """The command with which an SRE would mend the Service."""


def service_of(context: FaultContext) -> ObjectRef:
    """The Service of a component that the fault fits."""
    assert context.component.service is not None
    return context.component.service
