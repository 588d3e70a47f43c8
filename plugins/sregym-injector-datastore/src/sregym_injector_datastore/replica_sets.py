"""Replica sets that do not do what they are for: no majority, no successor, copies that stay behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.model import Change, Check, FailureMode, GroundTruth
from sregym_injectors.component_fault import ComponentFault
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.truths import truth_of
from sregym_injectors.workloads import SCALABLE_KINDS, restart_rollout
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mongo, mongo_members
from sregym_injector_datastore.store_fault import StoreChange, StoreFault
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component

# The fewest members of which one can be missed.
_FEWEST = 3


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
    def misfit(self, component: Component) -> str:
        if reason := no_set(component):
            return reason
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
            "replica set has no majority", "majority of the members is lost", "quorum lost", "lost quorum",
            "no quorum", "majority lost", "members of the replica set are missing",
            "StatefulSet was scaled down", f"scaled down to {left}", f"scaled to {left}",
            f"only {left} of {component.replicas} members", f"replicas set to {left}",
            "no primary because a majority is missing", "not enough members to elect a primary",
        )  # fmt: skip
        change = Change(what="spec.replicas", before=str(component.replicas), after=left)
        symptoms = ("no primary", "No primary available for writes", "not master", "writes fail")
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
    """Leaves the secondaries of a replica set locked, as a backup does that was not finished.

    They answer and count for a majority, and apply nothing of what the primary writes.
    """

    name: ClassVar[str] = "replica-lag"
    title: ClassVar[str] = "Secondaries do not apply what the primary writes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY, FailureMode.SLOW)
    families = (Family.MONGODB,)
    mechanism = "replica-lag"
    volatile = True
    phrases = (
        "secondaries are locked", "fsyncLock on the secondaries", "secondaries lag", "replication lag",
        "replicas lag behind", "fsyncLock was not released", "secondaries are locked against writes",
        "replication is stopped", "oplog is not applied", "backup left a lock",
        "secondaries do not apply the oplog", "members are behind the primary",
        "db.fsyncLock() on the secondaries",
    )  # fmt: skip
    symptoms = (
        "waiting for replication timed out", "writes time out", "write concern majority is not met",
        "stale reads", "compose fails",
    )  # fmt: skip

    class Parameters(ClientParameters):
        """It has no parameters of its own."""

        restart_clients: bool | None = False

    @override
    def lacking(self, component: Component) -> str:
        return no_set(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component = context.component
        unlock = "if (db.currentOp().fsyncLock) { db.fsyncUnlock() }"
        return StoreChange(
            what="lock of the secondaries against writes",
            before="not held",
            after="held by db.fsyncLock()",
            breaks=mongo_members(component, "if (!db.isMaster().ismaster) { db.fsyncLock() }"),
            mends=mongo_members(component, unlock),
            asks=mongo_members(component, "print(db.currentOp().fsyncLock ? 'locked' : 'free')"),
            healthy=r"(free\s*)+",
        )


# The domain of a place from which a member has moved.
_MOVED = ".mongodb.internal:27017"
_STUCK = (
    "c = rs.conf(); const leader = rs.status().members.find(m => m.stateStr == 'PRIMARY');"
    " const able = c.members.filter(m => m.priority > 0);"
    " if (leader && able.length > 1 && !db.isMaster().ismaster) {"
    " c.members.forEach(m => {"
    f" if (m.host == leader.name) {{ m.host = m.host.split('.')[0] + '{_MOVED}' }}"
    " else { m.priority = 0 } });"
    " rs.reconfig(c, {force: true}) }"
)
_FREED = (
    f"c = rs.conf(); const near = c.members.find(m => !m.host.endsWith('{_MOVED}'));"
    " const domain = near.host.slice(near.host.indexOf('.'));"
    " c.members.forEach(m => { m.host = m.host.split('.')[0] + domain; m.priority = 1 });"
    " rs.reconfig(c, {force: true})"
)
_ASKED = (
    f"const c = rs.conf(); const gone = c.members.some(m => m.host.endsWith('{_MOVED}'));"
    " const able = c.members.filter(m => m.priority > 0).length;"
    " print(gone || able < 2 ? 'stuck' : 'able')"
)


class FailoverStuck(StoreFault):
    """Leaves the one member that may lead at an address where nobody answers.

    The configuration is that of a maintenance which was not finished: the others may not lead.
    """

    name: ClassVar[str] = "failover-stuck"
    title: ClassVar[str] = "Replica set whose primary is away and has no successor"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.MONGODB,)
    mechanism = "failover-stuck"
    phrases = (
        "no member can become primary", "priority 0", "members have priority 0",
        "no electable member", "primary is unreachable under its configured host",
        "wrong host in the replica set configuration", "stale host in rs.conf",
        "replica set configuration names a host that does not exist", "failover is impossible",
        "secondaries cannot be elected", "election cannot succeed", "replica set has no primary",
        "replica set was reconfigured", "member is not in the configuration", "REMOVED",
    )  # fmt: skip
    symptoms = (
        "no primary", "No primary available for writes", "not master", "writes fail", "reads fail",
    )  # fmt: skip

    class Parameters(ClientParameters):
        """It has no parameters of its own."""

        restart_clients: bool | None = False

    @override
    def lacking(self, component: Component) -> str:
        return no_set(component)

    @override
    def restart_heals(self, target: Component, /) -> bool:
        # The configuration lies beside the data.
        return family_of(target) is not Family.MONGODB

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component = context.component
        return StoreChange(
            what="configuration of the replica set",
            before="all members may lead, under their own addresses",
            after=f"only one may lead, at an address that ends in {_MOVED}",
            breaks=mongo_members(component, _STUCK),
            mends=mongo(component, _FREED),
            asks=mongo_members(component, _ASKED),
            healthy=r"(able\s*)+",
        )
