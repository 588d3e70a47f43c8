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
    """Write-ahead log of undo steps: a fault records how to undo a step *before* it takes the step.

    The conductor replays it in reverse on recovery, also after an exception in fault, agent or
    oracle, and after Ctrl-C. Entries are JSON on disk, so they survive a crash of the process.
    """

    def restore(self, ref: ObjectRef, before: KubeObject | None) -> None:
        """Undo by restoring the object to `before`, as `Cluster.get` returned it; None: by deleting it."""

    def command(self, namespace: str, workload: ObjectRef, argv: Sequence[str], stdin: str) -> None:
        """Undo by running `argv` in a ready pod of the workload; it has to be idempotent."""

    def node_setting(self, before: NodeSetting) -> None:
        """Undo by applying `before` to its node again; see `NodeAccess.apply`."""

    def node_command(self, node: str, argv: Sequence[str], stdin: str = "") -> None:
        """Undo by running `argv` on the host of a node; it has to be idempotent."""

    def redact(self, ref: ObjectRef) -> None:
        """Hide an object from the agent; call this before the object is created.

        For helper objects of a fault only, never for the defect itself. A Namespace hides all objects
        in it, a CustomResourceDefinition its whole API group. Use a namespace of its own or a name
        that cannot be guessed (with a suffix derived from the seed): a create request for the same
        name fails with AlreadyExists, which would reveal the object.
        """


@dataclass(frozen=True)
class FaultContext:
    """Arguments of the methods of a fault.

    Attributes:
        cluster: The cluster to change.
        application: The application to which the target belongs.
        target: The resolved target: a `Component`, `Node`, `Link` ...
        parameters: Validated instance of the fault's `Parameters`.
        journal: Records undo steps.
        seed: Seed of the episode; the only source of randomness.
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
            TargetError: The target is of another kind.
        """
        return _as(Component, self.target)

    @property
    def node(self) -> Node:
        """The target of a fault on a node, with its name.

        Raises:
            TargetError: The target is of another kind.
        """
        return _as(Node, self.target)

    @property
    def link(self) -> Link:
        """The target of a fault on the network link between two peers.

        Raises:
            TargetError: The target is of another kind.
        """
        return _as(Link, self.target)

    @property
    def zone(self) -> Zone:
        """The target of a fault on a zone, with its nodes.

        Raises:
            TargetError: The target is of another kind.
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


# Layers of a system in which a fault acts, from the top down.
LAYERS = ("application", "datastore", "kubernetes", "network", "os", "hardware")


class Fault(ABC):
    """One kind of defect, for any target that fits.

    A fault changes state: an API object, an account, a kernel table. Symptoms follow from that state;
    a fault never produces them itself.

    `ground_truth` and `reference_fix` return the same before and after the injection: they derive
    from the target, the application's manifests and the parameters, not from the live cluster.

    Attributes:
        name: Its name in problems: `service-target-port`.
        title: One line for listings.
        layer: One of `LAYERS`.
        Parameters: Pydantic model of the parameters; each has a default if one suits all targets.
        takes: Kinds of targets that it supports.
        parts: Parts of a component that a target may select: one of its containers, one of its
            Services. `FaultContext.component` then points at the selected part.
        needs: Capabilities of node access that it requires; on a cluster without them, problems
            with this fault are skipped.
        modes: Failure modes of a system with this fault alone; see `FailureMode`.
        tipping: Names of the parameters that select a trigger for `replay`. Without them the same
            defect is injected and stays latent.
        breaks: What it breaks, where that is not what a target names: a quota is the namespace's,
            whichever component meets it. Pairs are counted by it.
        variant_of: The fault that differs from it in a value alone; pairs of that one count for both.
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
    breaks: ClassVar[TargetKind | None] = None
    variant_of: ClassVar[str] = ""

    def settings_on(self, node: str) -> tuple[NodeSetting, ...]:
        """The node settings that it applies with default parameters, as far as they depend on no target.

        `sregym doctor --node` tests these on a real node. Default: none.
        """
        return ()

    @abstractmethod
    def fits(self, target: Any, /) -> bool:
        """Whether the fault can be injected into this target with default parameters.

        Args:
            target: Of a kind in `takes`: a `Component`, a `Node` ... When problems are listed, nodes
                and zones are not resolved yet: their name is empty, and `component` is set.
        """

    def mismatch_reason(self, target: Any, /) -> str:
        """Why `fits` returns False, as a clause for messages: "a DaemonSet has no replicas".

        Empty if the target fits, or if there is no particular reason.
        """
        return ""

    def unnoticed(self, target: Any, /) -> str:
        """Why users would hardly notice the fault on a target that fits, as a clause; empty: they may.

        Such pairs are not listed; one that is requested, or put into a problem, is made all the same.
        """
        return ""

    @abstractmethod
    def inject(self, context: FaultContext) -> None:
        """Inject the defect; record each step in `context.journal` before taking it.

        May wait on `context.cluster.clock` for a condition that its next step requires. Returns
        when the state is changed, without waiting for the effect; see `outstanding`. An exception
        ends the episode as an error, and the journal is replayed.
        """

    @abstractmethod
    def present(self, context: FaultContext) -> Check:
        """Check whether the defect is repaired: the outcome is `pass` if so, `fail` if it is still there.

        Reads state, never symptoms, and accepts every valid repair, not only the reference fix.
        Called before and after the injection and by oracles; it changes nothing.
        """

    @abstractmethod
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        """The root cause in fixed fields, which diagnoses are compared with."""

    @abstractmethod
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """A valid repair as kubectl commands, in order; a proof runs them and expects a pass."""

    def period_s(self, context: FaultContext) -> float:
        """Interval in seconds at which an automation reapplies the defect; 0.0: none does.

        A repair passes if it lasts for two intervals.
        """
        return 0.0

    def hasty_fix(self, context: FaultContext) -> tuple[Command, ...]:
        """A repair of the affected component alone, while the cause remains; a proof expects a fail.

        Empty if the fault has no such incomplete repair.
        """
        return ()

    def restart_recovers(self, target: Any, /) -> bool:
        """Whether restarting processes is a valid repair.

        True for state of running processes alone: a setting that is not persisted, a session, an
        environment read before a change. Proofs then do not expect a restart to fail.
        """
        return False

    def outstanding(self, context: FaultContext) -> str:
        """What has to happen until the defect takes effect in running processes, as text for a message.

        Polled after `inject` until it is empty; only then the effect on users is measured. For
        defects that reach processes gradually, such as by a rollout. Default: "", at once.
        """
        return ""

    def replay(self, context: FaultContext) -> bool:
        """Repeat the trigger of a latent defect, such as a load peak, and end it again.

        Steps are journaled as in `inject`, and do not depend on whether the defect is still there: a
        repaired system has to withstand the trigger. Returns False if the fault has no trigger.
        """
        return False

    def occasions(
        self, application: Application, target: Any, /
    ) -> Mapping[str, Mapping[str, Any]]:
        """Parameters that add a trigger to a latent defect, by a word for the trigger.

        The trigger is transient, and `replay` repeats it. Problems in failure mode `metastable` are
        generated from these; empty if no trigger exists for this application and target.
        """
        return {}

    def recover(self, context: FaultContext) -> None:  # noqa: B027 - an optional hook
        """Undo what the journal cannot; called before the journal is replayed, and idempotent."""
