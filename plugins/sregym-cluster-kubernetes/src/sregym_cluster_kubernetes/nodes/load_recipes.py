"""Processors and memory of a host taken by a process of its own: transient units of systemd.

What is taken stands in the unit's description, so it is read back exactly; the unit is gone when
it is stopped, and with the host's next start.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_kubernetes.node_settings import CpuUse, MemoryUse

# Named like what people run at night.
CPU_UNIT, MEMORY_UNIT = "archive-rotate.service", "search-index.service"
# A neighbour that is not held back in favour of pods, nor killed first when memory is short.
_CPU_WEIGHT, _OOM_SCORE = 10000, -900


def read_cpu(run: Any, setting: CpuUse) -> CpuUse:
    """How many cores are kept busy."""
    return setting.model_copy(update={"cores": _taken(run, setting.node, CPU_UNIT)})


def write_cpu(run: Any, setting: CpuUse) -> None:
    """Keep so many cores busy: one loop for each, and a quota for the part of the last."""
    _stop(run, setting.node, CPU_UNIT)
    if not setting.cores:
        return
    loops = f"for i in $(seq {ceil(setting.cores)}); do while :; do :; done & done; wait"
    quota = f"--property=CPUQuota={setting.cores * 100:g}%"
    weight = f"--property=CPUWeight={_CPU_WEIGHT}"
    run(setting.node, _started(CPU_UNIT, setting.cores, (quota, weight), loops))


def read_memory(run: Any, setting: MemoryUse) -> MemoryUse:
    """How many bytes are held."""
    return setting.model_copy(update={"taken_bytes": int(_taken(run, setting.node, MEMORY_UNIT))})


def write_memory(run: Any, setting: MemoryUse) -> None:
    """Hold so many bytes: `tail` keeps the last line, and a line of zeros has no end."""
    _stop(run, setting.node, MEMORY_UNIT)
    if not setting.taken_bytes:
        return
    score = f"--property=OOMScoreAdjust={_OOM_SCORE}"
    run(
        setting.node,
        _started(MEMORY_UNIT, setting.taken_bytes, (score,), memory_script(setting.taken_bytes)),
    )


def memory_script(taken_bytes: int) -> str:
    """A script of `sh` that holds so many bytes until it is ended."""
    return f"{{ head -c {taken_bytes} /dev/zero; sleep infinity; }} | tail"


def _started(unit: str, amount: float, properties: tuple[str, ...], script: str) -> tuple[str, ...]:
    head = ("systemd-run", "--quiet", f"--unit={unit}", f"--description=batch {amount!r}")
    return (*head, *properties, "--", "sh", "-c", script)


def _taken(run: Any, node: str, unit: str) -> float:
    show = ("systemctl", "show", unit, "--property=ActiveState,Description")
    shown = dict(line.split("=", 1) for line in run(node, show).splitlines() if "=" in line)
    if shown.get("ActiveState") != "active":
        return 0.0
    return float(shown["Description"].rpartition(" ")[2])


def _stop(run: Any, node: str, unit: str) -> None:
    if _taken(run, node, unit):
        run(node, ("systemctl", "stop", unit))
