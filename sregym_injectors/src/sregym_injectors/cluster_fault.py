"""Faults in what all nodes have in common: everybody is concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Fault
from sregym_core.model import Change, GroundTruth, ObjectRef, TargetKind
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext


class ClusterFault(Fault):
    """Base of faults in a service of the whole cluster."""

    layer: ClassVar[str] = "network"
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.CLUSTER,)

    @override
    def fits(self, target: object) -> bool:
        return True


def cluster_truth(
    context: FaultContext,
    broken: ObjectRef,
    component: str,
    mechanism: str,
    phrases: Sequence[str],
    change: Change,
    symptoms: Sequence[str] = (
        "name resolution fails",
        "all services fail to resolve names",
        "no such host",
    ),
) -> GroundTruth:
    """Ground truth of a defect of the whole cluster.

    Args:
        context: Gives the application.
        broken: The object with the defect.
        component: What of the cluster it belongs to.
        mechanism: One word of the vocabulary.
        phrases: Synonyms of the mechanism in diagnoses.
        change: What was changed.
        symptoms: What users may see besides failing operations.
    """
    parts = [part for part in context.application.components() if part.kind != scope.LOAD]
    entries = [part for part in parts if part.operations]
    operations = tuple(dict.fromkeys(name for part in entries for name in part.operations))
    whole = {"operations": operations}
    return GroundTruth(
        component=component,
        kind=broken.kind,
        object_name=broken.name,
        namespace=broken.namespace,
        mechanism=mechanism,
        mechanism_phrases=tuple(phrases),
        changed=change,
        affected=tuple(part.name for part in entries),
        impact=scope.impact(entries[0].model_copy(update=whole)) if entries else "",
        impact_phrases=(
            *symptoms,
            *(scope.impact_phrases(entries[0].model_copy(update=whole)) if entries else ()),
        ),
    )
