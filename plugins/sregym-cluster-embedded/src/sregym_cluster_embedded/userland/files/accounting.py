"""What the kernel counts of a container: processor time, periods in which it was stopped, sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.command_counts import scheduled
from sregym_cluster_embedded.userland.connections import ESTABLISHED, LISTEN, SYN_SENT, sockets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.userland.connections import Ending
    from sregym_cluster_embedded.userland.files.container import Container

# What programs do in user code, of all processor time.
_USER = 0.7
_BASE = "/sys/fs/cgroup"
_HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
_NUMBERS = {ESTABLISHED: "01", SYN_SENT: "02", LISTEN: "0A"}


def _stat(container: Container) -> str:
    used = scheduled(container.world, container.config.ref)
    usec = int(used.cpu_s * 1e6)
    return (
        f"usage_usec {usec}\nuser_usec {int(usec * _USER)}\nsystem_usec {usec - int(usec * _USER)}\n"
        f"nr_periods {used.periods}\nnr_throttled {used.throttled}\n"
        f"throttled_usec {int(used.throttled_s * 1e6)}\nnr_bursts 0\nburst_usec 0\n"
    )


def _stat_v1(container: Container) -> str:
    used = scheduled(container.world, container.config.ref)
    nanoseconds = int(used.throttled_s * 1e9)
    return (
        f"nr_periods {used.periods}\nnr_throttled {used.throttled}\nthrottled_time {nanoseconds}\n"
    )


def _usage_v1(container: Container) -> str:
    return f"{int(scheduled(container.world, container.config.ref).cpu_s * 1e9)}\n"


def _sockets(container: Container, *, v6: bool) -> str:
    """TCP sockets of the pod as /proc/net has them."""
    rows: list[str] = []
    for place, one in enumerate(sockets(container.world, container.config.ref.pod_uid)):
        if one.is_v6 != v6:
            continue
        ends = f"{_raw(one.here, v6=v6)} {_raw(one.there, v6=v6)}"
        listens = one.state == LISTEN
        inode = 41_000 + one.here.port if listens else 110_000 + place
        rows.append(
            f"{len(rows):>4}: {ends} {_NUMBERS[one.state]} 00000000:00000000 00:00000000 "
            f"00000000 {0:>5} {0:>8} {inode} 1 0000000000000000 "
            f"{'100 0 0 10 0' if listens else '20 4 30 10 -1'}\n"
        )
    head = _HEAD
    if v6:
        head = (
            "  sl  local_address                         remote_address                        "
            "st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        )
    return head + "".join(rows)


def _raw(end: Ending, *, v6: bool) -> str:
    """An end as the kernel writes it, each word of an address from its last byte to its first."""
    number = "".join(f"{int(part):02X}" for part in reversed(end.ip.split("."))) if end.ip else ""
    mapped = f"{'0' * 16}FFFF0000" if v6 and number else ""
    return f"{mapped}{number or '0' * (32 if v6 else 8)}:{end.port:04X}"


COUNTED: Mapping[str, Callable[[Container], str]] = {
    f"{_BASE}/cpu.stat": _stat,
    f"{_BASE}/cpu/cpu.stat": _stat_v1,
    f"{_BASE}/cpu,cpuacct/cpu.stat": _stat_v1,
    f"{_BASE}/cpu,cpuacct/cpuacct.usage": _usage_v1,
    f"{_BASE}/cpuacct/cpuacct.usage": _usage_v1,
    "/proc/net/tcp": lambda container: _sockets(container, v6=False),
    "/proc/net/tcp6": lambda container: _sockets(container, v6=True),
}
