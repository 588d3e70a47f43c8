"""How a world was made does not tell what is broken in it."""

from __future__ import annotations

from collections import Counter

import pytest
from sregym_agents.survey import list_everything
from sregym_agents.survey.shortcuts import restarts
from sregym_core.conductor import ComponentFactory, EpisodePlan, EpisodePlayer
from sregym_core.conductor.worlds import Worlds
from sregym_core.interfaces import Agent, AgentDescription
from sregym_core.settings import Settings
from sregym_kubernetes.operations.objects import differences
from sregym_routine_kubernetes.programs import PROGRAMS

APPLICATION = "hotel-reservation"
SEEDS = 4
KINDS = (
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
)
# Tools of people and pipelines, the controllers of every cluster, and programs that run beside applications.
PLATFORM = {program.manager for program in PROGRAMS}
MANAGERS = {
    *PLATFORM,
    "kubectl-annotate",
    "kubectl-client-side-apply",
    "kubectl-create",
    "kubectl-edit",
    "kubectl-label",
    "kubectl-patch",
    "kubectl-rollout",
    "kube-controller-manager",
    "kubelet",
}


@pytest.fixture(scope="module")
def factory() -> ComponentFactory:
    return ComponentFactory(Settings())


@pytest.fixture(scope="module")
def worlds(factory) -> Worlds:
    return factory.worlds("embedded", {})


def objects(cluster, namespace=APPLICATION):
    return [obj for version, kind in KINDS for obj in cluster.list(version, kind, namespace)]


def managers(cluster):
    return {
        entry["manager"]
        for obj in objects(cluster)
        for entry in obj["metadata"].get("managedFields", ())
    }


def names_of_pods(cluster):
    return [pod["metadata"]["name"] for pod in cluster.list("v1", "Pod", APPLICATION)]


def played(factory, worlds, problem, agent, seed, recover=False):
    plan = EpisodePlan("e0001", problem, AgentDescription.of(agent), seed, recover=recover)
    return EpisodePlayer(factory, worlds, plan).play(agent)


class Looks(Agent):
    name = "looks"

    def __init__(self) -> None:
        self.managers: set[str] = set()
        self.moments: set[str] = set()

    def run(self, session) -> None:
        self.managers = managers(session._cluster)
        self.moments = {
            entry["time"]
            for obj in objects(session._cluster)
            for entry in obj["metadata"].get("managedFields", ())
            if entry["manager"].startswith("kubectl-") and entry.get("time")
        }


def test_a_healthy_world_has_routine_changes_by_its_seed(factory, worlds) -> None:
    application = factory.application(APPLICATION)
    pods = []
    for seed in (1, 1, 2):
        world = worlds.make(application, 60.0, seed, served=False)
        assert managers(world.cluster) <= MANAGERS
        assert "kubectl-rollout" in managers(world.cluster)
        assert managers(world.cluster) & PLATFORM
        assert application.ready(world.cluster) == []
        assert world.baseline.traffic.success_rate > 0.99
        pods.append(names_of_pods(world.cluster))
        world.cluster.close()
    assert pods[0] == pods[1]
    assert pods[0] != pods[2]


class Counts(Agent):
    name = "counts"

    def __init__(self) -> None:
        self.restarts: Counter[str] = Counter()
        self.complained: list[str] = []

    def run(self, session) -> None:
        seen = list_everything(session)
        self.restarts = restarts(seen)
        # Clients tell of failures alone: theirs reach back furthest.
        named = (seen.of_pod(line.pod) for line in seen.lines)
        self.complained = [name for name in named if name not in (None, "hotel-load")]


