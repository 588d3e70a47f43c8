"""How long work takes under a limit of processor time: the quota of the kernel's scheduler."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process

_PERIOD_S = 0.1


def lasting(process: Process, work_s: float) -> float:
    """Seconds in which a process does what one core does in `work_s`.

    In each period of 100 ms it may use its limit times the period; then it waits for the next one.
    """
    limit = process.config.cpu_limit_cores
    if limit is None or limit >= 1 or limit <= 0 or work_s <= 0:
        return work_s
    quota_s = limit * _PERIOD_S
    whole = max(math.ceil(round(work_s / quota_s, 9)) - 1, 0)
    return whole * _PERIOD_S + work_s - whole * quota_s
