"""What lies between the deployment of an application and its last hours."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from random import Random
from typing import TYPE_CHECKING

from sregym_core.model import ObjectRef
from sregym_kubernetes.changes import restart
from sregym_kubernetes.changes.delivery import DELIVERERS, PATCH, delivery_of
from sregym_kubernetes.changes.people import as_chosen_person

from sregym_routine_kubernetes import mishaps
from sregym_routine_kubernetes.parts import changeable
from sregym_routine_kubernetes.requests import create_leftovers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import (
        Actor,
        Application,
        Cluster,
        History,
        PastRestart,
        RoutineContext,
    )
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_routine_kubernetes.moments import Moment

# How long before the present CronJobs of an application begin to run: more than is kept of them.
RUNS_S = (5400.0, 14400.0)
# How many parts have containers that ended now and then for as long as anybody looks back (for want of
# memory, by a probe that was late), and how often each: less often than what ends in the last hours.
ENDED = (2, 4)
ENDS = (1, 4)
# When, in seconds before the present: between two ends a kubelet forgets that it waited.
ENDED_S = (10_800.0, 864_000.0)
_KEPT = ("name", "namespace", "labels", "annotations")


def live_through(context: RoutineContext, history: History) -> None:
    """Play the past of an application that was deployed just now.

    Args:
        context: Its world.
        history: What it is to have behind it.

    Raises:
        WorldError: It did not get ready, or did not again after a restart.
    """
    cluster, application, seed = context.cluster, context.application, context.seed
    clock = cluster.clock
    now = clock.now() + history.application_s
    create_leftovers(cluster, changeable(application), seed)
    late = _take_back(cluster, application)
    context.wait_ready(without=late)
    restarts: list[Moment] = [
        (-one.before_s, partial(_restart_and_wait, context, one, late)) for one in history.restarts
    ]
    ends = _ends(cluster, application, history.application_s, seed)
    for before, act in sorted([*restarts, *ends], key=itemgetter(0)):
        clock.advance(max(0.0, now + before - clock.now()))
        act()
    if late:
        chance = Random(f"first runs of CronJobs, seed {seed}")  # noqa: S311 - a game, no secret
        clock.advance(max(0.0, now - round(chance.uniform(*RUNS_S), 3) - clock.now()))
        for obj, actor in late.values():
            cluster.create(obj, actor)


def _ends(cluster: Cluster, application: Application, span_s: float, seed: int) -> Iterator[Moment]:
    """Ends of containers within so many seconds, by the seconds (below 0) from the present."""
    chance = Random(f"ends of containers, seed {seed}")  # noqa: S311 - a game, no secret
    able = mishaps.crashable(changeable(application))
    first, last = ENDED_S[0], min(ENDED_S[1], 0.9 * span_s)
    for part in chance.sample(able, min(len(able), chance.randint(*ENDED))):
        for _ in range(chance.randint(*ENDS)):
            moment = round(chance.uniform(first, max(first, last)), 3)
            yield -moment, partial(mishaps.crash, cluster, part, chance)


def _take_back(
    cluster: Cluster, application: Application
) -> dict[ObjectRef, tuple[KubeObject, Actor]]:
    """Delete the application's CronJobs: their runs of months would be worked out one by one.

    They are created again when as much is left as can be seen of their runs.
    """
    taken: dict[ObjectRef, tuple[KubeObject, Actor]] = {}
    for manifest in application.manifests():
        ref = ObjectRef.of(manifest)
        live = cluster.get(ref) if ref.kind == "CronJob" else None
        if live is None:
            continue
        metadata = {key: live["metadata"][key] for key in _KEPT if key in live["metadata"]}
        body = {**{key: live[key] for key in ("apiVersion", "kind", "spec")}, "metadata": metadata}
        taken[ref] = (body, DELIVERERS[delivery_of(live)])
        cluster.delete(ref)
    return taken


def _restart_and_wait(
    context: RoutineContext, past: PastRestart, late: dict[ObjectRef, tuple[KubeObject, Actor]]
) -> None:
    _restart(context.cluster, context.application, past)
    context.wait_ready(without=late)


def _restart(cluster: Cluster, application: Application, past: PastRestart) -> None:
    components = [part for part in application.components() if _keeps_nothing(part)]
    if not components:
        return
    component = components[int(past.choice * len(components))]
    workload = component.workload
    if past.rolling:
        restart(cluster, workload)
        return
    labels = ",".join(f"{key}={value}" for key, value in sorted(component.pod_labels.items()))
    pods = cluster.list("v1", "Pod", workload.namespace, labels)
    if pods:
        name = min(pod["metadata"]["name"] for pod in pods)
        ref = ObjectRef(api_version="v1", kind="Pod", namespace=workload.namespace, name=name)
        cluster.delete(ref, actor=as_chosen_person(cluster, PATCH, ref))


def _keeps_nothing(component: Component) -> bool:
    """Whether a part loses nothing by a restart that others would miss."""
    return component.kind == "service" and component.workload.kind == "Deployment"
