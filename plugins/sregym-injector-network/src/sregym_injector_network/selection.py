"""A Service that also selects pods of another component: a label that both have is all it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.errors import WorldError
from sregym_core.model import FailureMode
from sregym_injectors.component_fault import not_custom, not_rolling
from sregym_injectors.edits import Edits
from sregym_injectors.pods import labels_selector
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.service_edit import ServiceChange, ServiceEditFault
from sregym_injectors.workloads import restart_rollout, roll_out
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component, GroundTruth


class ServiceSelectorWide(ServiceEditFault):
    """Labels two workloads alike, and lets the Service of one select by that label."""

    name: ClassVar[str] = "service-selector-wide"
    title: ClassVar[str] = "Service also selects the pods of another component"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "service-selector-too-wide"
    phrases: ClassVar[tuple[str, ...]] = (
        "selector is too broad",
        "selector is too wide",
        "overly broad selector",
        "selector matches pods of another component",
        "selector also matches foreign pods",
        "service also selects other pods",
        "service selects the wrong pods",
        "service routes to pods of another service",
        "wrong endpoints behind the service",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("part of the requests fail", "connection refused")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            key: The label that both get.
            victim: Name of the component whose pods are selected too; empty: another one of the
                same kind in the namespace, for a cache one of another kind.
        """

        key: str = Field(default="app.kubernetes.io/part-of", min_length=1)
        victim: str = ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        reason = (
            super().mismatch_reason(component) or not_custom(component) or not_rolling(component)
        )
        return reason or ("" if component.selector else "its Service has no selector")

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        component = context.component
        wide = _label(context)
        gone = {key: None for key in component.selector if key not in wide}
        return ServiceChange(
            "spec.selector",
            labels_selector(component.selector),
            f"{labels_selector(wide)}, which pods of {_victim(context).name} have too",
            {"selector": {**gone, **wide}},
        )

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        contributing = (_victim(context).name,)
        return super().ground_truth(context).model_copy(update={"contributing": contributing})

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        template = {"spec": {"template": {"metadata": {"labels": _label(context)}}}}
        for part in (context.component, _victim(context)):
            roll_out(edits, part.workload, template)
        self.break_service(context, edits)
        restart_rollout(edits, clients_of(context, otherwise=True))


def _label(context: FaultContext) -> dict[str, Any]:
    return {context.parameters.key: context.component.namespace}


def _victim(context: FaultContext) -> Component:
    """The component whose pods are selected too; the same for the same application and parameters."""
    component, wanted = context.component, context.parameters.victim
    others = [
        part
        for part in context.application.components()
        if part.name != component.name
        and part.namespace == component.namespace
        and part.kind != scope.LOAD
        and not (not_custom(part) or not_rolling(part))
        and wanted in ("", part.name)
    ]
    # One that serves users, rather of the same kind, is what two teams would group together; of two
    # caches one only has not what is looked for in the other, which harms no user.
    alike = component.kind != "cache"
    others.sort(key=lambda part: ((part.kind == component.kind) != alike, not part.operations))
    if not others:
        raise WorldError(
            f"the Service of {component.name!r} cannot also select pods of "
            f"{wanted or 'another component'}: namespace {component.namespace!r} has no such "
            "component with a rollout; choose another target or parameter 'victim'"
        )
    return others[0]
