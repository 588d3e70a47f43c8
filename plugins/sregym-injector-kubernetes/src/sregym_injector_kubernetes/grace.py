"""Pods that end at once: what they are about to answer is cut, and what they keep is not written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import ComponentPart, FailureMode
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange, right_pod
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext

_FIELD = "terminationGracePeriodSeconds"
# What pods have whose manifest says nothing.
_USUAL_S = 30


class GraceTooShort(PodTemplateFault):
    """Leaves pods no time to end in order; nothing is felt before the next of them end."""

    name: ClassVar[str] = "grace-too-short"
    title: ClassVar[str] = "Pods get no time to end in order"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    mechanism: ClassVar[str] = "grace-period-too-short"
    phrases: ClassVar[tuple[str, ...]] = (
        "termination grace period too short",
        "grace period too short",
        "terminationGracePeriodSeconds too low",
        "pods are killed before they have ended in order",
        "ungraceful termination",
        "ungraceful shutdown",
        "no graceful shutdown",
        "SIGKILL right after SIGTERM",
        "requests are cut when pods end",
        "connections are not drained",
        "preStop hook is cut off",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("exit code 137", "requests fail during rollouts")
    expected: ClassVar[str] = "as much time to end as the manifest gives"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            seconds: That are left.
        """

        restart_clients: bool | None = False
        seconds: int = Field(default=0, ge=0, le=5)

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        seconds = context.parameters.seconds
        wrong: dict[str, Any] = {_FIELD: seconds}
        return TemplateChange(_FIELD, str(seconds), str(_right(context)), pod=wrong)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        found = live.spec.get(_FIELD, _USUAL_S)
        # Half of it may be a deliberate choice, next to nothing is not.
        wrong = found <= max(context.parameters.seconds, min(5, _right(context) // 2))
        return [f"gives its pods {found} s to end"] if wrong else []


def _right(context: FaultContext) -> int:
    return int(right_pod(context).get(_FIELD, _USUAL_S))
