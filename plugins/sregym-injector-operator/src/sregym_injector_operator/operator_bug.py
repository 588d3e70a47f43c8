"""A build of an operator that reconciles custom resources wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.errors import UsageError
from sregym_core.model import WORKLOAD_KINDS, Component, FailureMode, ObjectRef
from sregym_injectors.edits import Edits
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from sregym_injectors.workloads import restart_rollout, rolled_out
from typing_extensions import override

from sregym_injectors import commands, scope

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext

_BUILD = "misreconciling"
_ROLLED_OUT_S = 300.0
# Operators look at all of their resources about so often, whether or not anything has changed.
_RESYNC_S = 60.0


class OperatorBug(PodTemplateFault):
    """Rolls a build of an operator out that changes what it has made, and changes it again."""

    name: ClassVar[str] = "operator-bug"
    title: ClassVar[str] = "Operator reconciles wrongly"
    layer: ClassVar[str] = "application"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.RECURRING,)
    mechanism: ClassVar[str] = "buggy-operator"
    phrases: ClassVar[tuple[str, ...]] = (
        "buggy operator",
        "operator bug",
        "bug in the operator",
        "operator reconciles wrongly",
        "wrong version of the operator",
        "operator was upgraded to a defective build",
        "operator image was changed to a defective build",
        "pre-release build of the operator",
        "operator overwrites the Service",
        "operator sets a wrong selector",
        "operator breaks what it manages",
        "controller manager runs a bad image",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections fail", "no endpoints", "repairs are undone")
    expected: ClassVar[str] = "a build of the operator that makes what is asked for"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            image: The build; empty: the one that the application's notes on the component name.
        """

        image: str = ""

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        known = _BUILD in component.builds
        return "" if known else "no build of an operator is known of it that reconciles wrongly"

    @override
    def period_s(self, context: FaultContext) -> float:
        return _RESYNC_S

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, wrong = context.component, _wrong(context)
        what = f"containers[name={component.container}].image"
        return TemplateChange(what, wrong, component.image, container={"image": wrong})

    @override
    def inject(self, context: FaultContext) -> None:
        before, users = _made(context), _users(context)
        super().inject(context)
        if not before:
            return
        edits, ref = Edits(context), context.component.workload
        clock = context.cluster.clock
        clock.wait_until(lambda: rolled_out(edits.read(ref)), _ROLLED_OUT_S, 1.0)
        clock.wait_until(lambda: _made(context) != before, _RESYNC_S, 1.0)
        # Connections outlive what is wrong with Services.
        restart_rollout(edits, users)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = str(live.container.get("image", ""))
        return [f"has image {found}"] if found == _wrong(context) else []

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"image {_wrong(context)}",)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (*super().reference_fix(context), *commands.restart_and_wait(_users(context)))


def _wrong(context: FaultContext) -> str:
    """The build.

    Raises:
        UsageError: None is known, and none was named.
    """
    component = context.component
    wrong = context.parameters.image or component.builds.get(_BUILD, "")
    if not wrong:
        raise UsageError(
            f"no build of component {component.name!r} is known that reconciles wrongly; name one with "
            "the parameter image"
        )
    return str(wrong)


def _made(context: FaultContext) -> list[dict[str, Any]]:
    """Specifications of the Services that are made of custom resources."""
    refs = [
        service.ref
        for part in context.application.components()
        if part.workload.kind not in WORKLOAD_KINDS
        for service in part.services
    ]
    found = (context.cluster.get(ref) for ref in refs)
    return [service["spec"] for service in found if service is not None]


def _users(context: FaultContext) -> tuple[ObjectRef, ...]:
    """Workloads that call what is made of custom resources."""
    found = [
        ref
        for part in context.application.components()
        if part.workload.kind not in WORKLOAD_KINDS
        for ref in scope.clients(context.application, part)
    ]
    return tuple(dict.fromkeys(found))
