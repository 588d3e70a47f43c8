"""The simulated history of a system before an episode."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Load:
    """Load of an application.

    Attributes:
        level: Factor of the request rate that its manifests configure.
        mix: Seed of the shares of operations; None: the shares that its manifests configure.
    """

    level: float = 1.0
    mix: int | None = None

    def weight(self, kind: str, low: float, high: float) -> float:
        """The weight of one operation, between `low` and `high`; a function of the seed."""
        # Not a secret: the shares can be seen in the cluster.
        return Random(f"share of {kind}, seed {self.mix}").uniform(low, high)  # noqa: S311


@dataclass(frozen=True)
class PastRestart:
    """A restart of a workload of the healthy application.

    Attributes:
        before_s: Seconds before the episode.
        choice: Index of the workload in the list of restartable ones, as a fraction in [0, 1).
        rolling: True: a rolling restart; False: one of its pods was deleted.
    """

    before_s: float
    choice: float
    rolling: bool = True


@dataclass(frozen=True)
class History:
    """The history of a simulated cluster before an episode.

    Attributes:
        cluster_s: Seconds from the start of the cluster to the deployment of the application.
        application_s: Seconds from the deployment to the episode's warm-up.
        restarts: Restarts during `application_s`, in any order.
        load: Load of the application.
    """

    cluster_s: float = 0.0
    application_s: float = 0.0
    restarts: tuple[PastRestart, ...] = ()
    load: Load = Load()
