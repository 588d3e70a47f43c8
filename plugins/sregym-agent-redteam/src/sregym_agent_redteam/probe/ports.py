"""Who listens on this machine, or in this place that looks like one."""

from __future__ import annotations

from pathlib import Path


def listening() -> list[int]:
    """Ports of loopback on which a process listens."""
    ports = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            _, local, _, state, *_ = line.split()
            if state == "0A":
                ports.add(int(local.rpartition(":")[2], 16))
    return sorted(ports)
