"""A fault: one primitive defect that fits many components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from sregym_core.errors import TargetError
from sregym_core.model import Component, Link, Node, TargetKind, Zone, kind_of, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster, Command, KubeObject
    from sregym_core.model import (
        Capability,
        Check,
        ComponentPart,
        FailureMode,
        FaultTarget,
        GroundTruth,
        NodeSetting,
        ObjectRef,
    )

_Kind = TypeVar("_Kind", Component, Node, Link, Zone)


class Journal(Protocol):
    """Where a fault writes down how to undo a step *before* it takes the step.

    The conductor replays it backwards on recovery, also when the fault, the agent or an oracle
    raised, or the user pressed Ctrl-C. Entries are JSON, so a journal survives its process.
    """

    def restore(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Undo by giving the object this state again; None: by deleting it."""

    def command(self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str) -> None:
        """Undo by running a command in a ready pod of the workload; must be harmless when repeated."""

    def node_setting(self, before: NodeSetting) -> None:
        """Undo by making a thing on a node as it was; see `NodeAccess.apply`."""

    def node_command(self, node: str, argv: Sequence[str], stdin: str = "") -> None:
        """Undo by running a command on a host; must be harmless when repeated."""

    def redact(self, ref: ObjectRef) -> None:
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
        target: What it acts on, chosen: a `Component`, `Node`, `Link` ...
        parameters: Validated instance of the fault's `Parameters`.
        journal: Where undo steps go.
        seed: Of the episode; all chance derives from it.
    """

    cluster: Cluster
    application: Application
    target: FaultTarget
    parameters: Any
    journal: Journal
    seed: int = 0

    @property
    def component(self) -> Component:
        """The target of a fault on a component.

        Raises:
            TargetError: The target is something else.
        """
        return _as(Component, self.target)

    @property
    def node(self) -> Node:
        """The target of a fault on a node, with its name.

        Raises:
            TargetError: The target is something else.
        """
        return _as(Node, self.target)

    @property
    def link(self) -> Link:
        """The target of a fault on the way between two ends.

        Raises:
            TargetError: The target is something else.
        """
        return _as(Link, self.target)

    @property
    def zone(self) -> Zone:
        """The target of a fault on a zone, with its nodes.

        Raises:
            TargetError: The target is something else.
        """
        return _as(Zone, self.target)


def _as(wanted: type[_Kind], target: FaultTarget) -> _Kind:
    if isinstance(target, wanted):
        return target
    words = {Component: "component", Node: "node", Link: "link", Zone: "zone"}
    msg = (
        f"a fault asked for its {words[wanted]}, but its target is {name_of(target)!r}, "
        f"a {kind_of(target)}; a fault says in `takes` which kinds of targets it takes"
    )
    raise TargetError(msg)


# Where in a system a fault acts, from the top down.
LAYERS = ("application", "datastore", "kubernetes", "network", "os", "hardware")


class Fault(ABC):
    """One primitive defect.

    A fault changes real state: an API object, an account, a kernel table. It never produces a
    symptom itself.

    `ground_truth`, `reference_fix` and `plan`-like work must not depend on whether the fault was
    injected: they derive from the component, the application's manifests and the parameters.

    Attributes:
        name: The word in problems: `service-target-port`.
        title: One line for people.
        layer: One of `LAYERS`.
        Parameters: Pydantic model of the parameters, all with defaults where a default fits any
            component.
        takes: Kinds of targets it can act on.
        parts: What of a component a target may name besides the component: one of its containers,
            one of its Services. `FaultContext.component` is then pointed at it.
        needs: What the cluster must let one do to its nodes; where it does not, a problem with
            this fault is skipped.
        modes: In which ways a system with this fault alone fails, beside that something is wrong.
        tipping: Names of the parameters that bring about an occasion of `replay`. Without them the
            defect is the same and waits.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    layer: ClassVar[str]
    Parameters: ClassVar[type[BaseModel]]
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.COMPONENT,)
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    needs: ClassVar[tuple[Capability, ...]] = ()
    modes: ClassVar[tuple[FailureMode, ...]] = ()
    tipping: ClassVar[tuple[str, ...]] = ()

    def settings_on(self, node: str) -> tuple[NodeSetting, ...]:
        """What it sets on a node, with default parameters and whatever depends on no target.

        `sregym doctor --node` tries these; empty, the default, for faults that set nothing on nodes.
        """
        return ()

    @abstractmethod
    def fits(self, target: Any, /) -> bool:
        """Whether this target has what the fault needs, with default parameters.

        Args:
            target: Of a kind that the fault takes: a `Component`, a `Node` ... In listings nodes
                and zones are not chosen yet: they have no names, but the component they run.
        """

    def mismatch_reason(self, target: Any, /) -> str:
        """Why `fits` says no, as the end of a sentence: "a DaemonSet has no replicas".

        Empty when it fits, or when there is no more to say than that it does not.
        """
        return ""

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

    def period_s(self, context: FaultContext) -> float:
        """How often an automation repeats what is wrong, in seconds; 0: nothing repeats it.

        A repair counts when it has lasted for two periods.
        """
        return 0.0

    def hasty_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """What repairs the victim alone while its cause goes on: a proof shows that it fails.

        Empty where there is no such half of a repair.
        """
        return ()

    def restart_recovers(self, target: Any, /) -> bool:
        """Whether the defect is rightly repaired when processes start anew.

        For state of running processes alone: a setting that nobody has written down, a session, an
        environment from before a change. Proofs then demand no longer that a restart fails.
        """
        return False

    def outstanding(self, context: FaultContext) -> str:
        """What is still missing until the injected defect rules the running system, in words.

        Asked again and again after `inject` until it is empty; then the effect on users is looked
        for. For defects that reach running processes by and by, a rollout for instance.
        """
        return ""

    def replay(self, context: FaultContext) -> bool:
        """Bring about once more what made the defect hurt, and let it pass again; whether there is such.

        For defects that wait for an occasion, a peak of load for instance. Journaled as `inject` is,
        and the same whether the defect is still there or not: a repaired system must bear it.
        """
        return False

    def occasions(
        self, application: Application, target: Any, /
    ) -> Mapping[str, Mapping[str, Any]]:
        """Parameters with which a defect that waits hurts at once, by a word for what tips it over.

        What tips it over passes, and `replay` brings it about again. Of them problems are made that
        fail in mode `metastable`; empty where nothing of the application would tip it over.
        """
        return {}

    def recover(self, context: FaultContext) -> None:  # noqa: B027 - an optional hook
        """Undo what the journal cannot; called before the journal is replayed, perhaps twice."""
