"""When what flows is found anew: when something that requests meet has changed, and only then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.traffic.flow_state import FlowState
from sregym_cluster_embedded.traffic.live import keep, state_of
from sregym_cluster_embedded.traffic.segments import SERVED
from sregym_cluster_embedded.traffic.settled import Settled
from sregym_cluster_embedded.userland.dependency_tracking import DependencyTracker


def live(market: Any) -> Any:
    return state_of(market.world).live


def start_another(market: Any) -> None:
    market.deploy("cache")


def widen_a_service_of_nobody(market: Any) -> None:
    metadata = {"name": "unused", "namespace": "default"}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 9}]}
    internal_client.create(market.world, "services", {"metadata": metadata, "spec": spec})


def add_a_member(market: Any) -> None:
    market.scale("stock", 2)


def remove_all(market: Any) -> None:
    market.scale("stock", 0)


def aim_elsewhere(market: Any) -> None:
    service = market.world.store.get(Key("services", "default", "stock"))
    spec = {**service["spec"], "selector": {"app": "nobody"}}
    internal_client.update(market.world, "services", {**service, "spec": spec})


def deny_all(market: Any) -> None:
    metadata = {"name": "deny", "namespace": "default"}
    spec = {"podSelector": {"matchLabels": {"app": "stock"}}, "policyTypes": ["Ingress"]}
    policy = {"metadata": metadata, "spec": spec}
    internal_client.create(market.world, "networkpolicies.networking.k8s.io", policy)


def end_a_process(market: Any) -> None:
    market.shell("stock", "kill 1")


@pytest.mark.parametrize("change", [start_another, widen_a_service_of_nobody])
def test_what_nobody_meets_changes_nothing(make_market: Any, change: Callable[[Any], None]) -> None:
    market = make_market()
    before, at = live(market), state_of(market.world).solved_at
    change(market)
    market.run(40)
    assert state_of(market.world).solved_at > at
    assert live(market) is before


@pytest.mark.parametrize(
    ("change", "requests"),
    [
        (add_a_member, {"ok": 1000}),
        (remove_all, {"failed": 1000}),
        (aim_elsewhere, {"failed": 1000}),
        (deny_all, {"failed": 1000}),
        (end_a_process, {"ok": 1000}),
    ],
)
def test_what_requests_meet_counts(
    make_market: Any, change: Callable[[Any], None], requests: dict[str, int]
) -> None:
    market = make_market()
    before = live(market)
    change(market)
    market.run(40)
    assert live(market) is not before
    seen = market.seen(10)
    # As many as chance has it.
    assert (seen.ok, sum(seen.failed.values())) == (
        pytest.approx(requests.get("ok", 0), abs=4 * requests.get("ok", 0) ** 0.5),
        pytest.approx(requests.get("failed", 0), abs=4 * requests.get("failed", 0) ** 0.5),
    )


@pytest.mark.parametrize(
    "change", [start_another, add_a_member, remove_all, aim_elsewhere, deny_all, end_a_process]
)
def test_finding_everything_anew_each_time_gives_the_same(
    make_market: Any, change: Callable[[Any], None]
) -> None:
    market = make_market()
    anew = market.fork()
    change(market)
    change(anew)
    market.run(45)
    for _ in range(90):
        nothing_kept = DependencyTracker()
        nothing_kept.loose = True
        keep(anew.world, state_of(anew.world)._replace(footing=nothing_kept))
        anew.run(0.5)
    assert market.history("web") == anew.history("web")
    assert market.world.table(SERVED) == anew.world.table(SERVED)
    assert live(market).numbers.rate == live(anew).numbers.rate


@pytest.mark.parametrize(
    "change", [start_another, add_a_member, remove_all, aim_elsewhere, deny_all, end_a_process]
)
def test_forgetting_what_was_worked_out_before_each_event_gives_the_same(
    make_market: Any, change: Callable[[Any], None]
) -> None:
    market = make_market()
    anew = market.fork()
    for one in (market, anew):
        change(one)
    market.run(45)
    end = market.world.now
    while (upcoming := anew.world.clock.next_at()) is not None and upcoming <= end:
        anew.world.cache.clear()
        anew.world.step()
    anew.world.run_until(end)
    assert market.world.digest() == anew.world.digest()


def test_numbers_are_found_again_only_where_they_follow_from_the_same(make_market: Any) -> None:
    """Other connections of pools lead to the same numbers, another load or another way does not."""
    market = make_market()
    structure = live(market).structure
    begun = FlowState(structure)
    known = Settled(structure, begun, [1.0], live(market).numbers, restless=False)
    assert known.holds(replace(structure, pools={**structure.pools, "other": ()}), begun, [1.0])
    assert not known.holds(structure, begun, [2.0])
    warmer = begun.copy()
    warmer.sent = [number + 1 for number in warmer.sent]
    assert not known.holds(structure, warmer, [1.0])
    slower = [replace(one, cpu_ms=one.cpu_ms + 1) for one in structure.operations]
    assert not known.holds(replace(structure, operations=slower), begun, [1.0])


def test_a_footing_tells_whether_the_same_is_seen(make_market: Any) -> None:
    world = make_market().world
    tides = [1]

    def tide(_: Any, place: str) -> tuple[str, int]:
        return place, tides[0]

    footing = DependencyTracker()
    assert footing.at(tide, world, "harbour") == ("harbour", 1)
    assert (str(footing), footing.holds(world)) == ("Footing(1)", True)
    tides[0] = 2
    assert not footing.holds(world)
    footing.loose = True
    tides[0] = 1
    assert not footing.holds(world)
