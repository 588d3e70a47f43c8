"""Files of a running datastore: what stands in its folder follows from what it keeps."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder
from sregym_cluster_embedded.userland.mongodb.data import load
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Official images run their servers as a user of this number.
_SERVER_UID = 999
_TABLE, _LOG = 20_480, 104_857_600
_MONGO = {
    "WiredTiger": 50, "WiredTiger.lock": 21, "WiredTiger.turtle": 1469, "WiredTiger.wt": 61_440,
    "WiredTigerHS.wt": 4096, "_mdb_catalog.wt": 36_864, "mongod.lock": 2, "sizeStorer.wt": 36_864,
    "storage.bson": 114, "journal/WiredTigerLog.0000000001": _LOG,
    "journal/WiredTigerPreplog.0000000001": _LOG, "diagnostic.data/metrics.interim": 14_210,
}  # fmt: skip
_MYSQL = {
    "auto.cnf": 56, "binlog.000001": 157, "binlog.index": 16, "ca-key.pem": 1680, "ca.pem": 1112,
    "ib_buffer_pool": 3621, "ibdata1": 12_582_912, "ibtmp1": 12_582_912, "mysql.ibd": 27_262_976,
    "undo_001": 16_777_216, "undo_002": 16_777_216, "mysql/general_log.CSV": 0,
    "performance_schema/accounts_145.sdi": 1391, "sys/sys_config.ibd": 114_688,
}  # fmt: skip
_POSTGRES = {
    "PG_VERSION": 3, "pg_hba.conf": 5743, "pg_ident.conf": 2640, "postgresql.auto.conf": 88,
    "postgresql.conf": 30_777, "postmaster.opts": 36, "postmaster.pid": 94,
    "base/1/112": 8192, "base/5/112": 8192, "global/pg_control": 8192,
    "pg_wal/000000010000000000000001": 16_777_216, "pg_xact/0000": 8192,
}  # fmt: skip


def data_files(world: World, ref: ContainerRef) -> tuple[str, Mapping[str, Inode]]:
    """The folder of a server that has begun to serve, and path -> inode of what it keeps there.

    An empty folder for every other process.
    """
    process = process_of(world, ref)
    if process is None or process.behaviour is None or process.served_at is None:
        return "", {}
    kind = process.behaviour.kind
    if kind == "mongodb":
        place = process.settings["mongod.folder"].rstrip("/")
        sizes = {**_MONGO, **dict(_tables(world, process.settings["mongod.storage"]))}
    elif kind in ("mysql", "postgres"):
        place = str(getattr(process.behaviour, "data_dir", "")).rstrip("/")
        sizes = dict(_MYSQL if kind == "mysql" else _POSTGRES)
    else:
        return "", {}
    return place, _inodes(world, process, place, sizes)


def _inodes(
    world: World, process: Process, place: str, sizes: Mapping[str, int]
) -> Mapping[str, Inode]:
    made = world.epoch + (process.served_at or 0.0)
    found: dict[str, Inode] = {}
    for name, size in sizes.items():
        above = name.rpartition("/")[0]
        while above:
            path = f"{place}/{above}"
            found[path] = folder(0o700, _SERVER_UID, _SERVER_UID, made)
            above = above.rpartition("/")[0]
        found[f"{place}/{name}"] = Inode(
            FILE, "", 0o600, _SERVER_UID, _SERVER_UID, made, zeros=size
        )
    return found


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
