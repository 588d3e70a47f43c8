"""One cluster as a value: time, objects, chance, and the tables of the layers above.

A world holds state; a `SimulationSpec` holds behaviour. Behaviour is shared by all forks of a world
and never changes; state is copied by `fork`, shallowly, because stored values are
immutable. Rooms keep their own state in named tables (`world.table(KEY)`), whose values
are immutable too: replace, never edit.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar
from weakref import ref

from sregym_cluster_embedded.clock import EventHeap, Seed, SharedCache, SharedGroups
from sregym_cluster_embedded.store import Change, Indexer, Store

if TYPE_CHECKING:
    from sregym_cluster_embedded.keys import CacheKey, ServiceKey, ServiceName, TableKey

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")
Handler: TypeAlias = Callable[..., None]
Listener: TypeAlias = Callable[["World", Change], None]


class Cache(dict[str, object]):
    """What layers have worked out from the state, each under a key of its own."""

    def kept(self, key: CacheKey[T]) -> T | None:
        """What was kept; None for nothing."""
        return self.get(key)  # type: ignore[return-value]  # kept as a `T`

    def keep(self, key: CacheKey[T], found: T) -> T:
        """Keep something; gives it back."""
        self[key] = found
        return found


class _Tables(Protocol):
    """What `World.table` is."""

    def __call__(self, key: TableKey[K, V], /) -> dict[K, V]: ...


@dataclass(frozen=True)
class SimulationSpec:
    """The behaviour of a cluster: what happens on an event, and who is told of a change.

    Attributes:
        handlers: By name, the functions `(world, *arguments)` that events call.
        listeners: Told of every write, in this order; they mark work to do and return quickly.
        indexers: The store's indexes, by resource.
        services: By key, objects that layers offer to layers below them through an interface the
            lower layer defines (the container runtime for the kubelet, for instance).
    """

    handlers: Mapping[str, Handler] = field(default_factory=lambda: MappingProxyType({}))
    listeners: tuple[Listener, ...] = ()
    indexers: Mapping[str, Mapping[str, Indexer]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    services: Mapping[ServiceName, object] = field(default_factory=lambda: MappingProxyType({}))


class World:
    """A cluster at one moment of virtual time.

    Args:
        spec: The behaviour, shared by all forks.
        seed: The number from which all chance derives.
        epoch: Unix seconds at which the world began; `timestamp` counts from there.
        salt: From which its keys derive.

    Attributes:
        table: The named table of a layer; its keys and values are immutable. Ask anew each time:
            after a fork, a table that was got before belongs to both sides.
        queue: The work queue of a handler, as a table: key to (when, ticket).
        cache: What layers have computed from the state, by their keys, to find it faster
            when they are asked again. It is no state: not in the digest, empty after a fork, and
            nothing may depend on whether something is in it.
        shared_cache: As `cache`, but one for all forks: what holds wherever the objects from
            which it was worked out are the same.
    """

    def __init__(self, spec: SimulationSpec, seed: int, epoch: int, salt: str = "") -> None:
        self.spec = spec
        self.clock = EventHeap()
        self.seed = Seed(seed)
        self.store = Store(spec.indexers, self.clock)
        self.epoch = epoch
        self._salt = salt
        self.cache = Cache()
        self.shared_cache = SharedCache()
        self._tables: SharedGroups[str, Any, Any] = SharedGroups()
        self.table: _Tables = self._tables.write
        self.queue: Callable[[str], dict[Any, tuple[float, int]]] = self._tables.write
        self.store.listener = self._listener()

    @property
    def now(self) -> float:
        """Virtual seconds since the world began."""
        return self.clock.now

    def service(self, key: ServiceKey[T]) -> T:
        """The object that a layer offers under a key."""
        return self.spec.services[key.name]  # type: ignore[return-value]  # offered as a `T`

    def service_or_none(self, key: ServiceKey[T]) -> T | None:
        """The object that a layer offers under a key, in a cluster that has that layer."""
        return self.spec.services.get(key.name)  # type: ignore[return-value]  # as above

    def timestamp(self, at: float | None = None) -> str:
        """The API's form of a moment, to the second; of now when none is given."""
        return _to_the_second(int(self.epoch + (self.clock.now if at is None else at)))

    def micro_timestamp(self, at: float | None = None) -> str:
        """The API's MicroTime form of a moment: events and leases."""
        moment = self.epoch + (self.now if at is None else at)
        shown = datetime.fromtimestamp(moment, UTC).isoformat(timespec="microseconds")
        return shown[:26] + "Z"

    def after(self, delay_s: float, handler: str, *arguments: Any) -> int:
        """Plan `handler(world, *arguments)` in `delay_s` virtual seconds; returns its ticket."""
        return self.clock.schedule(self.clock.now + delay_s, handler, *arguments)

    def run_until(self, at: float) -> None:
        """Run everything planned up to and including virtual second `at`, and move time there."""
        clock, handlers = self.clock, self.spec.handlers
        while (event := clock.pop_until(at)) is not None:
            handlers[event[2]](self, *event[3])
        clock.move_to(at)

    def step(self) -> None:
        """Run the next planned event."""
        event = self.clock.pop()
        self.spec.handlers[event.handler](self, *event.arguments)

    def secret(self, purpose: str) -> bytes:
        """The key of 32 bytes for a purpose: the same in all forks, and never part of the state."""
        return hmac.digest(self._salt.encode(), purpose.encode(), "sha256")

    def fork(self, seed: int | None = None, salt: str = "") -> World:
        """A world that goes on from here on its own; with `seed`, its future chance differs.

        With `salt`, uids that are drawn from now on depend on it. Keys stay as they are.
        """
        twin = World.__new__(World)
        twin.spec = self.spec
        twin.clock = self.clock.fork()
        twin.seed = self.seed.fork(seed, salt)
        twin.store = self.store.fork(twin.clock)
        twin.store.listener = twin._listener()
        twin.epoch = self.epoch
        twin._salt = self._salt
        twin.cache = Cache()
        twin.shared_cache = self.shared_cache
        twin._tables = self._tables.fork()
        twin.table = twin.queue = twin._tables.write
        return twin

    def restore(self, before: World) -> None:
        """Be again what a fork of this world holds; the fork must not be used any more."""
        self.clock, self.seed = before.clock, before.seed
        self.store = before.store
        self.store.listener = self._listener()
        self.cache = Cache()
        self._tables = before._tables
        self.table = self._tables.write

    def digest(self) -> str:
        """One number for all objects, tables and plans, hexadecimal: equal for equal worlds."""
        objects = {name: self.store.list(name) for name in self.store.resources()}
        plans = [str(event) for event in self.clock.pending()]
        tables = {
            name: sorted((str(key), str(value)) for key, value in self._tables.read(name).items())
            for name in self._tables.groups()
        }
        state = json.dumps([objects, plans, tables], sort_keys=True, separators=(",", ":"))
        return blake2b(state.encode(), digest_size=16).hexdigest()

    def doings(self, since: int) -> list[str]:
        """What was done in this fork, as texts to compare with what was done in another one.

        Args:
            since: Revision of the store when it was made.
        """
        changes = [str(change) for change in self.store.history if change.revision > since]
        plans = [str(event) for event in self.clock.pending()]
        tables = [
            f"{name} {sorted((str(key), str(value)) for key, value in self._tables.read(name).items())}"
            for name in sorted(self._tables.written())
        ]
        return [*changes, *plans, *tables]

    def _listener(self) -> Callable[[Change], None]:
        """Tells the listeners of a write, without keeping an unused world alive.

        Worlds are made and dropped by the hundred; one that refers to itself would stay until the
        garbage collector comes, which takes longer than most of what is done with it.
        """
        own, listeners = ref(self), self.spec.listeners

        def tell(change: Change) -> None:
            world = own()
            if world is not None:
                for listener in listeners:
                    listener(world, change)

        return tell


@lru_cache(maxsize=1024)
def _to_the_second(unix: int) -> str:
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
