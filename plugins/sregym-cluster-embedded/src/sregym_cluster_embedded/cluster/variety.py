"""What follows from a cluster's seed before it runs: its machines, its age, the time at which it stands.

Everything here is drawn from the seed alone. Names, uids and addresses of objects follow from it
when the cluster runs; what follows from the salt is no matter of this module.
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import cos, exp, log, pi
from typing import TYPE_CHECKING

from sregym_core.interfaces import History, Load, PastRestart

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.clock.seed import NAME_ALPHABET
from sregym_cluster_embedded.cluster.sizing import USUAL, unique
from sregym_cluster_embedded.machines import CONTROL_PLANE
from sregym_cluster_embedded.node.bootstrap import NodeSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

_DAY_S = 86_400
_HOUR_S = 3_600
_MIB = 1024
# Where clusters stand in time: within a year that is over, so that clients whose clock is that of
# the wall find certificates valid.
_YEAR = 1_735_689_600  # 2025-01-01T00:00:00Z
_YEAR_S = 364 * _DAY_S
_CLUSTER_S = (20 * _DAY_S, 300 * _DAY_S)
# Of the time that a cluster stands, an application may have been there for these shares.
_APPLICATION = (0.15, 0.85)
_SOONEST_S = 900
_MOST_RESTARTS = 5
# Shares of restarts: a person restarts a workload, or a pod of it is deleted.
_ROLLING = 0.6
_LOAD = (0.75, 1.35)
# By how much less is asked at night and at weekends, at most.
_NIGHT, _WEEKEND = 0.3, 0.15
_BUSIEST_HOUR = 15
# Of a hundred thousand requests between services, so many meet a connection that is reset.
_INVALID = (2e-5, 6e-5)
_ROLES = ("worker", "node", "w", "compute", "agent")
_REGION, _ZONE = "topology.kubernetes.io/region", "topology.kubernetes.io/zone"
# Regions, and what their zones are called behind the name of the region.
_REGIONS = (
    ("eu-central-1", "{letter}"), ("us-east-2", "{letter}"), ("europe-west4", "-{letter}"),
    ("us-central1", "-{letter}"), ("westeurope", "-{number}"), ("fsn1", "-dc{number}"),
)  # fmt: skip
# The control plane stands in the first, workers in the others.
_ZONES = 3


def control_plane(seed: int, workers: Sequence[NodeSpec]) -> NodeSpec:
    """The node of the control plane of a cluster with these workers: smaller, named like them."""
    chance = Seed(seed)
    first = min(workers, key=lambda spec: spec.name)
    net, taken = first.address.rsplit(".", 2)[0], {spec.address for spec in workers}
    subnet = int(chance.fraction("subnet of the control plane") * 96)
    host = 4 + int(chance.fraction("host of the control plane") * 248)
    while f"{net}.{subnet}.{host}" in taken:
        host = 4 + (host - 3) % 248
    address = f"{net}.{subnet}.{host}"
    if first.name.startswith("ip-"):
        name = f"ip-{address.replace('.', '-')}"
    else:
        word = chance.pick(("control-plane", "master", "cp", "controlplane"), "name of the lead")
        head = first.name.partition("-")[0]
        name = f"{word}-1" if head in _ROLES else f"{head}-{word}-1"
    return NodeSpec(
        name,
        address,
        cpu=4,
        memory_kib=16 * _MIB * _MIB,
        role=CONTROL_PLANE,
        labels=_place(chance, 0),
    )


def machines(seed: int, count: int = USUAL) -> tuple[NodeSpec, ...]:
    """The workers of a cluster: alike but for one that may be larger, named as by an administrator.

    Args:
        seed: Of the cluster.
        count: How many.
    """
    chance = Seed(seed)
    addresses = _addresses(chance, count)
    names = unique(_names(chance, addresses))
    # The order in which they joined is not that of their names.
    order = sorted(range(count), key=lambda number: chance.fraction("joined", names[number]))
    larger = int(chance.fraction("larger machine") * (count + 1))
    return tuple(
        NodeSpec(
            names[place],
            addresses[place],
            cpu=12 if number == larger else 8,
            memory_kib=(48 if number == larger else 32) * _MIB * _MIB,
            disk_kib=264_212_084 - int(chance.fraction("disk", number) * 4096) * 4,
            invalid_share=round(_between(*_INVALID, chance.fraction("invalid", number)), 7),
            labels=_place(chance, 1 + number % (_ZONES - 1)),
        )
        for number, place in enumerate(order)
    )


def _place(chance: Seed, zone: int) -> dict[str, str]:
    """The labels by which a machine in the n-th zone of the cluster's region tells where it stands."""
    region, way = chance.pick(_REGIONS, "region")
    # Which of a region's zones a cluster uses is no matter of their order.
    number = (zone + int(chance.fraction("first zone") * _ZONES)) % _ZONES
    suffix = way.format(letter="abc"[number], number=number + 1)
    return {_REGION: region, _ZONE: f"{region}{suffix}"}


