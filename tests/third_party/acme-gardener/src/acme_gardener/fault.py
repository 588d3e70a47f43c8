"""Somebody rolls out a release of the operator that has a defect."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.model import Change, Check, Component, GroundTruth
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.workloads import roll_out
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from typing import Any

    from sregym_core.interfaces import Command, FaultContext

_BAD = ":2.1"


class GardenerRelease(ComponentFault):
    """Gardener 2.1 leads the Services of groves to a port on which nothing listens."""

    name: ClassVar[str] = "gardener-release"
    title: ClassVar[str] = "A release of Gardener with a defect"
    layer: ClassVar[str] = "application"

    class Parameters(BaseModel):
        """None."""

        model_config = ConfigDict(frozen=True, extra="forbid")

    @override
    def mismatch_reason(self, component: Component) -> str:
        return "" if "/gardener:" in component.image else "it is no Gardener"

    @override
    def inject(self, context: FaultContext) -> None:
        roll_out(Edits(context), context.component.workload, _template(context, _released(context)))

    @override
    def present(self, context: FaultContext) -> Check:
        component = context.component
        live = context.cluster.get(component.workload)
        images = (
            []
            if live is None
            else [one["image"] for one in live["spec"]["template"]["spec"]["containers"]]
        )
        return defect_check(
            "Gardener runs a release without the defect",
            [f"{component.workload} runs {image}" for image in images if image.endswith(_BAD)],
        )

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        return truth_of(
            context,
            component.workload,
            "operator-regression",
            (
                "regression in the operator",
                "regression of gardener",
                "operator upgrade",
                "gardener upgrade",
                "defective operator release",
                "gardener release 2.1",
                "gardener 2.1",
            ),
            Change(what="release of the operator", before="gardener 2.0", after="gardener 2.1"),
            "the Service of the grove leads to a closed port",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        return (
            commands.set_image(component.workload, component.container, component.image),
            commands.rollout_status(component.workload),
        )


def _released(context: FaultContext) -> str:
    return context.component.image.rpartition(":")[0] + _BAD


def _template(context: FaultContext, image: str) -> Any:
    containers = [{"name": context.component.container, "image": image}]
    return {"spec": {"template": {"spec": {"containers": containers}}}}
