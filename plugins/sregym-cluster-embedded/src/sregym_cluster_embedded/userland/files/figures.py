"""Further files of /proc: interfaces, routes, sockets, processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.connections import sockets
from sregym_cluster_embedded.userland.files.machine import cpus

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.userland.files.container import Container

# What eth0 has carried, packets in and out: a few, as after the start of a pod.
PACKETS = {"eth0": (14, 10), "lo": (0, 0)}
_BYTES_IN, _BYTES_OUT = 83, 78


def carried(name: str) -> tuple[int, int, int, int]:
    """What an interface has carried: bytes and packets in, bytes and packets out."""
    received, sent = PACKETS[name]
    return received * _BYTES_IN, received, sent * _BYTES_OUT, sent


def _devices(_container: Container) -> str:
    head = (
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
        "packets errs drop fifo colls carrier compressed\n"
    )
    rows = ""
    for name in ("lo", "eth0"):
        into, received, out, sent = carried(name)
        rows += f"{name:>6}: {into:>7} {received:>7}    0    0    0     0          0         0 "
        rows += f"{out:>8} {sent:>7}    0    0    0     0       0          0\n"
    return head + rows


def _routes(container: Container) -> str:
    base = container.config.pod_ip.split(".")[:3]
    network = _little([*base, "0"])
    gateway = _little([*base, "1"])
    rows = (("00000000", gateway, "0003", "00000000"), (network, "00000000", "0001", "00FFFFFF"))
    head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
    out = f"{head:<127}\n"
    for to, way, flags, mask in rows:
        row = f"eth0\t{to}\t{way}\t{flags}\t0\t0\t0\t{mask}\t0\t0\t0"
        out += f"{row:<127}\n"
    return out


def _little(parts: list[str]) -> str:
    """An address as the kernel writes it, its bytes from the last to the first."""
    return "".join(f"{int(part):02X}" for part in reversed(parts) if part.isdecimal())


def _sockets(container: Container) -> str:
    found = sockets(container.world, container.config.ref.pod_uid)
    own = sum(not one.is_v6 for one in found)
    return (
        f"sockets: used {len(found) + 2}\nTCP: inuse {own} orphan 0 tw 0 alloc {len(found) + 2} mem 1\n"
        "UDP: inuse 0 mem 0\nUDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 0\n"
    )


def _sockets_v6(container: Container) -> str:
    found = sockets(container.world, container.config.ref.pod_uid)
    return (
        f"TCP6: inuse {sum(one.is_v6 for one in found)}\nUDP6: inuse 0\nUDPLITE6: inuse 0\n"
        "RAW6: inuse 0\nFRAG6: inuse 0 memory 0\n"
    )


def _processors(container: Container) -> str:
    count, seconds = cpus(container), container.world.now + 86_400
    each = [int(seconds * share) for share in (2, 0, 1, 96.9, 0, 0, 0.1, 0, 0, 0)]
    total = " ".join(str(number * count) for number in each)
    rows = "".join(f"cpu{n} {' '.join(str(number) for number in each)}\n" for n in range(count))
    began = int(container.world.epoch - 86_400)
    return (
        f"cpu  {total}\n{rows}intr {int(seconds) * 200} 0\nctxt {int(seconds) * 360}\nbtime {began}\n"
        "processes 4242\nprocs_running 1\nprocs_blocked 0\n"
    )


FIGURES: dict[str, Callable[[Container], str]] = {
    "/proc/net/dev": _devices,
    "/proc/net/route": _routes,
    "/proc/net/sockstat": _sockets,
    "/proc/net/sockstat6": _sockets_v6,
    "/proc/stat": _processors,
    "/proc/swaps": lambda _: "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
}
