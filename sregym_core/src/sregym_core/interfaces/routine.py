"""Routines: what people, pipelines and chance do to a running system whether it breaks or not."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces.application import Application
    from sregym_core.interfaces.cluster import Cluster
    from sregym_core.interfaces.history import History
    from sregym_core.interfaces.injector import Journal
    from sregym_core.model import ObjectRef


class Readiness(Protocol):
    """Waits until the application is ready."""

    def __call__(self, without: Iterable[ObjectRef] = ()) -> None:
        """Return when it is.

        Args:
            without: Objects that are not there yet: what is told of them does not count.

        Raises:
            WorldError: It did not get ready.
        """


@dataclass(frozen=True)
class RoutineContext:
    """A world with an application whose everyday life a routine plays.

    Attributes:
        cluster: Where it runs, on virtual time.
        application: The application.
        seed: From which all chance derives.
        wait_ready: Waits until the application is ready.
    """

    cluster: Cluster
    application: Application
    seed: int
    wait_ready: Readiness


@dataclass(frozen=True)
class EpisodeRoutineContext:
    """The same in the world of one episode, before its agent starts.

    Attributes:
        cluster: Where the application runs, on virtual time.
        application: The application.
        seed: Of the episode; all chance derives from it and from the problem's id.
        problem: Id of the problem. What were the same for all problems of a seed would stand out in
            all of them.
        journal: Where undo steps go.
        involved: Names of the components that are broken or suffer; empty before the fault.
        broken: Those of them in which the faults are.
    """

    cluster: Cluster
    application: Application
    seed: int
    problem: str
    journal: Journal
    involved: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class Routine(ABC):
    """The everyday life of a system in a simulated world.

    Without one the only pod younger than a day, the only edited Service and the only alert of a world
    would be those of the fault. Nothing of it may change how the system serves its users. All routines
    that are installed are played, in the order of their names; on real clusters none is.

    One object serves many worlds, and holds no state of any. The same seed is the same life.

    Attributes:
        name: The word by which it is listed.
    """

    name: ClassVar[str]

    def quiet_s(self, seed: int) -> float:
        """Seconds between the cluster's past and the deployment of the application; 0 by default.

        Args:
            seed: Of the cluster.
        """
        return 0.0

    def past(self, context: RoutineContext, history: History) -> None:  # noqa: B027 - optional
        """Play what is to lie between the deployment and now.

        Called when the application was deployed just now, if it is to have a past. At most
        `history.application_s` seconds may pass; what is left of them passes afterwards.

        Args:
            context: The world.
            history: What it is to have behind it.

        Raises:
            WorldError: The application did not get ready.
        """

    def before_baseline(self, context: RoutineContext) -> None:  # noqa: B027 - optional
        """Play the last hours of a warm application, and let it settle; the baseline is taken then."""

    def before_fault(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Leave signs of the last hours that differ from problem to problem; no time may pass."""

    def after_fault(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Play what goes on beside a fault, on parts that have none in it; the journal undoes it."""

    def before_agent(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Begin what whoever looks finds in progress; alerts have been waited for."""
