"""Faults that consist of one additional object; deleting it is the repair."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Change, GroundTruth, ObjectRef
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.workloads import restart_rollout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject


class AddedObjectFault(ComponentFault):
    """Base of faults that create one namespaced object, and restart who holds connections.

    Attributes:
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptoms: What users and callers see.
    """

    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    symptoms: ClassVar[tuple[str, ...]]

    class Parameters(ClientParameters):
        """What all have."""

    @abstractmethod
    def added(self, context: FaultContext) -> KubeObject:
        """The object; from manifests and parameters alone."""

    @abstractmethod
    def describe(self, context: FaultContext) -> str:
        """A description of the object, for people."""

    @abstractmethod
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        """Workloads whose connections from before would hide the defect."""

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.create(self.added(context))
        restart_rollout(edits, self.restarted(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        ref = ObjectRef.of(self.added(context))
        return truth_of(
            context,
            ref,
            self.mechanism,
            self.phrases,
            Change(what=f"{ref.kind} {ref.name}", before="", after=self.describe(context)),
            *self.symptoms,
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (
            commands.delete(ObjectRef.of(self.added(context))),
            *commands.restart_and_wait(self.restarted(context)),
        )
