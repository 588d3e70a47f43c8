"""What a server does not find in its memory, and how often it reads on its disk for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import FILE_BYTES

from sregym_server_sql.data import load

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

# Clients ask for so much that was not read since the start: however much room there is in
# memory, no server finds everything there.
_NEVER_READ = 0.05
# Between two failures that stand in the log: clients bring them about, and without any client the
# server's own work on all its pages, which it begins every minute.
_SHORTEST_S, _OWN_WORK_S = 2.0, 60.0
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def size_of(value: str) -> int:
    """A size as command lines of MySQL have it: bytes, or with `K`, `M`, `G`; 0 for what is none."""
    unit = _UNITS.get(value[-1:].lower(), 1)
    digits = value[:-1] if unit > 1 else value
    return int(digits) * unit if digits.isdecimal() else 0


def cold_share(world: World, process: Process, pool_bytes: int) -> float:
    """The part of the reads for which a server needs its disk.

    Args:
        world: The cluster.
        process: The server.
        pool_bytes: How large a part of its memory it keeps pages in; no larger than its limit.
    """
    data = load(world, process.settings["sql.storage"])
    kept_bytes = FILE_BYTES + sum(len(image) for image in data.databases.values())
    limit = process.config.memory_limit_bytes
    room_bytes = pool_bytes if limit is None else min(pool_bytes, limit)
    return max(_NEVER_READ, 1 - room_bytes / kept_bytes)


def until_next_failure_s(world: World, process: Process, share: float) -> float:
    """Seconds until a server reads what it cannot; `share` is the part of its commands that do."""
    rate = process.requests_per_s * share
    mean_s = max(_SHORTEST_S, 1 / max(rate, 1 / _OWN_WORK_S))
    return mean_s * (0.5 + world.seed.fraction("sql", "unread", process.ref, world.now))
