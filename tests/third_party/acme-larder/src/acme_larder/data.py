"""What a Larder keeps: immutable, under the identity of its volume."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World


class Document(NamedTuple):
    """A document.

    Attributes:
        text: As JSON.
        until: Virtual second at which it is gone; None for never.
    """

    text: str
    until: float | None = None


@dataclass(frozen=True)
class Shelves:
    """All that one Larder keeps.

    Attributes:
        limit: How many documents it takes; None for what it was started with.
        documents: `shelf/id` -> document.
        seeded: By shelf, documents that came with the application and that nobody has read yet.
    """

    limit: int | None = None
    documents: Mapping[str, Document] = field(default_factory=dict)
    seeded: Mapping[str, int] = field(default_factory=dict)

    def now(self, world: World) -> Shelves:
        """Without what is past its time."""
        kept = {
            name: one
            for name, one in self.documents.items()
            if one.until is None or one.until > world.now
        }
        return self if len(kept) == len(self.documents) else replace(self, documents=kept)

    @property
    def count(self) -> int:
        """How many documents there are."""
        return len(self.documents) + sum(self.seeded.values())


SHELVES: TableKey[str, Shelves] = TableKey("userland.larder")


def load(world: World, kept: str) -> Shelves:
    """What is kept under an identity."""
    return world.table(SHELVES).get(kept, Shelves()).now(world)


def store(world: World, kept: str, shelves: Shelves) -> None:
    """Replace it."""
    world.table(SHELVES)[kept] = shelves


def describe(shelves: Shelves) -> str:
    """Canonical JSON, without documents that go by themselves."""
    lasting = {name: one.text for name, one in shelves.documents.items() if one.until is None}
    whole = {"limit": shelves.limit, "documents": lasting, "seeded": dict(shelves.seeded)}
    return json.dumps(whole, sort_keys=True)