def test_each_problem_of_a_world_has_other_last_hours(factory, worlds) -> None:
    """A container that crashes since the fault has been started anew some six times when somebody looks."""
    worst, first = [], []
    for problem in factory.problems.choose([], "lite")[:4]:
        agent = Counts()
        played(factory, worlds, problem, agent, 1)
        ((name, most), (_, second)) = agent.restarts.most_common(2)
        assert most > 6
        assert second > 0
        worst.append(name)
        first.append(agent.complained[0])
    assert len(set(worst)) > 2
    assert len(set(first)) > 2


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_broken_world_shows_tools_of_people_and_is_given_back(factory, worlds, seed) -> None:
    moments: set[str] = set()
    for problem in factory.problems.choose([], "lite"):
        agent = Looks()
        record = played(factory, worlds, problem, agent, seed, recover=True)
        assert (problem.id, record.recovered, record.warnings) == (problem.id, True, ())
        assert agent.managers <= MANAGERS
        assert len(agent.moments) > 3
        moments |= agent.moments
    by_chance = len(moments) / 60
    assert sum(moment.endswith(":00Z") for moment in moments) < 4 * by_chance


def test_what_is_changed_after_the_fault_has_no_part_in_it(factory, worlds) -> None:
    problem = factory.problems.get("missing_service_hotel_reservation")
    seen = []

    class Compares(Agent):
        name = "compares"

        def run(self, session) -> None:
            cluster = session._cluster
            now = {key: cluster.get(ref) for key, ref in refs.items()}
            seen.append(
                [
                    line.split()[1]
                    for line in differences(before, {k: v for k, v in now.items() if v})
                    # Labels and notes tell people something, and no program anything.
                    if " differs at metadata." not in line
                ]
            )

    from sregym_core.model import ObjectRef

    for seed in range(SEEDS):
        world = worlds.make(factory.application(APPLICATION), 60.0, seed, served=False)
        before = dict(world.baseline.objects)
        refs = {key: ObjectRef.of(obj) for key, obj in before.items()}
        world.cluster.close()
        played(factory, worlds, problem, Compares(), seed)
    innocent = {name.partition("/")[2] for found in seen for name in found}
    assert len(innocent) > 5
    assert "mongodb-rate" in innocent  # the Service itself is missing
    assert innocent.isdisjoint({"search", "frontend", "hotel-load", "consul"})
    assert len({len(found) for found in seen}) > 1


def shells(cluster, part):
    """Lines of a database's log about sessions of its shell, and about log-ins that failed from its own pod."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
    (pod,) = cluster.list("v1", "Pod", part.namespace, labels)
    log = cluster.logs(part.namespace, pod["metadata"]["name"], since_s=7200.0).splitlines()
    opened = [line for line in log if '"MongoDB Shell"' in line]
    failed = [line for line in log if "Authentication failed" in line and "127.0.0.1" in line]
    return len(opened), len(failed)


class Reads(Agent):
    name = "reads"

    def __init__(self, databases) -> None:
        self.databases = databases
        self.seen: dict[str, tuple[int, int]] = {}

    def run(self, session) -> None:
        self.seen = {part.name: shells(session._cluster, part) for part in self.databases}


def test_a_session_on_a_database_is_one_of_many(factory, worlds) -> None:
    """People look into databases all day; the fault comes as one more session, and the harness leaves none."""
    databases = [part for part in factory.application(APPLICATION).components() if part.sessions]
    assert len(databases) == 6
    problem = factory.problems.get("revoke_auth_mongodb-1")
    (victim,) = [part for part in databases if part.name == problem.faults[0].target]
    visited, most = [], 0
    for seed in range(SEEDS):
        agent = Reads(databases)
        record = played(factory, worlds, problem, agent, seed, recover=True)
        assert record.recovered, record.reason
        assert {failed for _, failed in agent.seen.values()} == {0}
        counts = {name: opened for name, (opened, _) in agent.seen.items()}
        assert counts[victim.name] >= 1
        visited.append(sum(count > 0 for count in counts.values()))
        most += counts[victim.name] == max(counts.values())
    assert sum(visited) / len(visited) > 3
    assert most < SEEDS
