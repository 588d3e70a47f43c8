"""The everyday life of an application on Kubernetes, from its deployment to the agent's first look."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Routine

from sregym_routine_kubernetes.hours import live_last_hours
from sregym_routine_kubernetes.incidental import leave_traces
from sregym_routine_kubernetes.past import live_through
from sregym_routine_kubernetes.schedule import (
    quiet_before,
    rollouts_begun,
    routine_after,
    routine_before,
)

if TYPE_CHECKING:
    from sregym_core.interfaces import EpisodeRoutineContext, History, RoutineContext


class KubernetesRoutine(Routine):
    """What people, pipelines and the kubelet do to any application on Kubernetes."""

    name: ClassVar[str] = "kubernetes"

    def quiet_s(self, seed: int) -> float:
        """Never a round number: people do not deploy to the second."""
        return quiet_before(seed)

    def past(self, context: RoutineContext, history: History) -> None:
        """Restarts, and things that are left behind; CronJobs have as many runs as can be seen."""
        live_through(context, history)

    def before_baseline(self, context: RoutineContext) -> None:
        """Changes, and requests that pass or are refused."""
        routine_before(context)

    def before_fault(self, context: EpisodeRoutineContext) -> None:
        """Containers that end, notes, sessions, Warnings, and ignored alerts."""
        live_last_hours(context.cluster, context.application, context.journal, _whose(context))
        leave_traces(context.cluster, context.application, _whose(context))

    def after_fault(self, context: EpisodeRoutineContext) -> None:
        """Fewer of the same as before the baseline."""
        routine_after(
            context.cluster,
            context.application,
            context.journal,
            context.involved,
            _whose(context),
        )

    def before_agent(self, context: EpisodeRoutineContext) -> None:
        """Rollouts that have just begun, where something is not ready."""
        rollouts_begun(
            context.cluster,
            context.application,
            context.journal,
            context.involved,
            _whose(context),
        )


def _whose(context: EpisodeRoutineContext) -> str:
    """Of each problem another life."""
    return f"seed {context.seed}, {context.problem}"
