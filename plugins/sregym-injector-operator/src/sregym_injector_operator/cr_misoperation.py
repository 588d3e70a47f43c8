"""A custom resource asks for what its operator cannot make, or for what harms."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import WORKLOAD_KINDS, Change, Check, Component, GroundTruth
from sregym_injectors.component_fault import ComponentFault, article
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from typing_extensions import override

from sregym_injector_operator.fields import (
    MISSING,
    holds,
    leaves,
    merge_of,
    replicas_path,
    spoken,
    value_at,
)
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext

_FIELD = r"[A-Za-z0-9_\-/]+"


class CrMisoperation(ComponentFault):
    """Sets a field of a custom resource to a value that its operator cannot or should not carry out."""

    name: ClassVar[str] = "cr-misoperation"
    title: ClassVar[str] = "Custom resource with an impossible value"
    layer: ClassVar[str] = "application"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            path: The field, by the names of the fields above it: `spec.pd.storageClassName`. Empty:
                the one that says how many pods the component has.
            value: What it is set to. Of a map, the fields that are named; a list is replaced.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        path: str = Field(default="", pattern=rf"^(spec(\.{_FIELD})+)?$")
        value: Any = 100000

    @override
    def mismatch_reason(self, component: Component) -> str:
        kind = component.workload.kind
        if kind in WORKLOAD_KINDS:
            return f"{article(kind)} is no custom resource"
        return ""

    @override
    def inject(self, context: FaultContext) -> None:
        patch = merge_of(_path(context), context.parameters.value)
        Edits(context).patch(context.component.workload, patch, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        ref, path = context.component.workload, _path(context)
        live = context.cluster.get(ref)
        if live is None:
            defects = [f"{ref} does not exist"]
        else:
            found = value_at(live, path)
            wrong = holds(found, context.parameters.value, _right(context))
            defects = [f"{ref} has {path} {_text(found)}"] if wrong else []
        return defect_check(f"{path} other than {_text(context.parameters.value)}", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, path, value = context.component, _path(context), context.parameters.value
        kind, right = component.workload.kind, _right(context)
        words = [spoken(name) for name in path.split(".")[1:]]
        named = dict.fromkeys((path, path.removeprefix("spec."), path.split(".")[-1], words[-1]))
        return truth_of(
            context,
            component.workload,
            "custom-resource-misoperation",
            (
                "misconfigured custom resource",
                f"misconfigured {kind}",
                f"invalid {kind}",
                f"{kind} with an invalid value",
                *(
                    f"{how} {name}"
                    for name in named
                    for how in ("wrong", "invalid", "impossible", "bad")
                ),
                *(f"{name} {text}" for name in named for text in leaves(value)),
            ),
            Change(
                what=path,
                before="" if right is None else _text(right),
                after=_text(value),
            ),
            "the operator cannot reconcile it",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component, path = context.component, _path(context)
        right, wrong = _right(context), context.parameters.value
        back = dict.fromkeys(wrong) if isinstance(wrong, dict) else None
        if isinstance(right, dict) and back is not None:
            right = {**back, **right}
        mend = commands.patch(component.workload, merge_of(path, right), "merge")
        return (mend, *map(commands.rollout_status, component.workloads))


def _path(context: FaultContext) -> str:
    """The field that is changed."""
    if context.parameters.path:
        path: str = context.parameters.path
        return path
    component = context.component
    manifest = manifest_of(context.application, component.workload)
    return replicas_path(component, manifest) or "spec.replicas"


def _right(context: FaultContext) -> Any:
    """What the manifest says; None where it says nothing."""
    manifest = manifest_of(context.application, context.component.workload)
    found = value_at(manifest, _path(context))
    return None if found is MISSING else found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
