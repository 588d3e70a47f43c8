"""What the kernel's scheduler gives a container: its weight among others, and the quota of its limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig
    from sregym_cluster_embedded.userland.process import Process

_PERIOD_S = 0.1


_LEAST_SHARES, _SHARES_PER_CORE = 2, 1024


def shares(config: ContainerConfig) -> int:
    """The weight of a container among those of its node: what it requests of processors."""
    wanted = (config.spec.get("resources") or {}).get("requests") or {}
    if "cpu" not in wanted:
        return max(_LEAST_SHARES, int((config.cpu_limit_cores or 0.0) * _SHARES_PER_CORE))
    return max(_LEAST_SHARES, int(parse(str(wanted["cpu"])) * _SHARES_PER_CORE))


def throttled_duration_s(process: Process, work_s: float) -> float:
    """Seconds in which a process does what one core does in `work_s`.

    In each period of 100 ms it may use its limit times the period; then it waits for the next one.
    """
    limit = process.config.cpu_limit_cores
    if limit is None or limit >= 1 or limit <= 0 or work_s <= 0:
        return work_s
    quota_s = limit * _PERIOD_S
    whole = max(math.ceil(round(work_s / quota_s, 9)) - 1, 0)
    return whole * _PERIOD_S + work_s - whole * quota_s
