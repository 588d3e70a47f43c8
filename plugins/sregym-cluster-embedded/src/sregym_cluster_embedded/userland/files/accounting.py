"""What the kernel counts of a container: processor time, periods in which it was stopped, sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.counted import scheduled
from sregym_cluster_embedded.userland.process import running_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.userland.files.container import Container

# What programs do in user code, of all processor time.
_USER = 0.7
_BASE = "/sys/fs/cgroup"
_HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
# Servers that listen on addresses of version 4 alone.
_ONLY_V4 = ("mongodb", "redis", "mysql", "postgres", "keyvalue")


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
    """Listening sockets of the pod as /proc/net has them."""
    found = running_in(container.world, container.config.ref.pod_uid)
    rows: list[str] = []
    for process in found:
        kind = getattr(process.behaviour, "kind", "")
        for port, _ in process.ports:
            if (kind in _ONLY_V4) == v6 or (kind == "" and v6):
                continue
            zero = "0" * (32 if v6 else 8)
            rows.append(
                f"{len(rows):>4}: {zero}:{port:04X} {zero}:0000 0A 00000000:00000000 00:00000000 "
                f"00000000 {0:>5} {0:>8} {41_000 + port} 1 0000000000000000 100 0 0 10 0\n"
            )
    head = _HEAD
    if v6:
        head = (
            "  sl  local_address                         remote_address                        "
            "st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        )
    return head + "".join(rows)


COUNTED: Mapping[str, Callable[[Container], str]] = {
    f"{_BASE}/cpu.stat": _stat,
    f"{_BASE}/cpu/cpu.stat": _stat_v1,
    f"{_BASE}/cpu,cpuacct/cpu.stat": _stat_v1,
    f"{_BASE}/cpu,cpuacct/cpuacct.usage": _usage_v1,
    f"{_BASE}/cpuacct/cpuacct.usage": _usage_v1,
    "/proc/net/tcp": lambda container: _sockets(container, v6=False),
    "/proc/net/tcp6": lambda container: _sockets(container, v6=True),
}
