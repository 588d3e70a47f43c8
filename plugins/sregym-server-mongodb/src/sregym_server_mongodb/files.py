"""Files of a running mongod: what stands in its data directory follows from what it keeps."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import RUNTIME, forget_lost, lost_at_start

from sregym_server_mongodb import checkpoints
from sregym_server_mongodb.data import forget, load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.sdk.servers import DataFile, DiskProblem, Process, World

# Patterns of those that no start needs.
MADE_ANEW = ("*.lock", "diagnostic.data/*", "journal/WiredTigerPreplog.*")
_TABLE, _LOG = 20_480, 104_857_600
_MONGO = {
    "WiredTiger": 50, "WiredTiger.lock": 21, "WiredTiger.turtle": 1469, "WiredTiger.wt": 61_440,
    "WiredTigerHS.wt": 4096, "_mdb_catalog.wt": 36_864, "mongod.lock": 2, "sizeStorer.wt": 36_864,
    "storage.bson": 114, "journal/WiredTigerLog.0000000001": _LOG,
    "journal/WiredTigerPreplog.0000000001": _LOG, "diagnostic.data/metrics.interim": 14_210,
}  # fmt: skip


def sizes(world: World, storage: str) -> Mapping[str, int]:
    """Path in the data directory -> bytes."""
    return {**_MONGO, **dict(_tables(world, storage))}


def met_by_start(
    world: World, process: Process, file: DataFile, met: DiskProblem | None
) -> tuple[int, str] | None:
    """The number of the error that a start meets, and what the engine says; None where it succeeds.

    Files that are gone are an error as long as there are others: without any the directory is empty.
    """
    if met is not None:
        return checkpoints.met_by_start(world, process, file, met)
    lost = lost_at_start(world, process, file.kept)
    if lost.names and not lost.whole:
        return checkpoints.met_by_start_without(file, lost.names[0])
    if lost.whole:
        forget(world, file.kept)
        forget_lost(world, file.kept)
        world.service(RUNTIME).files(world, process).forget_removed(file.folder)
    return None


def _tables(world: World, storage: str) -> Iterator[tuple[str, int]]:
    """One file for each collection and one for its index, those of the server itself included."""
    data = load(world, storage)
    names = ["admin.system.version", "local.startup_log", "config.system.sessions"]
    if data.accounts:
        names.append("admin.system.users")
    names += [f"{base}.{name}" for base, inside in data.databases.items() for name in inside]
    digits = int(blake2b(storage.encode(), digest_size=7).hexdigest(), 16)
    suffix = f"{digits % 10**19:019d}"
    for number, _ in enumerate(sorted(names)):
        yield f"collection-{2 * number}-{suffix}.wt", _TABLE
        yield f"index-{2 * number + 1}-{suffix}.wt", _TABLE
