"""Noise of all sources together: nothing tells that it is noise, and afterwards it is gone."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.api import Environment, play
from sregym_core.conductor.timeline import Timeline
from sregym_core.events import NoiseMade
from sregym_core.interfaces import Agent, ClusterSpec, NoiseContext
from sregym_core.model import Outcome
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_injectors.noise.pump import NoisePump
from sregym_kubernetes.operations.objects import capture, differences

HINTS = re.compile("noise|chaos|(?<!de)fault|sregym|benchmark|inject|decoy|zombie|distract")
KINDS = (
    *(("v1", kind) for kind in ("ConfigMap", "Secret", "Service", "PersistentVolumeClaim", "Event")),
    *(("v1", kind) for kind in ("LimitRange", "ResourceQuota", "Pod", "Node")),
    *(("apps/v1", "Deployment"), ("batch/v1", "Job"), ("batch/v1", "CronJob")),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
)  # fmt: skip


@pytest.fixture(scope="module")
def checkpoint():
    application = HotelReservation()
    cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 2.0)
    cluster.clock.advance(120.0)
    yield cluster.checkpoint()
    cluster.close()


def begun(checkpoint, level, names=None):
    """A pump of all sources in a fork, after ten minutes."""
    application = HotelReservation()
    cluster = checkpoint.fork(ClusterSpec(seed=7, applications=(application,)))
    registry = Registry(Plugins(Settings()))
    names = names or registry.names("noise source")
    sources = [registry.make("noise source", name) for name in names]
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    levels = dict.fromkeys(names, level)
    context = NoiseContext(cluster, application, ("geo",), 5)
    pump = NoisePump(sources, context, timeline.record, levels=levels)
    for _ in range(60):
        cluster.clock.advance(10.0)
        pump.due()
    return cluster, application, timeline, pump


def words_of(cluster):
    """All that an agent can list, and what alerts say."""
    texts = [obj for version, kind in KINDS for obj in cluster.list(version, kind)]
    logs = [
        cluster.logs(pod["metadata"]["namespace"], pod["metadata"]["name"])
        for pod in cluster.list("v1", "Pod", "hotel-reservation")
        if pod["status"]["phase"] == "Running"
    ]
    alerts = cluster.observe("alertmanager", "/api/v2/alerts").body.decode()
    return [*(json.dumps(obj) for obj in texts), *logs, alerts]


def test_nothing_tells_what_it_is_and_all_of_it_goes(checkpoint):
    application = HotelReservation()
    quiet = checkpoint.fork(ClusterSpec(seed=7, applications=(application,)))
    before = capture(quiet, application.namespaces)
    usual = {found for text in words_of(quiet) for found in HINTS.findall(text.lower())}
    cluster, application, timeline, pump = begun(checkpoint, 3)
    assert {entry.fields["noise"] for entry in timeline.entries} == {
        *Registry(Plugins(Settings())).names("noise source")
    }
    found = {found for text in words_of(cluster) for found in HINTS.findall(text.lower())}
    assert found - usual == set()
    told = [entry for entry in timeline.entries if "geo" in entry.fields["subjects"]]
    assert told == []
    pump.stop()
    cluster.clock.wait_until(lambda: not application.ready(cluster), 300.0, 5.0)
    assert application.ready(cluster) == []
    after = capture(cluster, application.namespaces)
    assert [*differences(before, after)] == []
    assert cluster.nodes.settings() == quiet.nodes.settings()
    alerts = json.loads(cluster.observe("alertmanager", "/api/v2/alerts").body)
    assert [alert for alert in alerts if "example.com" in alert["generatorURL"]] == []


# What makes objects for good reasons, by field manager; what noise and faults make is by these.
TOOLS = re.compile(r"kubectl-(create|client-side-apply|edit|patch)|cert-manager-[\w-]+")
# Faults that make objects in place of changing some, each of another kind.
MAKERS = (
    "network_policy_block",
    "namespace_memory_limit",
    "admission_webhook_outage_hotel_reservation",
)
SYSTEM = {"kube-controller-manager", "kubelet", "kube-scheduler"}


def made(cluster, before):
    """What somebody has made since, Events and what controllers own left out."""
    now = capture(cluster, HotelReservation().namespaces)
    return [obj for name, obj in now.items() if name not in before]


def tools(objects):
    entries = (entry for obj in objects for entry in obj["metadata"].get("managedFields", ()))
    return {entry["manager"] for entry in entries} - SYSTEM


def marks(obj):
    metadata = obj["metadata"]
    return {*(metadata.get("labels") or {}), *(metadata.get("annotations") or {})}


class Lists(Agent):
    """Keeps the objects of kinds of which the application has none."""

    name = "lists"

    def __init__(self):
        self.found = []

    def run(self, session):
        now = capture(session._cluster, HotelReservation().namespaces)
        declared = {"NetworkPolicy", "ResourceQuota", "MutatingWebhookConfiguration"}
        declared.add("ValidatingWebhookConfiguration")
        self.found = [obj for obj in now.values() if obj["kind"] in declared]


def test_what_noise_makes_looks_like_what_faults_make(checkpoint):
    """No tool, label or annotation tells the one from the other, and leftovers are old."""
    application = HotelReservation()
    quiet = checkpoint.fork(ClusterSpec(seed=7, applications=(application,)))
    before = capture(quiet, application.namespaces)
    noise = []
    for level in (1, 3):
        cluster, *_ = begun(checkpoint, level)
        noise += made(cluster, before)
        now = cluster.clock.now()
        cluster.close()
    fault = []
    for problem in MAKERS:
        agent = Lists()
        play(problem, agent, seed=3, mode="diagnosis-only")
        assert agent.found, problem
        fault += agent.found
    assert {tool for tool in tools([*noise, *fault]) if not TOOLS.fullmatch(tool)} == set()
    assert tools(fault) <= tools(noise)
    own = {key for obj in before.values() for key in marks(obj)}
    assert {key for obj in fault for key in marks(obj)} <= own | {
        k for o in noise for k in marks(o)
    }
    assert set.intersection(*(marks(obj) for obj in noise)) == set()
    old = [
        obj
        for obj in noise
        if obj["kind"] in ("ConfigMap", "LimitRange", "CronJob", "NetworkPolicy")
    ]
    ages = [
        now - datetime.fromisoformat(o["metadata"]["creationTimestamp"]).timestamp() for o in old
    ]
    assert len(old) >= 2
    assert min(ages) > 7000


@pytest.mark.parametrize("level", [1, 2])
def test_users_of_a_healthy_system_are_served(checkpoint, level):
    names = ["cpu-neighbour", "network-delay", "false-alerts", "label-edit", "campaign", "decoys"]
    cluster, application, timeline, _ = begun(checkpoint, level, names)
    assert len(timeline.entries) >= 6
    assert application.traffic(cluster, 540.0).success_rate >= 0.99
    cluster.close()


def test_the_record_tells_of_it():
    problem = "wrong_service_selector_hotel_reservation"
    heard = []
    with Environment(
        problem,
        seed=4,
        noise=["pod-restart=0"],
        noise_level=2,
        on_event=lambda _, event: heard.append(event),
    ) as environment:
        environment.reset()
        victim = next(
            name for event in heard if isinstance(event, NoiseMade) for name in event.subjects
        )
        environment.submit(f"The cause is {victim}, which is overloaded.")
        record = environment.end()
    assert (record.noise_level, len(record.noise)) == (2, 8)
    assert set(record.noise.values()) == {2}
    assert "pod-restart" not in record.noise
    assert record.outcome is Outcome.FAIL
    assert len(record.noise_blamed) >= 1
    assert record.recovered
