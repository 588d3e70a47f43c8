"""Noise: transient, self-healing disturbances that are never a root cause."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster


@dataclass(frozen=True)
class NoiseContext:
    """All that a noise source works with.

    Attributes:
        cluster: Where it acts.
        application: Which it disturbs.
        spared: Names of components it must leave alone: the targets of the episode's faults.
        seed: All chance derives from it.
    """

    cluster: Cluster
    application: Application
    spared: tuple[str, ...]
    seed: int


class Noise(ABC):
    """One source of disturbances on a seeded schedule.

    The conductor asks `next_at` and calls `disturb` when that moment has come; it stops asking
    before it grades.

    Attributes:
        name: The word in problems and after `--noise`.
    """

    name: ClassVar[str]

    @abstractmethod
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        """Seconds after the agent's start of the first disturbance later than `elapsed_s`.

        None when there is none. A pure function of the seed.
        """

    @abstractmethod
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        """Disturb now; returns one line for the timeline. The system heals by itself."""

    @abstractmethod
    def settle(self, context: NoiseContext) -> None:
        """End every disturbance that still lasts; harmless when there is none."""
