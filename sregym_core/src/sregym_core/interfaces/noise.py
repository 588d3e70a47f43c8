"""Noise: transient, self-healing disturbances that are never a root cause."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sregym_core.events import EpisodeEvent
    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster
    from sregym_core.interfaces.injector import Journal
    from sregym_core.model import GroundTruth, StageRecord, TimelineEntry


@dataclass(frozen=True)
class NoiseContext:
    """Arguments of the methods of a noise source.

    Attributes:
        cluster: The cluster to disturb.
        application: The application to disturb.
        excluded_components: Names of components that must not be disturbed: targets of the faults.
        seed: Seed of the episode's noise; the only source of randomness.
        level: Intensity, 1 to 3. Levels 1 and 2 keep a healthy system within its objectives.
        excluded_nodes: Names of nodes that must not be disturbed.
        memory: JSON state of this source in this episode, such as what is needed to end a
            disturbance. A fork of the episode gets a copy; a source keeps no other state.
        journal: Records undo steps before changes, as for faults, so that an interrupted episode can
            be cleaned up; None if there is none.
        subjects: The source appends the names of components, nodes and objects that it disturbs;
            the report uses them to find diagnoses that name noise as the root cause.
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
    """One source of transient disturbances on a seeded schedule.

    The conductor calls `next_at`, and `disturb` at the returned time, until grading begins. The end
    of a disturbance that lasts is a time of its own on the schedule.

    Attributes:
        name: Its name in problems and after `--noise`.
        title: What it does, in one line for listings.
        family: Group of similar sources; a mixture draws from each family.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    family: ClassVar[str] = ""

    @abstractmethod
    def next_at(self, context: NoiseContext, elapsed_s: float) -> float | None:
        """The first time after `elapsed_s` at which a disturbance begins or ends; None: never again.

        Both are seconds since noise was switched on, some minutes before the agent starts. A pure
        function of seed and level.
        """

    @abstractmethod
    def disturb(self, context: NoiseContext, elapsed_s: float) -> str:
        """Begin or end the disturbance that is due at `elapsed_s`; returns one line for the timeline."""

    @abstractmethod
    def settle(self, context: NoiseContext) -> None:
        """End all disturbances that still last; idempotent. Called before grading."""


@dataclass(frozen=True)
class NoiseRequest:
    """The noise that an episode is to have, and what whoever drives it works with.

    Attributes:
        doses: By name of each source that the problem names, its level; 0 is silence.
        level: How much there is of a mixture of further sources, 0 to 3.
        names: Of all installed sources, sorted.
        load: Gives the class of a source by its name.
        make: Gives a new source by its name.
        context: As sources get it, but for the level.
        record: Puts an event on the timeline.
        blame: An exception in one sentence, with whose it is.
    """

    doses: Mapping[str, int]
    level: int
    names: Sequence[str]
    load: Callable[[str], type[Noise]]
    make: Callable[[str], Noise]
    context: NoiseContext
    record: Callable[[EpisodeEvent], None]
    blame: Callable[[BaseException], str]


class EpisodeNoise(ABC):
    """All noise of one episode: which sources there are, and when each is due.

    Attributes:
        levels: By name of each source that disturbs, its level.
    """

    levels: Mapping[str, int]

    @abstractmethod
    def lead(self) -> None:
        """Let the world get as noisy as it stays. Called before the agent starts."""

    @abstractmethod
    def leapt(self, seconds: float) -> None:
        """So much time of the cluster's clock was left out: nothing was due in it."""

    @abstractmethod
    def due(self) -> None:
        """Disturb as often as was due up to now. Called before each of the agent's calls.

        Raises:
            WorldError: A source raised.
        """

    @abstractmethod
    def stop(self) -> None:
        """End all disturbances; none begins any more. Called before grading."""

    @abstractmethod
    def fork(
        self, cluster: Cluster, record: Callable[[EpisodeEvent], None], journal: Journal
    ) -> EpisodeNoise:
        """An equal one that goes on by itself, in a fork of the episode."""

    @abstractmethod
    def blamed(
        self,
        diagnosis: StageRecord | None,
        entries: Iterable[TimelineEntry],
        ground_truths: Callable[[], Sequence[GroundTruth]],
    ) -> tuple[str, ...]:
        """Names of the sources whose work a judged diagnosis takes for a root cause; for the report.

        Args:
            diagnosis: As submitted and judged; None where there is none.
            entries: The timeline.
            ground_truths: Gives the ground truths, where they are needed.
        """
