"""The databases of one CouchDB server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World

# Of an empty database file, and of a document in it.
_EMPTY_BYTES, _DOCUMENT_BYTES = 33_981, 640


class Database(NamedTuple):
    """One database.

    Attributes:
        documents: How many it had when it was filled.
        record: What a document looks like: JSON with `${n}` for its number.
    """

    documents: int = 0
    record: str = ""

    @property
    def file_bytes(self) -> int:
        """Size of its file."""
        return _EMPTY_BYTES + self.documents * _DOCUMENT_BYTES


class CouchData(NamedTuple):
    """All that one server keeps.

    Attributes:
        databases: By name.
        starts: How often it has been started with these data.
    """

    databases: Mapping[str, Database] = MappingProxyType({})
    starts: int = 0

    def with_database(self, name: str, database: Database) -> CouchData:
        """With one more, or another of that name."""
        return self._replace(databases={**self.databases, name: database})

    def without(self, name: str) -> CouchData:
        """Without one."""
        kept = {known: one for known, one in self.databases.items() if known != name}
        return self._replace(databases=kept)


_TABLE: TableKey[str, CouchData] = TableKey("userland.couchdb")


def load(world: World, storage: str) -> CouchData:
    """What is kept under an identity; nothing when there is none."""
    return world.table(_TABLE).get(storage) or CouchData()


def store(world: World, storage: str, data: CouchData) -> None:
    """Keep data under an identity."""
    world.table(_TABLE)[storage] = data


def describe(data: CouchData) -> str:
    """The databases as canonical text."""
    return "\n".join(f"{name}: {one.documents}" for name, one in sorted(data.databases.items()))
