"""Somebody has set the limit of a Larder to less than what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.model import Change, Check, Component, GroundTruth, ObjectRef
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.workloads import ready_pod, run_in_workload
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext

_BEFORE = 100_000


class LarderLimit(ComponentFault):
    """Sets the limit of documents with larderctl; what would be one more is refused."""

    name: ClassVar[str] = "larder-limit"
    title: ClassVar[str] = "Larder's limit of documents is too small"
    layer: ClassVar[str] = "datastore"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            documents: The limit.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        documents: int = 100

    @override
    def mismatch_reason(self, component: Component) -> str:
        return "" if "/larder:" in component.image else "it is no Larder"

    @override
    def inject(self, context: FaultContext) -> None:
        component = context.component
        context.journal.command(component.namespace, component.workload, _set("default"), "")
        Edits(context).pause()
        _run(context, _set(str(context.parameters.documents)))

    @override
    def present(self, context: FaultContext) -> Check:
        component = context.component
        expected = "larder takes more documents than it has"
        if ready_pod(context.cluster, component.workload) is None:
            return defect_check(expected, ["no ready pod of larder answers"])
        limit, count = (int(_run(context, ("larderctl", word))[1:]) for word in ("limit", "count"))
        return defect_check(expected, [] if limit > count else [f"{count} of {limit} documents"])

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, limit = context.component, context.parameters.documents
        return truth_of(
            context,
            ObjectRef(
                api_version="", kind="Larder", namespace=component.namespace, name=component.name
            ),
            "larder-limit-too-small",
            ("document limit", "no room", "limit of documents", "limit too small", "507"),
            Change(what="limit of documents", before=str(_BEFORE), after=str(limit)),
            "documents are refused",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        return (commands.execute(component.workload, component.container, _set(str(_BEFORE))),)


def _set(documents: str) -> tuple[str, ...]:
    return ("larderctl", "limit", documents)


def _run(context: FaultContext, argv: tuple[str, ...]) -> str:
    component = context.component
    done = run_in_workload(context.cluster, component.workload, component.container, argv)
    assert done.ok, done.stderr
    return done.stdout.strip()
