"""What the services of a node write to its journal: kept lines, and those that follow from history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.host.entries import ERROR, INFO, NOTICE, WARNING, Entry
from sregym_cluster_embedded.userland.host.observed import observed

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

__all__ = ["ERROR", "INFO", "NOTICE", "WARNING", "Entry", "journal_lines", "write", "written"]
_TABLE: TableKey[str, tuple[Entry, ...]] = TableKey("host.journal")
# So many lines of one node are kept; older ones are rotated away.
_MOST = 2_000


def write(
    world: World, node: str, unit: str, identifier: str, pid: int, text: str, priority: int = INFO
) -> None:
    """Add a line now."""
    table = world.table(_TABLE)
    known: tuple[Entry, ...] = table.get(node, ())
    table[node] = (*known[-_MOST:], Entry(world.now, unit, identifier, pid, text, priority))


def written(world: World, node: str) -> tuple[Entry, ...]:
    """The lines that were kept, oldest first."""
    found: tuple[Entry, ...] = world.table(_TABLE).get(node, ())
    return found


def journal_lines(world: World, node: str) -> list[Entry]:
    """All lines of a node's journal, oldest first."""
    found = [*written(world, node), *observed(world, node)]
    return sorted(found, key=lambda entry: entry.at)
