"""What PD knows of a TiDB cluster, and who of it can be reached from where."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import parse_address, reach
from sregym_cluster_embedded.sdk.servers import TableKey, invalidate_traffic, process_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import Process, World

_PD: TableKey[str, PdData] = TableKey("userland.pd")
_STORES: TableKey[str, StoreData] = TableKey("userland.tikv")
# Under which servers remember which volume is theirs.
PD_STORAGE, STORE_STORAGE, CLUSTER = "pd.storage", "tikv.storage", "tidb.cluster"
# How many stores keep each region, as far as there are so many.
_REPLICAS = 3
PD_TIMEOUT = (9001, "PD server timeout")
TIKV_TIMEOUT = (9002, "TiKV server timeout")
REGION_UNAVAILABLE = (9005, "Region is unavailable")


class Registered(NamedTuple):
    """A store that PD knows.

    Attributes:
        number: Its id.
        address: Under which it can be reached.
        storage: The identity of its volume.
    """

    number: int
    address: str
    storage: str


@dataclass(frozen=True)
class PdData:
    """What one member of PD keeps; all members of a cluster keep the same.

    Attributes:
        cluster: The cluster's id; empty for an empty directory.
        members: Name -> URL for clients, in the order in which they joined.
        stores: In the order in which they registered.
    """

    cluster: str = ""
    members: Mapping[str, str] = field(default_factory=dict)
    stores: tuple[Registered, ...] = ()


class StoreData(NamedTuple):
    """What a volume of TiKV says of itself.

    Attributes:
        cluster: The cluster's id.
        number: Of the store.
    """

    cluster: str
    number: int


def load_pd(world: World, storage: str) -> PdData:
    """What a volume of PD holds; nothing where there is none."""
    return world.table(_PD).get(storage) or PdData()


def keep_pd(world: World, storage: str, data: PdData) -> None:
    """Let a member know something, and with it all others of its cluster."""
    table = world.table(_PD)
    table[storage] = data
    for other, known in sorted(table.items()):
        if known.cluster == data.cluster and known != data:
            table[other] = data
    invalidate_traffic(world)


def load_store(world: World, storage: str) -> StoreData | None:
    """What a volume of TiKV says of itself; None for an empty one."""
    return world.table(_STORES).get(storage)


def register(world: World, pd: Process, address: str, storage: str) -> StoreData:
    """Let PD know a store under an address; an empty volume becomes a new store."""
    place = pd.settings[PD_STORAGE]
    data, own = load_pd(world, place), load_store(world, storage)
    if own is None:
        number = max((store.number for store in data.stores), default=0) + (3 if data.stores else 1)
        own = StoreData(data.cluster, number)
        world.table(_STORES)[storage] = own
    if own.cluster == data.cluster:
        others = tuple(store for store in data.stores if store.number != own.number)
        new = Registered(own.number, address, storage)
        stores = tuple(sorted((*others, new)))
        if stores != data.stores:
            keep_pd(world, place, replace(data, stores=stores))
    return own


def server_at(
    world: World, process: Process, address: str, protocol: str, mark: str
) -> Process | None:
    """The server of a kind to which a process gets at an address; `mark` is a setting of that kind."""
    found = parse_address(address)
    for target in reach(world, process, found.host, found.port, protocol, address):
        if target.kind == "" and target.ref is not None:
            server = process_of(world, target.ref)
            if server is not None and mark in server.settings:
                return server
    return None


def removed(world: World, process: Process, address: str) -> bool:
    """Whether a server was taken out of the cluster: its name is no more, as after scaling in."""
    found = parse_address(address)
    ends = reach(world, process, found.host, found.port, "http", address)
    return all(target.kind == "dns" for target in ends)


def leading_pd(world: World, process: Process, endpoints: str) -> Process | None:
    """A member of PD that a process reaches and that has a quorum behind it."""
    for endpoint in endpoints.split(","):
        member = server_at(world, process, endpoint, "http", PD_STORAGE) if endpoint else None
        if member is not None and has_quorum(world, member):
            return member
    return None


def has_quorum(world: World, member: Process) -> bool:
    """Whether a member of PD reaches more than half of them."""
    members = load_pd(world, member.settings[PD_STORAGE]).members
    if len(members) <= 1:
        return True
    seen = away = 0
    for other, url in members.items():
        own = other == member.settings["pd.name"]
        if own or server_at(world, member, url, "http", PD_STORAGE) is not None:
            seen += 1
        elif not removed(world, member, url):
            away += 1
    return seen > away


def up_stores(world: World, process: Process, data: PdData) -> list[Registered]:
    """The stores that a process reaches."""
    found = []
    for store in data.stores:
        server = server_at(world, process, store.address, "grpc", STORE_STORAGE)
        if server is not None and server.settings[STORE_STORAGE] == store.storage:
            found.append(store)
    return found


def outage(world: World, process: Process, endpoints: str) -> tuple[int, str] | None:
    """Number and words of what keeps a TiDB server from its data; None when nothing does."""
    member = leading_pd(world, process, endpoints)
    if member is None:
        return PD_TIMEOUT
    data = load_pd(world, member.settings[PD_STORAGE])
    up = up_stores(world, process, data)
    if not up:
        return TIKV_TIMEOUT
    away = [
        store
        for store in data.stores
        if store not in up and not removed(world, process, store.address)
    ]
    # Regions are spread: some has its replicas on any so many stores.
    replicas = min(_REPLICAS, len(up) + len(away))
    return REGION_UNAVAILABLE if len(away) >= replicas - replicas // 2 else None


def describe_pd(data: PdData) -> str:
    """What a member keeps as canonical text."""
    members = [f"member {name} = {url}" for name, url in data.members.items()]
    stores = [f"store {store.number} = {store.address}" for store in data.stores]
    return "\n".join([f"cluster = {data.cluster}", *members, *stores])


def describe_store(data: StoreData) -> str:
    """What a volume of TiKV says of itself, as canonical text."""
    return f"store {data.number} of cluster {data.cluster}"
