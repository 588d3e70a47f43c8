"""A rolling restart of a workload, as `kubectl rollout restart` makes it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_kubernetes.changes.delivery import RESTART
from sregym_kubernetes.changes.people import as_chosen_person

if TYPE_CHECKING:
    from sregym_core.interfaces import Actor, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


def restart(cluster: Cluster, ref: ObjectRef, actor: Actor = RESTART) -> KubeObject:
    """Restart a workload's pods by a rolling update; its template gets kubectl's annotation."""
    moment = datetime.fromtimestamp(int(cluster.clock.now()), UTC)
    annotations = {RESTARTED_AT: moment.strftime("%Y-%m-%dT%H:%M:%SZ")}
    patch = {"spec": {"template": {"metadata": {"annotations": annotations}}}}
    return cluster.patch(ref, patch, "strategic", as_chosen_person(cluster, actor, ref))
