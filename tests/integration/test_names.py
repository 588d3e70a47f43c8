"""The agent cannot see the answer: nothing in a broken world hints at faults or a harness."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.cluster import EmbeddedCluster
from sregym_core.conductor import ComponentFactory
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.worlds import Worlds
from sregym_core.interfaces import ClusterError
from sregym_core.settings import Settings

HINTS = re.compile(
    r"sregym|fault(?!s?\W*tolera|code)|chaos|inject|benchmark|harness|simulat|embedded", re.I
)
# Words of Kubernetes, Envoy, Spring Boot and FleetCast (a simulation of satellites) that contain one of ours.
INNOCENT = re.compile(
    r"default|faulty?Domain|x-envoy-fault-|(?:context|web)\.embedded\.|(?<=Tomcat)Embedded"
    r"|\bsimulate\b|WEIGHT_SIMULATE",
    re.I,
)
# Applications with so few components that all texts of them are soon read, and those, the smallest first. Counting
# them reads all manifests and service models, for which no collection of tests has the time.
FEW = 20
SMALL = (
    "fleetcast",
    "flight-ticket",
    "blueprint-hotel-reservation",
    "hotel-reservation",
    "hotel-reservation-ingress",
)
PROBLEMS = ComponentFactory(Settings()).problems
# What stands on others, and the largest; of one application in other sizes or with replicated stores, which are
# made by the same code for all, the smallest of each kind is looked at with every run.
COMPOUND = (
    "astronomy-shop-fulfillment",
    "hotel-reservation-ingress",
    "social-network+hotel-reservation+astronomy-shop",
    "train-ticket",
    "synthetic:services=20,load=40,seed=7",
    *("hotel-reservation-tier-expanded", "hotel-reservation-tier-replicated"),
    *(f"social-network-tier-{tier}" for tier in ("expanded", "replicated", "single")),
    *("social-network-replicated", "train-ticket-replicated"),
)
# Problems in one world.
MOST = 8


@pytest.fixture(scope="module")
def worlds(factory: ComponentFactory) -> Iterator[Worlds]:
    made = factory.worlds("embedded", {})
    yield made
    made.close()


def _ids() -> list[str]:
    """For each fault that small applications meet a problem: what it writes does not depend on its target.

    Looking at all texts of a large one takes minutes; its healthy world is looked at.
    """
    chosen: dict[str, str] = {}
    for name in SMALL:
        for problem in PROBLEMS.all():
            for ref in problem.faults if problem.application == name else ():
                chosen.setdefault(ref.fault, problem.id)
    return sorted({*chosen.values()})


def _together() -> list[tuple[str, ...]]:
    """Those problems, several in one world as long as they do not break the same component."""
    worlds: list[tuple[list[str], set[tuple[str, str]]]] = []
    for problem_id in _ids():
        problem = PROBLEMS.get(problem_id)
        parts = {(problem.application, name) for ref in problem.faults for name in ref.components}
        for ids, broken in worlds:
            own = PROBLEMS.get(ids[0]).application == problem.application
            if own and len(ids) < MOST and parts and not parts & broken:
                ids.append(problem_id)
                broken |= parts
                break
        else:
            worlds.append(([problem_id], parts))
    return [tuple(ids) for ids, _ in worlds]


def _names() -> list[str]:
    return sorted({problem.application for problem in PROBLEMS.all()})


def _healthy() -> list[Any]:
    """Of variants and of several together the parts are looked at with every run.

    So are small applications: in worlds where a few of their components are broken.
    """
    seldom = {*COMPOUND, *SMALL}
    return [
        pytest.param(name, marks=[pytest.mark.thorough] if name in seldom else [])
        for name in _names()
    ]


def test_small_applications_are_these(factory: ComponentFactory) -> None:
    sizes = {name: len(factory.application(name).components()) for name in _names()}
    few = [name for name, size in sizes.items() if size <= FEW]
    assert sorted(few, key=lambda name: (sizes[name], name)) == [*SMALL]


@pytest.mark.parametrize("name", _healthy())
def test_nothing_in_a_healthy_world_hints(
    factory: ComponentFactory, worlds: Worlds, name: str
) -> None:
    cluster = worlds.make(factory.application(name), 180.0, seed=0, served=False).cluster
    assert isinstance(cluster, EmbeddedCluster)
    try:
        _no_hints(dict(_everything(cluster, logs_s=240)))
    finally:
        cluster.close()


@pytest.mark.parametrize("ids", _together(), ids="-".join)
def test_nothing_in_a_broken_world_hints(
    factory: ComponentFactory, worlds: Worlds, ids: tuple[str, ...]
) -> None:
    problems = [factory.problems.get(problem_id) for problem_id in ids]
    application = factory.application(problems[0].application)
    world = worlds.make(application, problems[0].timing.warm_up_s, seed=0, served=False)
    cluster = world.cluster
    assert isinstance(cluster, EmbeddedCluster)
    try:
        # Each is made ready in the healthy world: one may hide what another one looks for.
        made = [
            factory.fault_in_context(ref, application, cluster, UndoJournal(), 0)
            for problem in problems
            for ref in problem.faults
        ]
        for fault, context in made:
            fault.inject(context)
        cluster.clock.advance(180.0)
        seen = dict(_everything(cluster, logs_s=240))
    finally:
        cluster.close()
    _no_hints(seen)
    assert [place for place, text in seen.items() if any(name in text for name in ids)] == []


def _no_hints(seen: dict[str, str]) -> None:
    assert len(seen) > 150
    assert sum(place.startswith("log of") for place in seen) > 12
    hints = {
        place: sorted({found[0] for found in HINTS.finditer(INNOCENT.sub("", text))})
        for place, text in seen.items()
    }
    assert {place: found for place, found in hints.items() if found} == {}


def _everything(cluster: EmbeddedCluster, logs_s: int) -> Iterator[tuple[str, str]]:
    """All texts that the API gives: each object of each kind, and each container's log of so many seconds."""
    for group in _groups(cluster):
        for resource in _resources(cluster, group):
            if "list" not in resource["verbs"]:
                continue
            path = f"{group}/{resource['name']}"
            for item in _answer(cluster, path)["items"]:
                name = item["metadata"]["name"]
                yield f"{path} {item['metadata'].get('namespace', '')}/{name}", json.dumps(item)
                if path == "/api/v1/pods":
                    yield from _logs(cluster, item, logs_s)
                    yield from _inside(cluster, item["metadata"])


