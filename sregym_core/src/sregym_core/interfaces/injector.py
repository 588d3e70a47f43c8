"""A fault: one primitive defect that fits many components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster, Command, KubeObject
    from sregym_core.model import Check, Component, GroundTruth, ObjectRef


class Journal(Protocol):
    """Where a fault writes down how to undo a step *before* it takes the step.

    The conductor replays it backwards on recovery, also when the fault, the agent or an oracle
    raised, or the user pressed Ctrl-C. Entries are JSON, so a journal survives its process.
    """

    def restore(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Undo by giving the object this state again; None: by deleting it."""

    def command(self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str) -> None:
        """Undo by running a command in a ready pod of the workload; must be harmless when repeated."""

    def conceal(self, ref: ObjectRef) -> None:
        """Keep a tool of the fault from the agent, before it is created.

        For what a fault needs to act, never for the defect itself. A Namespace conceals all in it,
        a CustomResourceDefinition its whole group. Give it a namespace of its own, or a name that
        nobody guesses (end it with what derives from the seed): whoever creates an object of the
        very name is told that there is one.
        """


@dataclass(frozen=True)
class FaultContext:
    """All that a fault works with.

    Attributes:
        cluster: Where it acts.
        application: To which the target belongs.
        component: The target.
        parameters: Validated instance of the fault's `Parameters`.
        journal: Where undo steps go.
        seed: Of the episode; all chance derives from it.
    """

    cluster: Cluster
    application: Application
    component: Component
    parameters: Any
    journal: Journal
    seed: int = 0


class Fault(ABC):
    """One primitive defect.

    A fault changes real state: an API object, an account, a kernel table. It never produces a
    symptom itself.

    `ground_truth`, `reference_fix` and `plan`-like work must not depend on whether the fault was
    injected: they derive from the component, the application's manifests and the parameters.

    Attributes:
        name: The word in problems: `service-target-port`.
        title: One line for people.
        layer: `application`, `kubernetes`, `network`, `datastore`, `os`, `hardware`.
        Parameters: Pydantic model of the parameters, all with defaults where a default fits any
            component.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    layer: ClassVar[str]
    Parameters: ClassVar[type[BaseModel]]

    @abstractmethod
    def fits(self, component: Component) -> bool:
        """Whether this component has what the fault needs, with default parameters."""

    @abstractmethod
    def inject(self, context: FaultContext) -> None:
        """Break it. Every step is journaled before it is taken.

        May wait, with the cluster's clock, until its own next step is possible; returns without
        waiting for the effect.
        """

    @abstractmethod
    def present(self, context: FaultContext) -> Check:
        """Whether the defect is gone: passes when it is, fails when it is still there.

        Looks at state only, never at symptoms, and accepts every right repair, not only the
        reference fix.
        """

    @abstractmethod
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        """The root cause in fixed fields."""

    @abstractmethod
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """The kubectl commands that an SRE would type, in order."""

    def recover(self, context: FaultContext) -> None:  # noqa: B027 - an optional hook
        """Undo what the journal cannot; called before the journal is replayed, perhaps twice."""
