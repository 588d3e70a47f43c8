"""Each fault in running applications: users feel it, the reference fix heals it, undo restores it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_app_deathstarbench.social_network.application import SocialNetwork
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import UsageError
from sregym_core.interfaces import Application, Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import ObjectRef, Outcome
from sregym_injector_kubernetes.plugin import sregym_register_injectors
from sregym_injectors.edits import Edits
from sregym_injectors.rollouts import Rollout, outstanding
from sregym_injectors.workloads import ready_pod, roll_out, rolled_out
from sregym_kubernetes.operations.objects import capture, differences
from sregym_kubernetes.operations.ordered_pods import delete_blocking_pods

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
FAULTS = {registration.name: registration.load()() for registration in sregym_register_injectors()}
# Each fault on a store, which clients hold on to, and on a service that must be rolled over.
CASES = [
    ("service-target-port", "mongodb-rate"),
    ("service-target-port", "frontend"),
    ("service-selector", "memcached-profile"),
    ("service-missing", "consul"),
    ("configmap-missing", "mongodb-geo"),
    ("configmap-missing", "search"),
    ("configmap-drift", "geo"),
    ("resource-limit", "mongodb-rate"),
    ("resource-limit", "geo"),
    ("replicas-zero", "recommendation"),
    ("replicas-zero", "mongodb-geo"),
    ("image-wrong", "mongodb-profile"),
    ("image-wrong", "frontend"),
    ("node-selector", "mongodb-rate"),
    ("spread-impossible", "geo"),
    ("request-too-large", "profile"),
    ("liveness-probe-wrong", "frontend"),
    ("liveness-probe-wrong", "consul"),
    ("readiness-probe-wrong", "frontend"),
    ("readiness-probe-wrong", "memcached-rate"),
    ("probe-impatient", "mongodb-rate"),
    ("command-wrong", "search"),
    ("command-wrong", "consul"),
    ("init-hang", "recommendation"),
    ("claim-missing", "mongodb-rate"),
    ("security-context", "profile"),
    ("sidecar-port", "mongodb-rate"),
    ("taint", "geo"),
    ("env-wrong", "nginx-thrift"),
    ("namespace-policy", "mongodb-rate"),
    ("webhook-down", "geo"),
    ("volume-elsewhere", "search"),
    ("rollout-strategy", "profile"),
    ("rollout-skew", "nginx-thrift"),
    ("readiness-gate", "frontend"),
    ("sidecar-stuck", "geo"),
    ("preemption", "rate"),
    ("pod-sysctl", "rate"),
    ("room-missing", "search"),
    ("secret-wrong", "mongodb-geo"),
    ("host-port", "frontend"),
    ("image-incompatible", "mongodb-rate"),
    ("buggy-build", "geo"),
    ("rbac-missing", "recommendation"),
    ("env-shadowed", "nginx-thrift"),
    ("cpu-limit", "frontend"),
    ("pull-refused", "profile"),
]
# Of what users notice nothing.
SILENT = [
    ("autoscaler-wrong", "recommendation"),
    ("job-backlog", "reservation"),
    ("claim-shared", "search"),
    ("disruption-budget", "search"),
    ("store-sized-for-hits", "media-mongodb"),  # nothing has emptied a cache yet
]
# What they do takes longer than the users are looked at.
SLOW = [("leak", "recommendation")]
FIRST = list({name: (name, target) for name, target in reversed([*CASES, *SILENT, *SLOW])}.values())
# Those that change nothing but a template: that one base undoes it is held by the contract in memory.
PLAIN = (
    "node-selector", "spread-impossible", "request-too-large", "liveness-probe-wrong",
    "readiness-probe-wrong", "probe-impatient", "command-wrong", "init-hang", "security-context",
    "sidecar-port", "env-wrong", "env-shadowed", "room-missing", "readiness-gate", "sidecar-stuck",
    "cpu-limit", "store-sized-for-hits", "pod-sysctl",
)  # fmt: skip
SOCIAL = SocialNetwork()
ELSEWHERE = {"nginx-thrift": SOCIAL, "media-mongodb": SOCIAL}


@pytest.fixture(scope="module")
def healthy() -> Iterator[Callable[[Application], Checkpoint]]:
    """Applications, ready and under load; each is put up when it is first asked for."""
    clusters: dict[str, tuple[Cluster, Checkpoint]] = {}

    def put_up(application: Application) -> Checkpoint:
        if application.name not in clusters:
            cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
            application.deploy(cluster)
            assert cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 2.0)
            cluster.clock.advance(60.0)
            checkpoint = cluster.checkpoint()
            assert checkpoint is not None
            clusters[application.name] = cluster, checkpoint
        return clusters[application.name][1]

    yield put_up
    for cluster, _ in clusters.values():
        cluster.close()


@pytest.fixture
def live(healthy: Callable[[Application], Checkpoint]) -> Iterator[Cluster]:
    cluster = healthy(APPLICATION).fork(SPEC)
    yield cluster
    cluster.close()


@pytest.fixture
def playing(healthy: Callable[[Application], Checkpoint]) -> Iterator[Callable[..., FaultContext]]:
    """The context in which a fault meets a target, in a world of its own."""
    forked = []

    def make(name: str, target: str) -> FaultContext:
        application = ELSEWHERE.get(target, APPLICATION)
        spec = ClusterSpec(seed=7, applications=(application,))
        forked.append(healthy(application).fork(spec))
        component = application.component(target)
        assert component is not None
        parameters = FAULTS[name].Parameters()
        return FaultContext(forked[-1], application, component, parameters, UndoJournal())

    yield make
    for cluster in forked:
        cluster.close()


def served(context: FaultContext) -> float:
    """Success rate of the last 30 of 60 further seconds."""
    context.cluster.clock.advance(60.0)
    return context.application.traffic(context.cluster, 30.0).success_rate


def test_every_fault_is_played():
    # These applications have no flags; `test_flag_flipped` tries that fault. Nodes have the contract.
    # Problems and pairs of other applications prove those that need builds or settings.
    others = [
        *(
            "flag-flipped",
            "maintenance-stuck",
            "grace-too-short",
            "config-stale",
            "config-oversized",
            "env-missing",
        ),
        *("fan-out", "protocol-skew", "fallback-missing"),
    ]
    assert sorted(FAULTS) == sorted([*others, *(name for name, _ in FIRST)])


@pytest.mark.parametrize(("name", "target"), [*CASES, *SILENT])
def test_it_hurts_and_heals(playing: Callable[..., FaultContext], name: str, target: str):
    fault, context = FAULTS[name], playing(name, target)
    assert fault.mismatch_reason(context.component) == ""
    live, application = context.cluster, context.application
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    assert live.clock.wait_until(lambda: not fault.outstanding(context), 120.0)
    live.clock.advance(30.0)
    rate = served(context)
    assert rate > 0.99 if (name, target) in SILENT else rate < 0.7
    if name == "job-backlog":  # the run that hangs is part of the defect
        live.clock.advance(120.0)
    for command in fault.reference_fix(context):
        result = live.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    assert fault.present(context).outcome == Outcome.PASS
    assert application.ready(live) == []
    live.clock.advance(30.0)
    assert served(context) >= 0.995


def test_a_leak_is_killed_for_its_memory_again_and_again_and_heals(
    playing: Callable[..., FaultContext],
):
    fault, context = FAULTS["leak"], playing("leak", "recommendation")
    live, application = context.cluster, context.application
    namespace = application.namespaces[0]

    def killed() -> list[int]:
        """Restarts of containers that were killed for their memory."""
        return [
            status["restartCount"]
            for pod in live.list("v1", "Pod", namespace)
            for status in pod["status"].get("containerStatuses", [])
            if status["lastState"].get("terminated", {}).get("reason") == "OOMKilled"
        ]

    assert killed() == []
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    assert live.clock.wait_until(lambda: bool(killed()) and max(killed()) >= 2, 3600.0)
    for command in fault.reference_fix(context):
        assert live.kubectl(command).ok
    assert fault.present(context).outcome == Outcome.PASS
    live.clock.advance(1800.0)
    assert killed() == []
    assert served(context) >= 0.995


@pytest.mark.parametrize(("name", "target"), [case for case in FIRST if case[0] not in PLAIN])
def test_undo_restores_it(playing: Callable[..., FaultContext], name: str, target: str):
    fault, context = FAULTS[name], playing(name, target)
    live, namespaces = context.cluster, context.application.namespaces
    before = capture(live, namespaces), live.hidden_state()
    fault.inject(context)
    live.clock.advance(30.0)
    assert isinstance(context.journal, UndoJournal)
    context.journal.undo_objects(live)
    live.clock.advance(60.0)  # claims are kept as long as pods that mount them
    after = capture(live, namespaces), live.hidden_state()
    assert (list(differences(before[0], after[0])), after[1]) == ([], before[1])


def test_a_store_without_a_cache_beside_it(playing: Callable[..., FaultContext]):
    context = playing("store-sized-for-hits", "mongodb-geo")
    given = context.parameters.model_copy(update={"cold": True})
    with pytest.raises(UsageError) as caught:
        FAULTS["store-sized-for-hits"].replay(replace(context, parameters=given))
    assert str(caught.value) == (
        "no cache stands beside datastore 'mongodb-geo': none has a caller in common with it; leave "
        "the parameter cold out, or choose another target"
    )


RING = ObjectRef(
    api_version="apps/v1", kind="StatefulSet", namespace="hotel-reservation", name="ring"
)


def ring(cluster: Cluster) -> ObjectRef:
    """A StatefulSet of three pods in order, all ready, of an image that the cluster knows."""
    memcached = APPLICATION.component("memcached-rate")
    assert memcached is not None
    labels = {"app": "ring"}
    container = {"name": "cache", "image": memcached.image}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 3, "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": RING.name, "namespace": RING.namespace}
    cluster.create(
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": metadata, "spec": spec}
    )
    assert cluster.clock.wait_until(lambda: rolled_out(cluster.get(RING) or {}), 300.0)
    return RING


def test_a_broken_template_of_a_stateful_set_ends_with_its_old_pods_gone(live: Cluster):
    journal, geo = UndoJournal(), APPLICATION.component("geo")
    assert geo is not None
    ref = ring(live)
    entry = {"name": "cache", "image": "memcached:9.9.9-absent"}
    patch = {"spec": {"template": {"spec": {"containers": [entry]}}}}
    roll_out(Edits(FaultContext(live, APPLICATION, geo, None, journal)), ref, patch)
    assert live.clock.wait_until(lambda: not outstanding(live, ref, Rollout.REPLACED), 120.0)
    assert ready_pod(live, ref) is None
    journal.undo_objects(live)
    live.clock.advance(120.0)
    assert ready_pod(live, ref) is None  # it waits for a broken pod before it touches any other
    delete_blocking_pods(live, APPLICATION.namespaces)
    assert live.clock.wait_until(lambda: rolled_out(live.get(ref) or {}), 300.0)


def test_a_stuck_rollout_is_felt_by_nobody_and_heals(live: Cluster):
    fault, component = FAULTS["image-wrong"], APPLICATION.component("frontend")
    assert component is not None
    live.patch(component.workload, {"spec": {"replicas": 2}}, "merge")
    live.clock.wait_until(lambda: rolled_out(live.get(component.workload) or {}), 300.0)
    parameters = fault.Parameters(rollout="stuck")
    context = FaultContext(live, APPLICATION, component, parameters, UndoJournal())
    before = live.get(component.workload)
    fault.inject(context)
    assert live.clock.wait_until(lambda: not fault.outstanding(context), 120.0)
    assert fault.present(context).outcome == Outcome.FAIL
    assert served(context) >= 0.995
    truth = fault.ground_truth(context)
    assert (truth.affected, truth.impact) == (
        (),
        "The rollout of frontend is stuck: its old pods go on serving, and users notice nothing yet.",
    )
    for command in fault.reference_fix(context):
        assert live.kubectl(command).ok
    after = live.get(component.workload)
    assert before is not None
    assert after is not None
    assert rolled_out(after)
    assert before["spec"] == after["spec"]
