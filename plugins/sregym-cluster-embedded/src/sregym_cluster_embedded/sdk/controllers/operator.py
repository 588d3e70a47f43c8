"""A controller of a custom resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.sdk.controllers.client import ApiClient, ApiRefusedError
from sregym_cluster_embedded.sdk.controllers.leadership import (
    RENEWED_EVERY_S,
    Replicas,
    is_ready,
)
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# From a change to the look at it, and between attempts that the API refuses.
_WATCHED_S, _FIRST_S, _LONGEST_S = 0.05, 1.0, 300.0
_LEASES = "leases.coordination.k8s.io"
_RIGHTS = tuple(
    f"{name}.rbac.authorization.k8s.io"
    for name in ("clusterroles", "clusterrolebindings", "roles", "rolebindings")
)

Reconcile: TypeAlias = Callable[[ApiClient, Object], "float | None"]


@dataclass(frozen=True, kw_only=True)
class Operator:
    """A controller of a custom resource.

    `Extension.subsystems` takes a reference to a function that returns its `subsystem()`.

    Attributes:
        name: Its name: prefix of its handlers, `fieldManager` of its writes.
        resource: Plural and group of the custom resource: `widgets.acme.example`.
        version: Version of the API by which it reads them: `v1`.
        namespace: Namespace of its ServiceAccount, and of its pods.
        account: Name of that ServiceAccount.
        reconcile: Called with a client and an object as it stands; returns after how many seconds
            it wants to look again without a change, None for never. What it raises as
            `ApiRefusedError` is logged and tried again, later each time. An object that is gone is
            not told: use finalizers or owner references.
        owns: Resources that it makes; a change of one that has the custom resource for its owner
            has the owner looked at.
        watches: Resources of which any change has all custom resources of that namespace looked
            at: ConfigMaps and Secrets that it reads.
        pods: Labels of the pods that run it. One of those that are ready acts, with its settings
            and its log; when one begins to, all objects are looked at. Without labels it always
            runs.
        programs: Programs of a service model, one of which those pods must run; any when empty.
            `client.process.program` says which of them acts: builds that differ are programs.
        lease: Name of the Lease by which its pods elect a leader; empty for none.
    """

    name: str
    resource: str
    version: str
    namespace: str
    account: str
    reconcile: Reconcile
    owns: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    pods: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    lease: str = ""

    @property
    def handler(self) -> str:
        """The name of the event handler that looks at an object."""
        return f"{self.name}.reconcile"

    @property
    def campaigns(self) -> str:
        """The name of the event handler that renews the Lease."""
        return f"{self.name}.elect"

    def subsystem(self) -> Subsystem:
        """What it adds to a cluster."""
        told: dict[str, list[Callable[[World, Change], None]]] = {self.resource: [self._changed]}
        for resource in self.owns:
            told.setdefault(resource, []).append(self._owned_changed)
        for resource in self.watches:
            told.setdefault(resource, []).append(self._watched_changed)
        if self.pods:
            told.setdefault("pods", []).append(self._pod_changed)
        if self.lease:
            told.setdefault(_LEASES, []).append(self._lease_changed)
            for resource in _RIGHTS:
                told.setdefault(resource, []).append(self._rights_changed)
        handlers: dict[str, Callable[..., None]] = {
            self.handler: self._act,
            self.campaigns: self._elect,
        }
        followers = {resource: tuple(follow) for resource, follow in told.items()}
        return Subsystem(self.name, handlers=handlers, followers=followers)

    @cached_property
    def _replicas(self) -> Replicas:
        return Replicas(
            self.namespace, self.pods, self.programs, self.account, self.name, self.lease
        )

    def _changed(self, world: World, change: Change) -> None:
        if change.type != ChangeType.DELETED:
            enqueue(world, self.handler, change.key, _WATCHED_S)

    def _owned_changed(self, world: World, change: Change) -> None:
        for owner in change.obj["metadata"].get("ownerReferences") or ():
            key = Key(self.resource, change.key.namespace, owner["name"])
            found = world.store.get(key)
            if found is not None and found["metadata"]["uid"] == owner["uid"]:
                enqueue(world, self.handler, key, _WATCHED_S)

    def _watched_changed(self, world: World, change: Change) -> None:
        self._look_at_all(world, change.key.namespace or None)

    def _pod_changed(self, world: World, change: Change) -> None:
        if not self._replicas.include(change.obj):
            return
        if self.lease:
            enqueue(world, self.campaigns, self.lease, _WATCHED_S)
        elif is_ready(change.obj):
            self._look_at_all(world)

    def _look_at_all(self, world: World, namespace: str | None = None) -> None:
        for obj in world.store.list(self.resource, namespace):
            metadata = obj["metadata"]
            key = Key(self.resource, metadata.get("namespace", ""), metadata["name"])
            enqueue(world, self.handler, key, _WATCHED_S)

    def _lease_changed(self, world: World, change: Change) -> None:
        if self._replicas.concerns(change):
            enqueue(world, self.campaigns, self.lease, RENEWED_EVERY_S)

    def _rights_changed(self, world: World, _: Change) -> None:
        # The next renewal meets them.
        enqueue(world, self.campaigns, self.lease, RENEWED_EVERY_S)

    def _elect(self, world: World, lease: str) -> None:
        mark_processing(world, self.campaigns, lease)
        campaign = self._replicas.campaign(world)
        if campaign.won:
            self._look_at_all(world)
        if campaign.again_s is not None:
            enqueue(world, self.campaigns, lease, campaign.again_s)

    def _act(self, world: World, key: Key) -> None:
        mark_processing(world, self.handler, key)
        process: Process | None = None
        if self.pods:
            process = self._replicas.leader(world)
            if process is None:
                return
        client = ApiClient(world, self.namespace, self.account, self.name, process)
        retries = world.table(TableKey[Key, float](f"{self.handler}.retries"))
        try:
            obj = client.get(self._path(key))
            again_s = None if obj is None else self.reconcile(client, obj)
        except ApiRefusedError as error:
            whose = f"{key.namespace}/{key.name}" if key.namespace else key.name
            client.log("Reconciler error", "error", controller=self.name, object=whose, error=str(error))  # fmt: skip
            wait_s = retries.get(key, _FIRST_S)
            retries[key] = min(2 * wait_s, _LONGEST_S)
            enqueue(world, self.handler, key, wait_s)
            return
        retries.pop(key, None)
        if again_s is not None:
            enqueue(world, self.handler, key, again_s)

    def _path(self, key: Key) -> str:
        plural, _, group = self.resource.partition(".")
        place = f"namespaces/{quote(key.namespace)}/" if key.namespace else ""
        return f"/apis/{group}/{self.version}/{place}{plural}/{quote(key.name)}"
