"""A Service selects no pod, because its selector asks for a label that no pod has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import Change, Component, GroundTruth
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.pods import labels_selector
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.service_fault import ServiceFault, service_of
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_injectors.edits import Edits


class ServiceSelector(ServiceFault):
    """Adds a label to the selector of the component's Service."""

    name: ClassVar[str] = "service-selector"
    title: ClassVar[str] = "Service selector matches no pod"

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
    def mismatch_reason(self, component: Component) -> str:
        reason = super().mismatch_reason(component)
        return reason or ("" if component.selector else "its Service has no selector")

    @override
    def break_service(self, context: FaultContext, edits: Edits) -> None:
        label = {context.parameters.key: _value(context)}
        edits.patch(service_of(context), {"spec": {"selector": label}}, "merge")

    @override
    def repair_command(self, context: FaultContext) -> Command:
        right = context.component.selector.get(context.parameters.key)
        restore = {"spec": {"selector": {context.parameters.key: right}}}
        return commands.patch(service_of(context), restore, "merge")

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        label = f"{context.parameters.key}={_value(context)}"
        wrong = {**component.selector, context.parameters.key: _value(context)}
        return truth_of(
            context,
            service_of(context),
            "service-selector-mismatch",
            (
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
                "no endpoints because of the selector",
                f"selector asks for {label}",
                f"extra selector {context.parameters.key}",
            ),
            Change(
                what="spec.selector",
                before=labels_selector(component.selector),
                after=labels_selector(wrong),
            ),
            "connection refused",
        )


def _value(context: FaultContext) -> str:
    return context.parameters.value or service_of(context).name
