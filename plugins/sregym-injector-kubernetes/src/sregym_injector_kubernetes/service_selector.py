"""A Service selects no pod, because its selector asks for a label that no pod has."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import Change, Check, Component, GroundTruth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.workloads import labels_selector, scaled_to_zero
from typing_extensions import override

from sregym_injector_kubernetes.restarts import ClientParameters, clients_of
from sregym_injector_kubernetes.service_state import EXPECTED, service_defects
from sregym_injectors import commands, scope


class ServiceSelector(Fault):
    """Adds a label to the selector of the component's Service."""

    name: ClassVar[str] = "service-selector"
    title: ClassVar[str] = "Service selector matches no pod"
    layer: ClassVar[str] = "kubernetes"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            key: Label that the selector asks for; no pod of the component may have it with this
                value.
            value: Its value; empty: the name of the Service.
        """

        key: str = Field(default="current_service_name", min_length=1)
        value: str = ""

    @override
    def fits(self, component: Component) -> bool:
        return (
            component.kind != scope.LOAD
            and component.service is not None
            and bool(component.selector)
        )

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        assert context.component.service is not None
        label = {context.parameters.key: _value(context)}
        edits.patch(context.component.service, {"spec": {"selector": label}}, "merge")
        with scaled_to_zero(edits, clients_of(context, otherwise=True)):
            pass

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check(EXPECTED, service_defects(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        assert component.service is not None
        label = f"{context.parameters.key}={_value(context)}"
        wrong = {**component.selector, context.parameters.key: _value(context)}
        return GroundTruth(
            component=component.name,
            kind="Service",
            object_name=component.service.name,
            namespace=component.service.namespace,
            mechanism="service-selector-mismatch",
            mechanism_phrases=(
                "wrong selector",
                "wrong service selector",
                "incorrect selector",
                "selector mismatch",
                "label mismatch",
                "selector does not match the pod labels",
                "selector does not match any pod",
                "selector matches no pods",
                "selector has an extra label",
                "bogus label in the selector",
                "misconfigured selector",
                "service has no endpoints",
                "no endpoints because of the selector",
                "empty endpoints",
                f"selector asks for {label}",
                f"extra selector {context.parameters.key}",
            ),
            changed=Change(
                what="spec.selector",
                before=labels_selector(component.selector),
                after=labels_selector(wrong),
            ),
            affected=scope.affected(context.application, component),
            impact=scope.impact(component),
            impact_phrases=(*scope.impact_phrases(component), "connection refused"),
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        assert context.component.service is not None
        right = context.component.selector.get(context.parameters.key)
        restore = {"spec": {"selector": {context.parameters.key: right}}}
        return (
            commands.patch(context.component.service, restore, "merge"),
            *commands.restart_and_wait(clients_of(context, otherwise=True)),
        )


def _value(context: FaultContext) -> str:
    assert context.component.service is not None
    return context.parameters.value or context.component.service.name
