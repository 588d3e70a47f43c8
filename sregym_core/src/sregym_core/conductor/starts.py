"""Worlds at the moment at which an agent starts, kept so that the same episode begins at once.

Where clusters can be forked, the same problem with the same seed is broken once in a process; every
further episode starts from a fork of that world and gets the same bytes.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces import Baseline, Checkpoint, SystemState
    from sregym_core.model import FaultTarget

# How many are kept at most. A fork shares most of its state with its origin, so one costs what
# breaking the world has changed: a few megabytes.
KEPT = 48


@dataclass(frozen=True)
class Start:
    """A broken world and how it came about.

    Attributes:
        checkpoint: The cluster at that moment.
        baseline: The healthy system before.
        targets: Of each fault, as they were chosen in the healthy system.
        journal: Entries of the undo journal.
        events: Its events on the timeline, with seconds on the episode's clock.
        began: Moment on the cluster's clock at which the episode began.
        injected_at_s: Episode seconds of the first fault.
        alerts: Those that are reported to the agent.
        states: What was worked out of it, for `states.KeptStates`.
    """

    checkpoint: Checkpoint
    baseline: Baseline
    targets: tuple[FaultTarget, ...]
    journal: tuple[dict[str, Any], ...]
    events: tuple[tuple[float, EpisodeEvent], ...]
    began: float
    injected_at_s: float | None
    alerts: dict[str, Any] | None
    states: dict[str, SystemState] = field(default_factory=dict)


class Starts:
    """The latest starts of a process, by what they depend on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Start] = OrderedDict()

    def get(self, key: Hashable) -> Start | None:
        """The start that was kept under a key."""
        start = self._kept.get(key)
        if start is not None:
            self._kept.move_to_end(key)
        return start

    def keep(self, key: Hashable, start: Start) -> None:
        """Keep one; the one that was not used for longest goes."""
        self._kept[key] = start
        self._kept.move_to_end(key)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
