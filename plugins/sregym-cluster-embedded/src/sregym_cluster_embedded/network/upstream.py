"""The name server outside of the cluster that the nodes are told to ask.

It knows no name unless some are written down for it: the cluster stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import cache
from sregym_cluster_embedded.network.records import Question, Record, Reply

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_TABLE: TableKey[str | tuple[str], str] = TableKey("network.upstream")
_STATUS = ("status",)


def answer(world: World, question: Question) -> Reply:
    """What it answers."""
    table = world.table(_TABLE)
    status: str = table.get(_STATUS, "nxdomain")
    address = table.get(question.name)
    if address is None or status in ("timeout", "servfail"):
        return Reply(status)
    if question.kind != "A":
        return Reply("nodata")
    return Reply("ok", (Record(question.name, "A", address, 60),))


def write_name(world: World, name: str, address: str) -> None:
    """Let a name be known outside."""
    world.table(_TABLE)[name.rstrip(".").lower()] = address
    cache.clear(world)


def set_status(world: World, status: str) -> None:
    """Set how it answers to names it does not know: `nxdomain`; or always: `servfail`, `timeout`."""
    world.table(_TABLE)[_STATUS] = status
    cache.clear(world)
