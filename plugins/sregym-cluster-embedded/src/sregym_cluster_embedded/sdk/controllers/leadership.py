"""Which of its pods acts for an operator, by a Lease as client-go's leader election keeps it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.node.heartbeats import HELD
from sregym_cluster_embedded.sdk.controllers.client import ApiClient, ApiRefusedError
from sregym_cluster_embedded.store import ChangeType, Key
from sregym_cluster_embedded.userland.process import running_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# client-go's defaults are 15 and 2 seconds; many operators ask for less traffic.
LEASE_DURATION_S, RENEWED_EVERY_S = 30, 10.0


class Term(NamedTuple):
    """Who leads, as far as the leader itself knows.

    Attributes:
        pod: Uid of the leader's pod.
        until: Virtual second until which it may act without having renewed the Lease.
    """

    pod: str
    until: float


class Campaign(NamedTuple):
    """What came of a look at the Lease.

    Attributes:
        won: Whether there is a new leader.
        again_s: After how many seconds to look again; None for when something changes.
    """

    won: bool
    again_s: float | None = None


@dataclass(frozen=True)
class Replicas:
    """The pods that run an operator.

    Attributes:
        namespace: Where they are.
        labels: By which they are found; without labels there are none, and nothing is elected.
        programs: Programs of a service model, one of which they must run; any when empty.
        account: Their ServiceAccount.
        manager: What `managedFields` call their writes.
        lease: Name of the Lease in their namespace; empty when any ready one acts.
    """

    namespace: str
    labels: Mapping[str, str]
    programs: tuple[str, ...]
    account: str
    manager: str
    lease: str

    def include(self, pod: Object) -> bool:
        """Whether a pod is one of them."""
        metadata = pod["metadata"]
        labels = metadata.get("labels") or {}
        return metadata["namespace"] == self.namespace and self.labels.items() <= labels.items()

    def ready(self, world: World) -> dict[str, tuple[Object, Process]]:
        """Those that can act, by uid, the oldest first."""
        found = {}
        pods = filter(self.include, world.store.list("pods", self.namespace))
        age = lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"])  # noqa: E731 - used once
        for pod in sorted(pods, key=age):
            process = self._runs(world, pod) if is_ready(pod) else None
            if process is not None:
                found[pod["metadata"]["uid"]] = (pod, process)
        return found

    def _runs(self, world: World, pod: Object) -> Process | None:
        for process in running_in(world, pod["metadata"]["uid"]):
            if not self.programs or process.program in self.programs:
                return process
        return None

    def leader(self, world: World) -> Process | None:
        """The process that acts now, or None."""
        ready = self.ready(world)
        if not self.lease:
            return next((process for _, process in ready.values()), None)
        term = world.table(self._table).get(self.lease)
        if term is None or term.until < world.now or term.pod not in ready:
            return None
        return ready[term.pod][1]

    def campaign(self, world: World) -> Campaign:
        """See who leads, and let another pod take the Lease once it has run out.

        As in client-go a Lease is only taken when its holder has not renewed it for as long as it
        lasts. What the API refuses is logged, and tried again. A leader that may and can renews
        the Lease every ten seconds; that is derived on reads, not written.
        """
        ready, table = self.ready(world), world.table(self._table)
        before = table.get(self.lease)
        if before is not None and before.pod not in ready:
            self._ends(world, before)
        if not ready:
            return Campaign(won=False)
        # The leader goes on; the others look on.
        uid = before.pod if before is not None and before.pod in ready else next(iter(ready))
        pod, process = ready[uid]
        client = ApiClient(world, self.namespace, self.account, self.manager, process)
        try:
            wait_s = self._take(client, f"{pod['metadata']['name']}_{uid}")
        except ApiRefusedError as error:
            client.log(f"error retrieving resource lock {self._shown}: {error}", "error")
            if before is not None and before.pod == uid:
                self._ends(world, before)
            return Campaign(won=False, again_s=RENEWED_EVERY_S)
        if wait_s:
            return Campaign(won=False, again_s=wait_s)
        won = before is None or before.pod != uid or before.until < world.now
        table[self.lease] = Term(uid, math.inf)
        held = world.table(HELD)
        if won or held.get(self._key, (0.0, 0.0))[1] < world.now:
            held[self._key] = (world.now, math.inf)
        if won:
            client.log(f"successfully acquired lease {self._shown}")
        return Campaign(won)

    def _ends(self, world: World, term: Term) -> None:
        """A leader cannot renew the Lease any more: it acts until that has run out."""
        if term.until == math.inf:
            until = world.now + LEASE_DURATION_S
            world.table(self._table)[self.lease] = term._replace(until=until)
            since, _ = world.table(HELD).get(self._key, (world.now, 0.0))
            world.table(HELD)[self._key] = (since, world.now)

    def _take(self, client: ApiClient, identity: str) -> float:
        """Have the Lease, or say in how many seconds it may run out."""
        place = f"/apis/coordination.k8s.io/v1/namespaces/{quote(self.namespace)}/leases"
        world = client.world
        now = world.micro_timestamp()
        held = client.get(f"{place}/{quote(self.lease)}")
        spec = {
            "holderIdentity": identity,
            "leaseDurationSeconds": LEASE_DURATION_S,
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": 0,
        }
        if held is None:
            client.log(f"attempting to acquire leader lease {self._shown}...")
            client.create(place, {"metadata": {"name": self.lease}, "spec": spec})
            return 0.0
        old = held.get("spec") or {}
        if old.get("holderIdentity") == identity:
            spec = {**old, "renewTime": now}
        else:
            left_s = _left_s(world, old) if old.get("holderIdentity") else 0.0
            if left_s > 0:
                return left_s
            client.log(f"attempting to acquire leader lease {self._shown}...")
            spec["leaseTransitions"] = old.get("leaseTransitions", 0) + 1
        client.replace(f"{place}/{quote(self.lease)}", {**held, "spec": spec})
        return 0.0

    def concerns(self, change: Change) -> bool:
        """Whether a change of a Lease is another's doing, so that the leader has to look."""
        mine = change.key == self._key
        gone = change.type == ChangeType.DELETED
        managers = change.obj["metadata"].get("managedFields") or ()
        newest = max(((one.get("time", ""), one.get("manager")) for one in managers), default=None)
        return mine and (gone or newest is None or newest[1] != self.manager)

    @property
    def _key(self) -> Key:
        return Key("leases.coordination.k8s.io", self.namespace, self.lease)

    @property
    def _shown(self) -> str:
        return f"{self.namespace}/{self.lease}"

    @property
    def _table(self) -> TableKey[str, Term]:
        return TableKey(f"{self.manager}.leader")


def _left_s(world: World, spec: Object) -> float:
    renewed = datetime.fromisoformat(spec["renewTime"]).timestamp() if spec.get("renewTime") else 0
    lasts_s = spec.get("leaseDurationSeconds", LEASE_DURATION_S)
    return float(renewed + lasts_s - (world.epoch + world.now))


def is_ready(pod: Object) -> bool:
    """Whether a pod has the condition Ready."""
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
