"""The root cause of a fault in fixed fields; what follows from the component is filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import GroundTruth

from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Change, ObjectRef


def truth_of(
    context: FaultContext,
    broken: ObjectRef,
    mechanism: str,
    phrases: Sequence[str],
    changed: Change,
    *symptoms: str,
) -> GroundTruth:
    """Ground truth of a defect in one object of the context's component.

    Args:
        context: Provides the component, and the application in which it has callers.
        broken: The object with the defect; of a kind that the API may not know (`DatabaseUser`). What
            belongs to the whole cluster is described in the component's namespace.
        mechanism: One word of the vocabulary: `service-missing`.
        phrases: Other ways to say the mechanism.
        changed: What was changed, from what, to what.
        symptoms: What users may see besides failing operations.
    """
    component = context.component
    return GroundTruth(
        component=component.name,
        kind=broken.kind,
        object_name=broken.name,
        namespace=broken.namespace or component.namespace,
        mechanism=mechanism,
        mechanism_phrases=tuple(phrases),
        changed=changed,
        affected=scope.affected(context.application, component),
        impact=scope.impact(component),
        impact_phrases=(*scope.impact_phrases(component), *symptoms),
    )
