"""How a world was and is, as exporters see it: its whole past, worked out when asked.

A view is kept with its world and used again until something changes; what has not changed is then
the same object in the next view. So whatever is made of parts of a view can be kept as long as
those parts are the same objects (`View.remembered`).
"""

from __future__ import annotations

from functools import cached_property, partial
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.network.dns_queries import QUESTIONS
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.object_history import Past
from sregym_cluster_embedded.traffic.segments import QUEUES, SENT
from sregym_cluster_embedded.userland.space import space_history

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.object_history import Lifeline
    from sregym_cluster_embedded.world import World

# Where the history began, and the view.
_VIEW: CacheKey[tuple[int, View]] = CacheKey("telemetry.metrics")
# What exporters read besides objects of the API.
INSTANCES, INSTANCES_IN_ORDER, SENT_REQUESTS, MESSAGES, MACHINES, DISKS, WRITES, LOOKUPS = (
    "instances",
    "instances_in_order",
    "sent",
    "queues",
    "machines",
    "disks",
    "writes",
    "lookups",
)
_PARTS = frozenset(
    {INSTANCES, INSTANCES_IN_ORDER, SENT_REQUESTS, MESSAGES, MACHINES, DISKS, WRITES, LOOKUPS}
)
_FOREVER = float("inf")
_MOST_ANSWERS = 64

T = TypeVar("T")


class Pod(NamedTuple):
    """One pod, by uid.

    Attributes:
        namespace: Of the pod.
        name: Of the pod.
        uid: Of the pod.
        versions: (since, until, object) of each version; the one that stands has no end.
    """

    namespace: str
    name: str
    uid: str
    versions: tuple[tuple[float, float, Object], ...]

    @property
    def last(self) -> Object:
        """The newest version."""
        return self.versions[-1][2]

    @property
    def since(self) -> float:
        """When it was created."""
        return self.versions[0][0]

    @property
    def until(self) -> float:
        """When it was deleted; infinity if it was not."""
        return self.versions[-1][1]


class View:
    """A world up to a moment at which something changed, and since.

    Args:
        world: The world that is looked back on.
        state: What it is made of, as `_state` has it.
        memory: What is remembered, of the view before.
    """

    def __init__(self, world: World, state: tuple[Any, ...], memory: _Memory) -> None:
        self.world = world
        self.past = Past(world)
        self.state = state
        self._bases: dict[tuple[str, ...], Sequence[object]] = {}
        self.memory = memory
        self._answers: dict[object, Any] = {}

    def remembered(
        self,
        key: object,
        basis: Sequence[object],
        work_out: Callable[[], T],
        *,
        shared: bool = False,
    ) -> T:
        """What `work_out` gives, which may depend on nothing but `key` and `basis`.

        Args:
            key: Says what it is.
            basis: Objects, of this view most often: as long as they are the same it is, too.
            work_out: Is called when nothing is known, or the basis is another.
            shared: Whether it may go to other forks: it must know of no view and no world.
        """
        known = self.memory.get(key)
        if known is None or not _same(known[0], basis):
            work = self.world.shared_cache.found(key, basis, work_out) if shared else work_out()
            known = self.memory[key] = (basis, work)
        found: T = known[1]
        return found

    def answered(self, question: object, work_out: Callable[[], T]) -> T:
        """What `work_out` answers to a question that names its moments, and the present one.

        The last answers are kept for as long as nothing changes: who looks at a moment asks
        for the same samples again and again.
        """
        known = self._answers
        if question not in known:
            if len(known) >= _MOST_ANSWERS:
                known.clear()
            known[question] = work_out()
        found: T = known[question]
        return found

    def basis(self, reads: tuple[str, ...]) -> Sequence[object]:
        """Objects that are the same as long as what is named is.

        Args:
            reads: Resources, and `INSTANCES`, `INSTANCES_IN_ORDER` (for sums, whose last bits depend on
                it), `SENT_REQUESTS`, `MESSAGES`, `MACHINES`, `DISKS`, `LOOKUPS`, `WRITES` (all
                changes of objects).
        """
        known = self._bases.get(reads)
        if known is None:
            known = self._bases[reads] = [
                getattr(self, f"_{name}") if name in _PARTS else self.past.of(name)
                for name in reads
            ]
        return known

    @cached_property
    def _writes(self) -> object:
        history = self.world.store.history
        ends = (history[0], history[-1]) if history else ()
        return self.remembered("writes", ends, lambda: ends, shared=True)

    @property
    def _instances(self) -> object:
        return self.instances

    @property
    def _instances_in_order(self) -> object:
        return self.instances_in_order

    @cached_property
    def _sent(self) -> object:
        return self._table(SENT, self.world.table(SENT))

    @cached_property
    def _queues(self) -> object:
        return self._table(QUEUES, self.world.table(QUEUES))

    @cached_property
    def _lookups(self) -> object:
        return self._table(LOOKUPS, self.world.table(QUESTIONS))

    @cached_property
    def _machines(self) -> object:
        return self._table("machines", machines.pasts(self.world))

    @cached_property
    def _disks(self) -> object:
        return self._table("disks", space_history(self.world))

    def _table(self, name: str, table: Mapping[Any, Any]) -> object:
        parts = (*table, *table.values())
        return self.remembered(("table", name), parts, lambda: parts, shared=True)

    @cached_property
    def pods(self) -> Mapping[str, Pod]:
        """All pods there ever were, by uid."""
        lines = self.past.of("pods")
        return self.remembered("pods", (lines,), partial(self._pods, lines), shared=True)

    def _pods(self, lines: Sequence[Lifeline]) -> Mapping[str, Pod]:
        found: dict[str, Pod] = {}
        for line in lines:
            pods = partial(_pods_of, line)
            for pod in self.remembered(("pods", line.key), (line,), pods, shared=True):
                found[pod.uid] = pod
        return found

    @cached_property
    def instances_in_order(self) -> Sequence[ContainerInstance]:
        """All instances of containers there ever were, in the order in which worlds have them."""
        known = [*instances(self.world)]
        parts = [part for instance in known for part in instance]
        work = partial(self._same_instances, known)
        return self.remembered("instances in order", parts, work, shared=True)

    def _same_instances(self, known: Sequence[ContainerInstance]) -> Sequence[ContainerInstance]:
        return tuple(self._same_instance(instance) for instance in known)

    @cached_property
    def instances(self) -> Sequence[ContainerInstance]:
        """All instances of containers there ever were, by container and attempt."""
        known = self.instances_in_order
        return self.remembered("ordered", (known,), partial(self._ordered, known), shared=True)

    def _ordered(self, known: Sequence[ContainerInstance]) -> Sequence[ContainerInstance]:
        # The same instances may have come in another order elsewhere.
        found = tuple(sorted(known, key=lambda instance: instance.ref))
        return self.remembered("instances", found, lambda: found, shared=True)

    def _same_instance(self, instance: ContainerInstance) -> ContainerInstance:
        return self.remembered(("instance", instance.ref), instance, lambda: instance, shared=True)

    @cached_property
    def all_instances(self) -> Mapping[str, Sequence[ContainerInstance]]:
        """All instances there ever were, by uid of their pod."""
        return self.remembered("all instances", (self.instances,), self._all_instances, shared=True)

    def _all_instances(self) -> Mapping[str, Sequence[ContainerInstance]]:
        found: dict[str, list[ContainerInstance]] = {}
        for instance in self.instances:
            found.setdefault(instance.ref.pod_uid, []).append(instance)
        return {
            uid: self.remembered(("instances", uid), members, partial(tuple, members), shared=True)
            for uid, members in found.items()
        }

    @cached_property
    def instances_by_pod(self) -> Mapping[str, Sequence[ContainerInstance]]:
        """All instances of the pods of which something is known, by uid of the pod."""
        return {uid: members for uid, members in self.all_instances.items() if uid in self.pods}

    @property
    def nodes(self) -> Sequence[Lifeline]:
        """The nodes."""
        return self.past.of("nodes")

    def container_ids(self, pod: Pod) -> Mapping[tuple[str, int], tuple[str, str]]:
        """(container, attempt) -> id of the container and its image, as the pod's statuses told."""
        return self.remembered(("ids", pod.uid), (pod,), lambda: _ids(pod), shared=True)


