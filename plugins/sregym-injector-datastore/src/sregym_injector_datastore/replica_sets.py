"""Replica sets that do not do what they are for: no majority, no successor, copies that stay behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import Change, Check, FailureMode, GroundTruth, Outcome
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import SCALABLE_KINDS, restart_rollout
from typing_extensions import override

from sregym_injector_datastore import set_words as words
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.set_changes import LAGGING, SENTINEL, STUCK, lagging, stuck
from sregym_injector_datastore.store_fault import StoreFault
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component

    from sregym_injector_datastore.store_fault import StoreChange

# The fewest members of which one can be missed.
_FEWEST = 3
_ENDS_IN_S = 60.0


def no_set(component: Component) -> str:
    """Why the pods of a component are no replica set that bears a loss; empty when they are."""
    if not component.replica_set:
        return "its pods are no members of a replica set"
    if component.replicas < _FEWEST:
        return f"its replica set has fewer than {_FEWEST} members"
    return ""


class ReplicaLost(ComponentFault):
    """Scales the members of a replica set down to less than a majority."""

    name: ClassVar[str] = "replica-lost"
    title: ClassVar[str] = "Replica set without a majority of its members"
    layer: ClassVar[str] = "datastore"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            left: How many members stay; None: one too few for a majority.
        """

        restart_clients: bool | None = False
        left: int | None = Field(default=None, ge=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := no_set(component):
            return reason
        if family_of(component) is Family.MYSQL:
            return "its source does not wait for replicas"
        kind = component.workload.kind
        return "" if kind in SCALABLE_KINDS else f"its {kind} cannot be scaled"

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.patch(context.component.workload, {"spec": {"replicas": _left(context)}}, "merge")
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        component = context.component
        workload = context.cluster.get(component.workload)
        wanted = 0 if workload is None else workload["spec"].get("replicas", 1)
        defects = [] if wanted >= component.replicas else [f"{component.workload} has {wanted}"]
        return defect_check(f"spec.replicas of at least {component.replicas}", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component, left = context.component, str(_left(context))
        phrases = (
            "StatefulSet was scaled down", f"scaled down to {left}", f"scaled to {left}",
            f"only {left} of {component.replicas} members", f"replicas set to {left}",
            "members of the replica set are missing", "replicas of the database are missing",
            *words.LOST[family_of(component)],
        )  # fmt: skip
        change = Change(what="spec.replicas", before=str(component.replicas), after=left)
        symptoms = words.LOST_SEEN[family_of(component)]
        return truth_of(context, component.workload, "replica-lost", phrases, change, *symptoms)

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        return (
            commands.scale(component.workload, component.replicas),
            commands.rollout_status(component.workload),
            *commands.restart_and_wait(clients_of(context)),
        )


def _left(context: FaultContext) -> int:
    given: int | None = context.parameters.left
    return (context.component.replicas - 1) // 2 if given is None else given


class ReplicaLag(StoreFault):
    """Leaves the copies of a replica set in a state in which they apply nothing of what is written.

    They answer and are counted, as after a backup or a comparison that was not finished.
    """

    name: ClassVar[str] = "replica-lag"
    title: ClassVar[str] = "Copies do not apply what the primary writes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY, FailureMode.SLOW)
    families = LAGGING
    mechanism = "replica-lag"
    volatile = True

    class Parameters(ClientParameters):
        """It has no parameters of its own."""

        restart_clients: bool | None = False

    @override
    def told_as(self, component: Component) -> tuple[str, ...]:
        return words.LAG[family_of(component)]

    @override
    def seen_as(self, component: Component) -> tuple[str, ...]:
        return words.LAG_SEEN[family_of(component)]

    @override
    def lacking(self, component: Component) -> str:
        return no_set(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        return lagging(context.component)


class FailoverStuck(StoreFault):
    """Leaves a replica set without a primary that cannot elect one, as after an unfinished maintenance.

    Of MongoDB the one member that may lead stands at an address that does not answer. Of PostgreSQL
    the primary has become a standby, and no standby was promoted. Of Redis the master follows a server
    that is not there, and so many Sentinels must agree that there are not as many. Of MySQL the source
    takes no writes, and no replica was promoted.
    """

    name: ClassVar[str] = "failover-stuck"
    title: ClassVar[str] = "Replica set whose primary is away and has no successor"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = STUCK
    mechanism = "failover-stuck"

    class Parameters(ClientParameters):
        """It has no parameters of its own."""

        restart_clients: bool | None = False

    @override
    def told_as(self, component: Component) -> tuple[str, ...]:
        return words.STUCK[family_of(component)]

    @override
    def seen_as(self, component: Component) -> tuple[str, ...]:
        return words.STUCK_SEEN[family_of(component)]

    @override
    def lacking(self, component: Component) -> str:
        if reason := no_set(component):
            return reason
        ports = [port for one in component.containers for port in one.ports]
        watched = family_of(component) is not Family.REDIS or SENTINEL in ports
        return "" if watched else "no Sentinels watch it"

    @override
    def restart_recovers(self, target: Component, /) -> bool:
        # The configuration lies beside the data.
        return family_of(target) not in STUCK

    @override
    def inject(self, context: FaultContext) -> None:
        super().inject(context)
        # A server that has been told to end takes a moment for it.
        clock = context.cluster.clock
        clock.wait_until(lambda: self.present(context).outcome is Outcome.FAIL, _ENDS_IN_S, 1.0)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        return stuck(context.component)
