"""Errors that programs log every day though all is well, at rates of their own.

They hang on who writes and how much it is asked, and on nothing else: a world with a defect has the
same as one without, as far as the same requests come. No request fails for them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.traffic.segments import LineStream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_apps.model import BenignError

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.segments import Segment

# Of all that a program may log, how many kinds it does.
_KINDS = 2
# What Deployments, DaemonSets and StatefulSets append to the name of a workload.
_APPENDED = re.compile(r"(-[0-9a-f]{6,10})?-[a-z0-9]{5}$|-\d+$")
# Numbers of these lines: behind those of requests.
_FIRST = 1000


def benign_streams(
    ref: ContainerRef, known: Sequence[BenignError], segment: Segment, until: float
) -> Iterator[LineStream]:
    """Streams of lines that a process writes while a segment stands; those without a line are left out.

    Args:
        ref: The process.
        known: What its program may log.
        segment: What flows through it.
        until: Virtual second before which lines are wanted.
    """
    asked = sum(flow.rate for flow in segment.flows)
    if asked <= 0:
        return
    seed = Seed(segment.seed)
    whose = (ref.namespace, _APPENDED.sub("", ref.pod), ref.name)
    for spot, drawn in _kinds_of(segment.seed, whose, len(known)):
        one, number = known[spot], _FIRST + spot
        low, high = one.bounds
        often = low * (high / low) ** drawn
        rate = (1 if one.every_s else asked) / often
        offset = seed.fraction("line", ref, "", number, segment.start)
        if segment.start + offset / rate < until:
            yield LineStream("", number, rate, one.line, ())


@lru_cache(maxsize=4096)
def _kinds_of(seed: int, whose: tuple[str, str, str], count: int) -> tuple[tuple[int, float], ...]:
    """Which of so many kinds of lines a program writes, and where between its bounds the rate is.

    It is the same for all lives and replicas.
    """
    chance = Seed(seed)
    order = sorted(range(count), key=lambda spot: chance.fraction("habit", *whose, spot))
    return tuple((spot, chance.fraction("rate", *whose, spot)) for spot in order[:_KINDS])
