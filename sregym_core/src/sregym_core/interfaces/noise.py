"""Noise: transient, self-healing disturbances that are never a root cause."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster
    from sregym_core.interfaces.injector import Journal


@dataclass(frozen=True)
class NoiseContext:
    """All that a noise source works with.

    Attributes:
        cluster: Where it acts.
        application: Which it disturbs.
        excluded_components: Names of components it must leave alone: the targets of the episode's faults.
        seed: All chance derives from it.
        level: How much, from 1 to 3. Levels 1 and 2 leave a healthy system within its objectives.
        excluded_nodes: Names of nodes that it must leave alone.
        memory: What it has to know to end disturbances that last: JSON, of this source and episode
            alone. A fork of the episode gets a copy, so no source keeps anything elsewhere.
        journal: Where undo steps go before they are needed, as those of faults: whoever ends an
            episode that was cut off undoes noise, too. None where nobody would read it.
        subjects: Where it appends the names of the components, nodes and objects that it disturbs:
            the report tells from them whether a diagnosis blamed noise.
    """

    cluster: Cluster
    application: Application
    excluded_components: tuple[str, ...]
    seed: int
    level: int = 1
    excluded_nodes: tuple[str, ...] = ()
    memory: dict[str, Any] = field(default_factory=dict)
    subjects: list[str] = field(default_factory=list)
    journal: Journal | None = None


class Noise(ABC):
    """One source of disturbances on a seeded schedule.

    The conductor asks `next_at` and calls `disturb` when that moment has come; it stops asking
    before it grades. A disturbance that lasts ends at a moment of its own.

    Attributes:
        name: The word in problems and after `--noise`.
        title: What it does, in a line, for lists.
        family: Sources of one family resemble each other; a mixture takes some of each.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    family: ClassVar[str] = ""

    @abstractmethod
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        """The first moment later than `elapsed_s` at which something begins or ends.

        In seconds since the noise began, which is some time before the agent's start. None when
        there is none. A pure function of seed and level.
        """

    @abstractmethod
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        """Do what is due at this moment; returns one line for the timeline."""

    @abstractmethod
    def settle(self, context: NoiseContext) -> None:
        """End every disturbance that still lasts; harmless when there is none."""
