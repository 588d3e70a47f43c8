"""Faults that are one change of a Service's specification: what each changes, and what follows from it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import Change, GroundTruth
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import (
    declared_ports,
    main_container,
    manifest_of,
    probed_port,
)
from sregym_injectors.service_fault import ServiceFault, service_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component

    from sregym_injectors.edits import Edits


@dataclass(frozen=True)
class ServiceChange:
    """A wrong change of a Service.

    Attributes:
        what: Path of what changes, for people: `spec.ports[0].protocol`.
        before: What it was.
        after: What it is then.
        spec: Fields of the specification, for a merge patch.
    """

    what: str
    before: str
    after: str
    spec: Mapping[str, Any]


class ServiceEditFault(ServiceFault):
    """Base of faults that are one change of the specification of a component's Service.

    Attributes:
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptoms: What users and callers see.
    """

    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    symptoms: ClassVar[tuple[str, ...]]

    @abstractmethod
    def change(self, context: FaultContext) -> ServiceChange:
        """The change; from manifests and parameters alone."""

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
        edits.patch(service_of(context), {"spec": dict(self.change(context).spec)}, "merge")

    @override
    def repair_command(self, context: FaultContext) -> Command:
        right = manifest_of(context.application, service_of(context))["spec"]
        fields = {name: right.get(name) for name in self.change(context).spec}
        return commands.patch(service_of(context), {"spec": fields}, "merge")

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        change = self.change(context)
        return truth_of(
            context,
            service_of(context),
            self.mechanism,
            self.phrases,
            Change(what=change.what, before=change.before, after=change.after),
            *self.symptoms,
        )


def served_port(context: FaultContext) -> int:
    """Index of the Service's port by which users come: the probed one, else the first."""
    probed = probed_port(main_container(context))
    names = declared_ports(context)
    for index, port in enumerate(context.component.ports):
        if probed in (port.container_port, names.get(port.container_port)):
            return index
    return 0