_Memory = dict[object, tuple["Sequence[object]", Any]]


def view_of(world: World) -> View:
    """The view of a world as it is."""
    past, state = Past(world), _state(world)
    known = world.cache.kept(_VIEW)
    if known is not None and known[0] == past.beginning:
        if _same(known[1].state, state):
            return known[1]
        view = View(world, state, known[1].memory)
    else:
        view = View(world, state, {})
    world.cache.keep(_VIEW, (past.beginning, view))
    return view


def _state(world: World) -> tuple[Any, ...]:
    """All that metrics are made of; what changes is replaced by another object."""
    tables: list[Mapping[Any, Any]] = [machines.pasts(world), space_history(world)]
    tables += [world.table(SENT), world.table(QUEUES), world.table(QUESTIONS)]
    parts: list[Any] = [world.store.history[-1] if world.store.history else None]
    for instance in instances(world):
        parts.append(instance.process)
        parts.append(instance.served)
    for table in tables:
        parts.extend(table)
        parts.extend(table.values())
    return tuple(parts)


def _same(before: Sequence[object], after: Sequence[object]) -> bool:
    return len(before) == len(after) and all(map(is_, before, after))


def _pods_of(line: Lifeline) -> tuple[Pod, ...]:
    """The pods that had one name after the other."""
    found: dict[str, list[tuple[float, float, Object]]] = {}
    for since, until, pod in line.spans(_FOREVER):
        found.setdefault(pod["metadata"]["uid"], []).append((since, until, pod))
    return tuple(
        Pod(line.key.namespace, line.key.name, uid, tuple(versions))
        for uid, versions in found.items()
    )


def _ids(pod: Pod) -> Mapping[tuple[str, int], tuple[str, str]]:
    found = {}
    for _, _, obj in pod.versions:
        for status in _statuses(obj):
            if status.get("containerID"):
                identity = status["containerID"].rpartition("/")[2]
                found[status["name"], status["restartCount"]] = (identity, status["image"])
    return found


def _statuses(pod: Object) -> list[Object]:
    status = pod.get("status", {})
    return [
        *status.get("initContainerStatuses", ()),
        *status.get("containerStatuses", ()),
        *status.get("ephemeralContainerStatuses", ()),
    ]
