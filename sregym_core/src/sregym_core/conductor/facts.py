"""What oracles judge an episode by, and clients of the harness that see what users see."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sregym_core.conductor.states import KeptStates
from sregym_core.interfaces import ClusterSpec, OracleContext
from sregym_core.salt import salted_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.setup import Setup
    from sregym_core.conductor.states import Found
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, Cluster, Prober, Traffic
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef


def facts_of(
    world: World, plan: EpisodePlan, setup: Setup, found: Found | None, salt: str
) -> OracleContext:
    """All of it but what was submitted."""
    cluster, application, objects = world.cluster, setup.application, world.baseline.objects
    states = None
    if found is not None:
        known = setup.states if plan.extra_setup is None else {}
        states = KeptStates(cluster, application, setup.faults, found, plan.seed, salt, known)
    return OracleContext(
        cluster=cluster,
        application=application,
        problem=plan.problem,
        ground_truths=setup.truths,
        faults=setup.faults,
        baseline=world.baseline,
        states=states,
        probe=_clients(cluster, application, objects, plan.seed, salt),
        brief=plan.brief,
    )


def _clients(
    cluster: Cluster,
    application: Application,
    objects: Mapping[str, KubeObject],
    seed: int,
    salt: str,
) -> Callable[[float, Sequence[ObjectRef]], Traffic] | None:
    """What `OracleContext.probe` is; None where the application does not say how.

    Args:
        cluster: That of the episode.
        application: Whose users are imitated.
        objects: The baseline.
        seed: Of the episode.
        salt: From which the name of the namespace follows.
    """
    # Episodes with one seed may share a cluster, each with namespaces of its own.
    namespace = f"ns-{salted_seed(salt, 'clients', seed, *application.namespaces):016x}"
    prober = application.prober(objects, namespace)
    if prober is None:
        return None
    return partial(_probe, cluster, application, prober, seed, salt)


def _probe(
    cluster: Cluster,
    application: Application,
    prober: Prober,
    seed: int,
    salt: str,
    seconds: float,
    anew: Sequence[ObjectRef] = (),
) -> Traffic:
    """What they saw; in a copy where there can be one, so that the system itself notices nothing.

    Only there these workloads are restarted before: what was written for the next start of a
    process shows then.
    """
    checkpoint = cluster.checkpoint()
    if checkpoint is None:
        return cluster.operations.probe(prober, seconds)
    copied = checkpoint.fork(ClusterSpec(seed=seed, applications=(application,), salt=salt))
    try:
        copied.operations.restart(anew)
        return copied.operations.probe(prober, seconds)
    finally:
        copied.close()
