"""Leases of an etcd server: commands of `etcdctl lease`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output

from sregym_server_etcd.data import Lease

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.sdk.servers import World

    from sregym_server_etcd.data import EtcdData

NOT_FOUND = "etcdserver: requested lease not found"
_BAD_ARGUMENT = 128


def number_of(text: str) -> int | None:
    """The number of a lease, which is written with hexadecimal digits; None for nonsense."""
    try:
        return int(text, 16)
    except ValueError:
        return None


def leased(
    world: World, data: EtcdData, flags: Mapping[str, str], operands: Sequence[str]
) -> tuple[Output, EtcdData]:
    """One of `grant`, `list`, `timetolive`, `revoke`, `keep-alive`."""
    what, *rest = operands or ("",)
    if what == "list":
        lines = [
            f"found {len(data.leases)} leases",
            *(f"{one:016x}" for one in sorted(data.leases)),
        ]
        return Output(0, "".join(f"{line}\n" for line in lines)), data
    if what == "grant":
        return _granted(world, data, rest)
    if len(rest) != 1:
        text = f"Error: lease {what} command needs lease ID as argument\n"
        return Output(_BAD_ARGUMENT, "", text), data
    number = number_of(rest[0])
    if number is None:
        text = f'Error: bad lease ID arg (strconv.ParseInt: parsing "{rest[0]}": invalid syntax), expecting ID in Hex\n'
        return Output(_BAD_ARGUMENT, "", text), data
    lease = data.leases.get(number)
    if what == "timetolive":
        return Output(0, _left(world, data, number, keys="keys" in flags)), data
    if what == "revoke":
        if lease is None:
            return Output(1, "", f"Error: failed to revoke lease ({NOT_FOUND})\n"), data
        return Output(0, f"lease {number:016x} revoked\n"), data.without_lease(number)
    if lease is None:
        return Output(0, f"lease {number:016x} expired or revoked.\n"), data
    alive = {**data.leases, number: lease._replace(since=world.now)}
    message = f"lease {number:016x} keepalived with TTL({lease.ttl_s})\n"
    return Output(0, message), replace(data, leases=alive)


def _granted(world: World, data: EtcdData, rest: Sequence[str]) -> tuple[Output, EtcdData]:
    if len(rest) != 1:
        text = "Error: lease grant command needs TTL argument\n"
        return Output(_BAD_ARGUMENT, "", text), data
    if not rest[0].isdecimal():
        text = f'Error: bad TTL (strconv.ParseInt: parsing "{rest[0]}": invalid syntax)\n'
        return Output(_BAD_ARGUMENT, "", text), data
    fraction = world.seed.fraction("lease", data.revision, len(data.leases), world.now)
    number = 0x694D_0000_0000_0000 + int(fraction * (1 << 48))
    lease = Lease(int(rest[0]), world.now)
    message = f"lease {number:016x} granted with TTL({lease.ttl_s}s)\n"
    return Output(0, message), replace(data, leases={**data.leases, number: lease})


def _left(world: World, data: EtcdData, number: int, *, keys: bool) -> str:
    lease = data.leases.get(number)
    if lease is None:
        return f"lease {number:016x} already expired\n"
    left = int(lease.since + lease.ttl_s - world.now)
    text = f"lease {number:016x} granted with TTL({lease.ttl_s}s), remaining({left}s)"
    if keys:
        held = sorted(key for key, entry in data.keys.items() if entry.lease == number)
        text += f", attached keys([{' '.join(held)}])"
    return f"{text}\n"
