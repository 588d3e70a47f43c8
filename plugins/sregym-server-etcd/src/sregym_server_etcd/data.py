"""The keys of one etcd server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import World

TABLE: TableKey[str, EtcdData] = TableKey("userland.etcd")
# An empty database file; it grows by whole pages.
_EMPTY_BYTES, _PAGE_BYTES = 20_480, 4096


class Entry(NamedTuple):
    """What stands under a key.

    Attributes:
        value: The value.
        created: Revision at which the key was made.
        changed: Revision of its last change.
        version: How often it was written since it was made.
        lease: With which it goes; 0 for none.
    """

    value: str
    created: int
    changed: int
    version: int
    lease: int = 0


class Lease(NamedTuple):
    """A time for which keys stay.

    Attributes:
        ttl_s: As it was granted.
        since: Virtual second at which it was granted or kept alive.
    """

    ttl_s: int
    since: float


@dataclass(frozen=True)
class EtcdData:
    """All that one server keeps.

    Attributes:
        keys: Key -> what stands there.
        revision: Of the last change; 1 before there was any.
        starts: How often it has been started with these data, each a term of the election.
        name: The member that made the data.
        written_bytes: Size of all revisions.
        leases: By number.
    """

    keys: Mapping[str, Entry] = field(default_factory=dict)
    revision: int = 1
    starts: int = 0
    name: str = ""
    written_bytes: int = 0
    leases: Mapping[int, Lease] = field(default_factory=dict)

    @property
    def term(self) -> int:
        """Of the leader."""
        return max(self.starts, 1) + 1

    @property
    def index(self) -> int:
        """Of the last entry of the log: changes, and what each start writes besides."""
        return self.revision - 1 + 3 * max(self.starts, 1)

    @property
    def size_bytes(self) -> int:
        """Of the database file."""
        return _EMPTY_BYTES + -(-self.written_bytes // _PAGE_BYTES) * _PAGE_BYTES

    def between(self, first: str, last: str | None) -> list[tuple[str, Entry]]:
        """Keys from `first` up to `last`, in order; only `first` without `last`, all behind it for NUL."""
        if last is None:
            return [(first, self.keys[first])] if first in self.keys else []
        return [
            (key, entry)
            for key, entry in sorted(self.keys.items())
            if key >= first and (last == "\0" or key < last)
        ]

    def with_value(self, key: str, value: str, lease: int = 0) -> EtcdData:
        """After a put."""
        revision, old = self.revision + 1, self.keys.get(key)
        created, version = (revision, 1) if old is None else (old.created, old.version + 1)
        keys = {**self.keys, key: Entry(value, created, revision, version, lease)}
        written = self.written_bytes + len(key) + len(value) + 64
        return replace(self, keys=keys, revision=revision, written_bytes=written)

    def without(self, keys: Sequence[str]) -> EtcdData:
        """After a delete; nothing changes where nothing is deleted."""
        if not keys:
            return self
        kept = {key: entry for key, entry in self.keys.items() if key not in keys}
        return replace(self, keys=kept, revision=self.revision + 1)

    def without_lease(self, number: int) -> EtcdData:
        """After the end of a lease: its keys go with it."""
        kept = {name: lease for name, lease in self.leases.items() if name != number}
        gone = [key for key, entry in self.keys.items() if entry.lease == number]
        return replace(self.without(gone), leases=kept)


def load(world: World, storage: str) -> EtcdData:
    """What is kept under an identity, without what has run out; nothing when there is none."""
    found: EtcdData = world.table(TABLE).get(storage) or EtcdData()
    for number, lease in sorted(found.leases.items()):
        if lease.since + lease.ttl_s <= world.now:
            found = found.without_lease(number)
    return found


def store(world: World, storage: str, data: EtcdData) -> None:
    """Keep data under an identity."""
    world.table(TABLE)[storage] = data


def describe(data: EtcdData) -> str:
    """The keys as canonical text."""
    return "\n".join(f"{key} = {entry.value}" for key, entry in sorted(data.keys.items()))
