"""What a system has behind it when an episode begins."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Load:
    """What users ask of an application.

    Attributes:
        level: How much, in terms of what its manifests say.
        mix: The seed from which the share of each kind of request follows; None for the shares of
            its manifests.
    """

    level: float = 1.0
    mix: int | None = None

    def weight(self, kind: str, low: float, high: float) -> float:
        """What follows from the seed for one kind of request, between two weights."""
        # No secret hangs on it: whoever sees a world sees the shares.
        return Random(f"share of {kind}, seed {self.mix}").uniform(low, high)  # noqa: S311


@dataclass(frozen=True)
class PastRestart:
    """Something that made a workload of the application start anew while all was well.

    Attributes:
        before_s: How long before the episode.
        choice: Which of the workloads that can be restarted, as a share in [0, 1) of their list.
        rolling: Whether somebody restarted the workload; else one of its pods was deleted.
    """

    before_s: float
    choice: float
    rolling: bool = True


@dataclass(frozen=True)
class History:
    """What passed in a simulated cluster before an episode.

    Attributes:
        cluster_s: From the start of the cluster to the deployment of the application.
        application_s: From the deployment of the application to the episode's warm-up.
        restarts: What happened in between, in any order.
        load: What users ask of the application.
    """

    cluster_s: float = 0.0
    application_s: float = 0.0
    restarts: tuple[PastRestart, ...] = ()
    load: Load = Load()
