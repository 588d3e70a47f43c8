"""What a mongod is busy with when its shell asks (`db.currentOp()`): commands that no index serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.exporters import searching
from sregym_cluster_embedded.sdk.servers import connected

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

# More than anybody reads.
_MOST = 20


def in_progress(world: World, server: Process) -> list[dict[str, Any]]:
    """The commands on their way that take long enough to be seen, those of one client together."""
    databases = {peer.address: peer.database for peer in connected(world, server.ref)}
    found: list[dict[str, Any]] = []
    for one in searching(world, server.ref):
        place = f"{databases.get(one.address, '')}.{one.collection}"
        for number in range(one.at_once):
            ran_s = one.took_s * (number + 0.5) / one.at_once
            found.append(
                {
                    "type": "op",
                    "desc": f"conn{len(found) + 1}",
                    "connectionId": len(found) + 1,
                    "client": f"{one.address}:{40_000 + number}",
                    "active": True,
                    "opid": 100_000 + 7 * len(found),
                    "secs_running": int(ran_s),
                    "microsecs_running": int(ran_s * 1_000_000),
                    "op": "query" if one.command == "find" else "command",
                    "ns": place,
                    "command": {one.command: one.collection, "filter": dict.fromkeys(one.by, "?")},
                    "planSummary": "COLLSCAN",
                    "numYields": int(one.examined * (number + 0.5) / one.at_once) // 1000,
                    "waitingForLock": False,
                }
            )
    return found[:_MOST]
