"""Interface of routines: ordinary activity of people, pipelines and chance in a simulated cluster."""

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
        """Return when it is ready, on the cluster's clock.

        Args:
            without: Objects that do not exist yet and are ignored.

        Raises:
            WorldError: It did not get ready.
        """


@dataclass(frozen=True)
class RoutineContext:
    """A simulated cluster with an application, in which a routine acts.

    Attributes:
        cluster: The cluster, on virtual time.
        application: The application.
        seed: The only source of randomness.
        wait_ready: Waits until the application is ready.
    """

    cluster: Cluster
    application: Application
    seed: int
    wait_ready: Readiness


@dataclass(frozen=True)
class EpisodeRoutineContext:
    """The same for one episode, before its agent starts.

    Attributes:
        cluster: The cluster, on virtual time.
        application: The application.
        seed: Seed of the episode; with `problem` the only source of randomness.
        problem: Id of the problem. Use it beside the seed: activity that is equal in all problems of
            a seed could be recognised.
        journal: Records undo steps before changes.
        involved: Names of components that are faulty or affected; empty before the injection.
        broken: Names of the faulty components among them.
    """

    cluster: Cluster
    application: Application
    seed: int
    problem: str
    journal: Journal
    involved: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class Routine(ABC):
    """Ordinary activity in a simulated cluster.

    Without it the only young pod, the only edited Service and the only alert would be those of the
    fault, and reveal it. A routine must not change how the application serves its users. All
    installed routines run, sorted by name; on real clusters none does.

    One object serves many clusters, so it is stateless. Equal seeds give equal activity.

    Attributes:
        name: Its name in listings.
    """

    name: ClassVar[str]

    def quiet_s(self, seed: int) -> float:
        """Idle seconds between the cluster's history and the deployment of the application; 0 by default.

        Args:
            seed: Seed of the cluster.
        """
        return 0.0

    def past(self, context: RoutineContext, history: History) -> None:  # noqa: B027 - optional
        """Act during the history of the application.

        Called right after the deployment, if a history is configured. May let at most
        `history.application_s` seconds pass; the conductor lets the remaining ones pass.

        Args:
            context: Cluster, application and seed.
            history: The configured history.

        Raises:
            WorldError: The application did not get ready.
        """

    def before_baseline(self, context: RoutineContext) -> None:  # noqa: B027 - optional
        """Act on the warm application, and let it settle again; the baseline is recorded next."""

    def before_fault(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Play the hours before the episode, different for each problem; journaled and undone."""

    def after_fault(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Act on components that are not `involved`, after the injection; journaled and undone."""

    def before_agent(self, context: EpisodeRoutineContext) -> None:  # noqa: B027 - optional
        """Start activity that is in progress when the agent starts; called after the alerts fire."""