def moment(seed: int) -> int:
    """Unix seconds at which a cluster of a seed stands when an episode's warm-up begins."""
    return _YEAR + int(Seed(seed).fraction("moment") * _YEAR_S)


def history(seed: int, now: float) -> History:
    """What a cluster of a seed has behind it at Unix second `now`."""
    chance = Seed(seed)
    stands = _between(*_CLUSTER_S, chance.fraction("age of the cluster"))
    low, high = _APPLICATION
    share = low + (high - low) * chance.fraction("age of the application")
    runs = int(stands * share)
    count = 1 + int(chance.fraction("restarts") * _MOST_RESTARTS)
    return History(
        cluster_s=int(stands) - runs,
        application_s=runs,
        restarts=tuple(
            PastRestart(
                before_s=int(
                    _between(_SOONEST_S, runs * 0.9, chance.fraction("restarted", number))
                ),
                choice=chance.fraction("restarted workload", number),
                rolling=chance.fraction("how restarted", number) < _ROLLING,
            )
            for number in range(count)
        ),
        load=Load(round(_level(chance) * _rhythm(now), 2), mix=seed),
    )


def _between(low: float, high: float, share: float) -> float:
    """A number between two, all orders of magnitude alike."""
    return exp(log(low) + (log(high) - log(low)) * share)


def _level(chance: Seed) -> float:
    low, high = _LOAD
    return low + (high - low) * chance.fraction("level of the load")


def _rhythm(now: float) -> float:
    """What share of the busiest hour's load comes at a time of day and week."""
    at = datetime.fromtimestamp(now, UTC)
    hour = at.hour + at.minute / 60
    night = (1 - cos((hour - _BUSIEST_HOUR) / 24 * 2 * pi)) / 2
    return (1 - _NIGHT * night) * (1 - _WEEKEND * (at.weekday() >= 5))


def _addresses(chance: Seed, count: int) -> list[str]:
    """Addresses of nodes in a private network (/16) that is neither that of pods nor of Services."""
    place = int(chance.fraction("net") * 240)
    # 10.16 to 10.95 and 10.112 to 10.239 without that of the name server, 172.16 to 172.31, 192.168.
    first = [f"10.{number}" for number in (*range(16, 77), *range(78, 96), *range(112, 240))]
    first += [*(f"172.{number}" for number in range(16, 32)), *["192.168"] * 17]
    net, taken = first[place], []
    for number in range(count):
        subnet = int(chance.fraction("subnet", number) * 96)
        host = 4 + int(chance.fraction("host", number) * 248)
        while f"{net}.{subnet}.{host}" in taken:
            host = 4 + (host - 3) % 248
        taken.append(f"{net}.{subnet}.{host}")
    return taken


def _names(chance: Seed, addresses: Sequence[str]) -> Sequence[str]:
    """Names of the nodes with these addresses, in one of the ways in which clusters are named."""
    ways = (_numbered, _by_pool, _by_machine, None)
    way = chance.pick(ways, "way of names")
    if way is None:
        return [f"ip-{address.replace('.', '-')}" for address in addresses]
    return way(chance, len(addresses))


def _numbered(chance: Seed, count: int) -> list[str]:
    place = chance.pick(("", "k8s-", "kube-", "prod-", "eu1-", "dc2-", "shop-"), "prefix")
    role = chance.pick(_ROLES, "role")
    width = 1 + int(chance.fraction("width") * 2)
    first = int(chance.fraction("first number") * 12)
    return [f"{place}{role}-{first + 1 + number:0{width}d}" for number in range(count)]


def _by_pool(chance: Seed, count: int) -> list[str]:
    cluster = chance.pick(("prod", "main", "live", "blue", "core", "platform"), "cluster")
    pool = chance.pick(("default-pool", "general", "pool-1", "workers", "standard"), "pool")
    group = f"{int(chance.fraction('group') * 2**32):08x}"
    return [f"{cluster}-{pool}-{group}-{_letters(chance, number, 4)}" for number in range(count)]


def _by_machine(chance: Seed, count: int) -> list[str]:
    kind = chance.pick(("vm", "srv", "kvm", "host", "metal"), "kind")
    return [f"{kind}-{_letters(chance, number, 6)}" for number in range(count)]


def _letters(chance: Seed, number: int, length: int) -> str:
    return "".join(chance.pick(NAME_ALPHABET, "letter", number, place) for place in range(length))
