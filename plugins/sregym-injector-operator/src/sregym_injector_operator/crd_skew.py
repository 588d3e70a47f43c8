"""A definition of custom resources that those which are stored do not hold to any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.errors import UsageError
from sregym_core.model import (
    WORKLOAD_KINDS,
    Change,
    Check,
    Component,
    FailureMode,
    GroundTruth,
    ObjectRef,
    TargetKind,
)
from sregym_injectors.component_fault import ComponentFault, article
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject


class CrdSkew(ComponentFault):
    """Lets a definition require a field that the resources which are there do not have."""

    name: ClassVar[str] = "crd-skew"
    title: ClassVar[str] = (
        "Definition of custom resources is newer than its resources and its operator"
    )
    layer: ClassVar[str] = "kubernetes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    breaks: ClassVar[TargetKind | None] = (
        TargetKind.CLUSTER
    )  # one definition for all of its resources

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            field: Of the resource's `spec`, that is required.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        field: str = Field(default="upgradePolicy", pattern=r"^[a-z]\w*$")

    @override
    def mismatch_reason(self, component: Component) -> str:
        kind = component.workload.kind
        return f"{article(kind)} is no custom resource" if kind in WORKLOAD_KINDS else ""

    @override
    def inject(self, context: FaultContext) -> None:
        ref = ObjectRef.of(_declared(context))
        edits = Edits(context)
        versions = [_requiring(one, context.parameters.field) for one in _versions(edits.read(ref))]
        edits.patch(ref, {"spec": {"versions": versions}}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        ref, found = ObjectRef.of(_declared(context)), []
        live, resource = context.cluster.get(ref), context.cluster.get(context.component.workload)
        if live is None:
            found.append(f"{ref} does not exist")
        elif resource is None:
            found.append(f"{context.component.workload} does not exist")
        else:
            spec = resource.get("spec") or {}
            missing = {
                field for one in _versions(live) for field in _required(one) if field not in spec
            }
            found += [
                f"{ref} requires spec.{field}, which {context.component.workload} does not have"
                for field in sorted(missing)
            ]
        return defect_check("resources that hold to their definition", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        declared, field = _declared(context), context.parameters.field
        kind = context.component.workload.kind
        return truth_of(
            context,
            ObjectRef.of(declared),
            "crd-version-skew",
            (
                "CRD version skew",
                "CRD schema mismatch",
                "CRD schema was changed",
                "CRD requires a field that resources do not have",
                "custom resource definition does not match its operator",
                "CRD was upgraded without its operator",
                "stored resources violate the CRD schema",
                f"definition of {kind} requires {field}",
                f"spec.{field} is required",
                f"spec.{field}: Required value",
                f"{kind} is invalid by its own definition",
            ),
            Change(
                what="spec.required of the schema", before=_told(declared), after=f"with {field}"
            ),
            "the operator cannot write the resource",
            "changes of the resource are refused",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        declared = _declared(context)
        patch = {"spec": {"versions": _versions(declared)}}
        return (commands.patch(ObjectRef.of(declared), patch, "merge"),)


def _declared(context: FaultContext) -> KubeObject:
    """The definition of a component's resource, by the manifests.

    Raises:
        UsageError: The application brings none.
    """
    kind = context.component.workload.kind
    for obj in context.application.manifests():
        if obj["kind"] == "CustomResourceDefinition" and obj["spec"]["names"]["kind"] == kind:
            found: KubeObject = obj
            return found
    raise UsageError(
        f"fault 'crd-skew' on component {context.component.name!r}: no manifest of application "
        f"{context.application.name!r} defines {kind}; add its CustomResourceDefinition"
    )


def _versions(definition: KubeObject) -> list[dict[str, Any]]:
    return list(definition["spec"]["versions"])


def _spec_of(version: dict[str, Any]) -> dict[str, Any]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    found: dict[str, Any] = (schema.get("properties") or {}).get("spec") or {}
    return found


def _required(version: dict[str, Any]) -> list[str]:
    return list(_spec_of(version).get("required") or ())


def _requiring(version: dict[str, Any], field: str) -> dict[str, Any]:
    """A version whose resources must have one more field."""
    schema = dict((version.get("schema") or {}).get("openAPIV3Schema") or {"type": "object"})
    spec = dict(_spec_of(version) or {"type": "object"})
    spec["required"] = [*_required(version), field]
    spec["properties"] = {**(spec.get("properties") or {}), field: {"type": "string"}}
    schema["properties"] = {**(schema.get("properties") or {}), "spec": spec}
    return {**version, "schema": {"openAPIV3Schema": schema}}


def _told(definition: KubeObject) -> str:
    fields = dict.fromkeys(field for one in _versions(definition) for field in _required(one))
    return ", ".join(fields) or "none"
