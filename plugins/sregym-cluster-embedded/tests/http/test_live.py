"""How the time of a live world moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Paced, Stepped


class Wall:
    """A wall clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def world(make_shop: Callable[..., Any]) -> Any:
    return make_shop().world


def test_stepped_time_moves_by_the_cost_of_requests_and_by_orders_alone(world: Any) -> None:
    wall = Wall()
    live = LiveWorld(world, Stepped(request_cost_s=0.25), wall)
    began = live.now
    wall.seconds += 60
    live.keep_pace()
    assert live.now == began
    live.request(Request("GET", "/version"))
    assert live.now == began + 0.25
    live.advance(10)
    assert live.now == began + 10.25


def test_stepped_time_moves_while_a_client_waits_and_nobody_asks(world: Any) -> None:
    wall = Wall()
    live = LiveWorld(world, Stepped(request_cost_s=0, waiting_ratio=20, quiet_s=0.5), wall)
    live.request(Request("GET", "/version"))
    began = live.now
    with live.waiting():
        wall.seconds += 0.4
        live.keep_pace()
        assert live.now == began
        wall.seconds += 0.6
        live.keep_pace()
        assert live.now == pytest.approx(began + 12)
    wall.seconds += 5
    live.keep_pace()
    assert live.now == pytest.approx(began + 12)


def test_a_command_that_looks_again_and_again_lets_time_pass(world: Any) -> None:
    wall = Wall()
    live = LiveWorld(world, Stepped(request_cost_s=0.25), wall)
    began = live.now
    wall.seconds += 60
    with live.command():
        wall.seconds += 0.5
        live.request(Request("GET", "/version"))
        assert live.now == began + 0.25
        wall.seconds += 1.3
        live.request(Request("GET", "/version"))
        assert live.now == began + 1.5
    wall.seconds += 60
    live.request(Request("GET", "/version"))
    assert live.now == began + 1.75


def test_paced_time_follows_the_wall(world: Any) -> None:
    wall = Wall()
    live = LiveWorld(world, Paced(ratio=4), wall)
    began = live.now
    wall.seconds += 2
    live.keep_pace()
    assert live.now == pytest.approx(began + 8)
    live.advance(100)
    wall.seconds += 1
    live.request(Request("GET", "/version"))
    assert live.now == pytest.approx(began + 112)


def test_another_pace_goes_on_from_now(world: Any) -> None:
    wall = Wall()
    live = LiveWorld(world, Stepped(), wall)
    began = live.now
    wall.seconds += 1000
    live.pacing = Paced(ratio=1)
    wall.seconds += 1
    live.keep_pace()
    assert live.now == pytest.approx(began + 1)


def test_a_bell_rings_once_for_each_visit_that_changed_something(world: Any) -> None:
    live = LiveWorld(world, Stepped())
    rung: list[int] = []
    unsubscribe = live.subscribe(lambda: rung.append(1))
    with live.open():
        pass
    assert rung == []
    with live.open():
        live.advance(1)
        live.advance(1)
    assert rung == [1]
    unsubscribe()
    live.advance(1)
    assert rung == [1]


def test_who_watches_objects_is_not_woken_by_time(world: Any) -> None:
    live = LiveWorld(world, Stepped())
    rung: list[str] = []
    live.subscribe(lambda: rung.append("any"))
    unsubscribe = live.subscribe(lambda: rung.append("objects"), to_objects=True)
    with live.open():
        quiet = world.clock.next_at()
    assert quiet is not None
    live.advance((quiet - live.now) / 2)
    assert rung == ["any"]
    with live.open():
        internal_client.create(
            world, "configmaps", {"metadata": {"name": "a", "namespace": "shop"}}
        )
    assert rung == ["any", "any", "objects"]
    live.replace(world.fork())
    assert rung[3:] == ["any", "objects"]
    unsubscribe()
    live.replace(world.fork())
    assert rung[5:] == ["any"]


def test_advance_until_stops_at_the_event_that_makes_it_true(world: Any) -> None:
    live = LiveWorld(world, Stepped())
    began = live.now
    assert live.advance_until(lambda w: w.now >= began + 5, timeout_s=60)
    assert began + 5 <= live.now < began + 60
    assert not live.advance_until(lambda w: False, timeout_s=7)
