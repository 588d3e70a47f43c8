"""How often the CPU limit of a container stops it."""

from __future__ import annotations

import math

# The period over which the kernel counts what a container used of its limit.
PERIOD_S = 0.1
_ROUNDING = 1e-6


def throttled(wanted: float, per_request_s: float, limit: float, *, always: bool = False) -> float:
    """Fraction of periods in which the limit is used up.

    Requests come by chance, so that the work of a period is spread around its mean as that of so
    many independent requests.

    Args:
        wanted: CPU seconds a second, of the requests above all.
        per_request_s: CPU seconds of one of them.
        limit: Cores.
        always: Whether something wants a processor all the time.
    """
    if wanted <= 0 or (per_request_s <= 0 and not always):
        return 0.0
    if wanted >= limit * (1 - _ROUNDING):
        return 1.0
    if per_request_s <= 0:
        return 0.0
    spread = math.sqrt(wanted * per_request_s * PERIOD_S)
    share = 0.5 * math.erfc((limit - wanted) * PERIOD_S / (spread * math.sqrt(2)))
    return share if share > 1e-9 else 0.0
