"""Heaps that are collected: how large settings let them grow, and how often they are collected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import GarbageCollection

_WHOLE = re.compile(r"^\d+(?:\.\d+)?$")
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?b)?$", re.IGNORECASE)
_MIB = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}
# A heap of a fixed size always has so much room; Go's, which grows, may have far less.
_LEAST_FIXED_MIB, _LEAST_MIB = 1.0, 1 / 64
# Stands for a heap that is not collected at all: by then every limit has been met.
_NEVER = 10_000.0
# What runtimes take for a growth that is no number.
_USUAL_GROWTH = 100.0


class Heap(NamedTuple):
    """The heap of one process.

    Attributes:
        gc: What is known of its collection.
        fixed_mib: Its size; 0 for one that grows with what is live.
        growth: By how many percent of what is live it grows before it is collected: with 0 it always is.
            None for one of a fixed size.
        limit_mib: Beyond which it does not grow before that; 0 for no limit.
    """

    gc: GarbageCollection
    fixed_mib: float
    growth: float | None
    limit_mib: float

    def size_mib(self, held_mib: float) -> float:
        """How large it is when it is collected.

        Args:
            held_mib: What requests in flight hold of it.
        """
        if self.growth is None:
            return self.fixed_mib
        live = self.gc.live_mib + held_mib
        grown = max(self.gc.least_mib * self.growth / 100, live * (1 + self.growth / 100))
        return max(live, min(grown, self.limit_mib) if self.limit_mib else grown)

    def garbage_mib(self, held_mib: float) -> float:
        """What of it is garbage at most, beyond all that is live."""
        return max(self.size_mib(held_mib) - self.gc.live_mib - held_mib, 0.0)

    def collections(self, requests_per_s: float, held_mib: float) -> float:
        """Collections a second."""
        least = _LEAST_FIXED_MIB if self.growth is None else _LEAST_MIB
        room_mib = max(self.garbage_mib(held_mib), least)
        return requests_per_s * self.gc.per_request_kib / (room_mib * 1024)

    def cpu_s(self, requests_per_s: float, held_mib: float) -> float:
        """CPU seconds a second that collections take: each looks at all that is live."""
        live = self.gc.live_mib
        more = (live + held_mib) / live if live else 1.0
        return self.collections(requests_per_s, held_mib) * self.gc.cpu_ms / 1000 * more


def heap_of(gc: GarbageCollection, facts: Mapping[str, str]) -> Heap:
    """The heap of a process with these settings."""
    growth = _percent(expand(gc.growth, facts).strip()) if gc.growth else None
    limit = 0.0 if growth is None else mib(expand(gc.limit, facts))
    return Heap(gc, mib(expand(gc.heap_mib, facts), "m"), growth, limit)


def mib(text: str, unit: str = "") -> float:
    """MiB of `512m`, `2g`, `400MiB` or a number of `unit`s, bytes where it is empty; 0 for others."""
    found = _SIZE.match(text.strip())
    if found is None:
        return 0.0
    scale = (found[2] or unit).lower()
    return float(found[1]) * (_MIB[scale] if scale else 2**-20)


def _percent(growth: str) -> float:
    if growth == "off":
        return _NEVER
    return float(growth) if _WHOLE.match(growth) else _USUAL_GROWTH