def _resources(cluster: EmbeddedCluster, group: str) -> list[dict[str, Any]]:
    """Those of a group; none where what serves an aggregated one is down."""
    with cluster.live.open() as world:
        answer = handle(world, Request("GET", group, (), {"accept": "application/json"}, b""))
    assert isinstance(answer, Response)
    if answer.status == 503 and "metrics.k8s.io" in group:
        return []
    resources: list[dict[str, Any]] = _answer(cluster, group)["resources"]
    return resources


def _groups(cluster: EmbeddedCluster) -> list[str]:
    groups = _answer(cluster, "/apis")["groups"]
    return ["/api/v1", *(f"/apis/{g['preferredVersion']['groupVersion']}" for g in groups)]


def _logs(cluster: EmbeddedCluster, pod: dict[str, Any], logs_s: int) -> Iterator[tuple[str, str]]:
    place = pod["metadata"]
    since = ("sinceSeconds", str(logs_s))
    for container in pod["spec"]["containers"]:
        for previous in ("false", "true"):
            query = (("container", container["name"]), ("previous", previous), since)
            path = f"/api/v1/namespaces/{place['namespace']}/pods/{place['name']}/log"
            with cluster.live.open() as world:
                answer = handle(world, Request("GET", path, query, {}, b""))
            if isinstance(answer, Response) and answer.status == 200:
                yield f"log of {place['name']}, previous={previous}", answer.body.decode()


def _inside(cluster: EmbeddedCluster, pod: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for command in (
        ["env"],
        ["ps", "aux"],
        ["cat", "/etc/hosts"],
        ["hostname"],
        ["ls", "/", "/tmp"],
    ):
        try:
            done = cluster.exec(pod["namespace"], pod["name"], command)
        except ClusterError:
            return  # it does not run, as some do in a broken world
        yield f"{command} in {pod['name']}", done.stdout + done.stderr


def _answer(cluster: EmbeddedCluster, path: str) -> dict[str, Any]:
    with cluster.live.open() as world:
        answer = handle(world, Request("GET", path, (), {"accept": "application/json"}, b""))
    assert isinstance(answer, Response)
    assert answer.status == 200, path
    content: dict[str, Any] = json.loads(answer.body)
    return content
