"""How a change of a pod template ends: with the old pods gone, or in a rollout that is stuck.

A rolling update whose new pods never become ready keeps old ones, which go on serving. A fault defines
which end it means (`Rollout`); `workloads.roll_out` brings it about, and `outstanding` looks at the
running system until it has come.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict
from sregym_core.model import ROLLING_KINDS
from sregym_kubernetes.pod_trouble import pod_trouble

from sregym_injectors.pods import is_ready, not_terminating, pods_of

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import GroundTruth, ObjectRef


# A new pod that is not ready after so long keeps its rollout from going on.
STUCK_S = 60.0


class Rollout(StrEnum):
    """How a rollout of a broken template ends."""

    REPLACED = "replaced"
    STUCK = "stuck"


class RolloutParameters(BaseModel):
    """Parameters of faults on pod templates.

    Attributes:
        rollout: `replaced`: no old pod is left, and users notice. `stuck`: old pods go on serving
            while the new ones do not become ready; such a problem is silent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rollout: Rollout = Rollout.REPLACED


def chosen_rollout(context: FaultContext) -> Rollout:
    """What the fault's parameters say; the old pods go where they say nothing."""
    parameters = context.parameters
    return parameters.rollout if isinstance(parameters, RolloutParameters) else Rollout.REPLACED


def replaces_all_pods(workload: KubeObject) -> bool:
    """Whether an update takes all old pods away, also when no new one gets ready."""
    kind, spec = workload["kind"], workload["spec"]
    wanted = _wanted(workload)
    if wanted == 0:
        return True
    if kind == "Deployment":
        strategy = spec.get("strategy") or {}
        if spec.get("paused"):
            return False
        return strategy.get("type") == "Recreate" or _deployment_gap(strategy, wanted) >= wanted
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate") or {}
    if strategy.get("type") == "OnDelete" or rolling.get("partition", 0) > 0:
        return False
    return max(1, pod_count(rolling.get("maxUnavailable", 1), wanted, up=True)) >= wanted


def _wanted(workload: KubeObject) -> int:
    if workload["kind"] == "DaemonSet":
        # One for each fitting node; a set that its controller has not seen yet counts as one.
        return int((workload.get("status") or {}).get("desiredNumberScheduled", 1))
    return int(workload["spec"].get("replicas", 1))


def _deployment_gap(strategy: dict[str, Any], wanted: int) -> int:
    """How many pods of a Deployment may be missing during a rolling update."""
    rolling = strategy.get("rollingUpdate") or {}
    missing = pod_count(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    surge = pod_count(rolling.get("maxSurge", "25%"), wanted, up=True)
    # With neither room above nor below nothing could move: one may be missing then.
    return missing if missing or surge else 1


def pod_count(amount: int | str, wanted: int, *, up: bool) -> int:
    """A number of pods, given as it is or as a percentage of the wanted ones."""
    if not isinstance(amount, str):
        return int(amount)
    parts = int(amount.rstrip("%")) * wanted
    return -(-parts // 100) if up else parts // 100


def outstanding(cluster: Cluster, ref: ObjectRef, rollout: Rollout) -> str:
    """What is still missing until the rollout of a broken template has ended as meant.

    Empty once it has, and for workloads whose pods follow no template. Looks at the counts that the
    workload's own controller writes, and for a stuck rollout at why the new pods are not ready.
    """
    workload = cluster.get(ref)
    if workload is None or ref.kind not in ROLLING_KINDS:
        return ""
    status = workload.get("status") or {}
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 0):
        return f"the controller of {ref} has not looked at the changed template yet"
    old = _old_pods(workload, status)
    if rollout is Rollout.REPLACED:
        noun = "pod" if old == 1 else "pods"
        return f"{ref} still has {old} {noun} of the template before" if old > 0 else ""
    pods = not_terminating(pods_of(cluster, workload))
    if old <= 0 or not any(map(is_ready, pods)):
        return f"{ref} has no ready pod of the template before: its rollout is not stuck"
    if not any(_fails(pod, cluster.clock.now()) for pod in pods):
        return f"{ref} has no new pod that fails: its rollout goes on"
    return ""


def _fails(pod: KubeObject, now: float) -> bool:
    """Whether a pod does not become ready: for a reason that lasts, or for so long."""
    trouble = pod_trouble(pod)
    if trouble is None:
        return False
    created = pod["metadata"].get("creationTimestamp", "")
    age_s = now - datetime.fromisoformat(created).timestamp() if created else 0.0
    return trouble.lasting or age_s >= STUCK_S


def _old_pods(workload: KubeObject, status: dict[str, Any]) -> int:
    if workload["kind"] == "DaemonSet":
        total = status.get("desiredNumberScheduled", 0)
        return int(total) - int(status.get("updatedNumberScheduled", 0))
    return int(status.get("replicas", 0)) - int(status.get("updatedReplicas", 0))


def truth_of_stuck(truth: GroundTruth, ref: ObjectRef) -> GroundTruth:
    """The ground truth of a broken template whose rollout is stuck: no user suffers from it yet.

    Args:
        truth: Of the broken template.
        ref: The workload.
    """
    return truth.model_copy(
        update={
            "affected": (),
            "impact": f"The rollout of {ref.name} is stuck: its old pods go on serving, and users "
            "notice nothing yet.",
            "impact_phrases": (*_NO_IMPACT, *_STUCK_PHRASES),
        }
    )


_STUCK_PHRASES = (
    "rollout is stuck",
    "stuck rollout",
    "rollout does not progress",
    "rollout does not complete",
    "rolling update is stuck",
    "ProgressDeadlineExceeded",
    "new pods do not become ready",
)
_NO_IMPACT = (
    "no user-visible impact",
    "users are not affected",
    "old pods keep serving",
    "old pods still serve",
    "the previous version keeps serving",
)
