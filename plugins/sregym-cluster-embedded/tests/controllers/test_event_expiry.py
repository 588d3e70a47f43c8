"""Events are kept for an hour; who wrote them goes on counting."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sregym_cluster_embedded.api import events
from sregym_cluster_embedded.store import Change, Key
from sregym_cluster_embedded.world import World

POD = """
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  schedulingGates: [{name: example.com/later}]
  containers: [{name: c, image: registry.example/shop/web:1.0}]
"""


def say(shop: Any, message: str) -> Any:
    pod = shop.world.store.get(Key("pods", "shop", "p"))
    return events.record(shop.world, pod, "pods", "Warning", "Failed", message, "kubelet", "node1")


def kept(shop: Any) -> list[tuple[str, int]]:
    return sorted(
        (event["message"], event["count"])
        for event in shop.world.store.list("events", "shop")
        if event["reason"] == "Failed"
    )


def test_events_of_a_minute_go_together_an_hour_after_the_last_write(shop: Any) -> None:
    shop.run(7200)
    shop.apply(POD)
    gone: list[tuple[float, str]] = []

    def note(world: World, change: Change) -> None:
        if change.type == "DELETED" and change.obj.get("reason") == "Failed":
            gone.append((round(world.now - began), change.obj["message"]))

    spec = shop.world.spec
    shop.world.spec = replace(spec, listeners=(*spec.listeners, note))
    shop.world = shop.world.fork()
    began = shop.world.now
    say(shop, "first")
    shop.run(50)
    say(shop, "second")
    say(shop, "renewed")
    shop.run(30)
    say(shop, "renewed")
    shop.run(3570)
    assert kept(shop) == [("first", 1), ("renewed", 2), ("second", 1)]
    shop.run(300)
    # The first lease began with the first event, the next one with the renewal.
    assert gone == [(3660, "first"), (3660, "second"), (3740, "renewed")]
    assert kept(shop) == []


def test_a_component_goes_on_counting_when_its_event_has_gone(shop: Any) -> None:
    shop.apply(POD)
    first = say(shop, "no")
    say(shop, "no")
    shop.run(4000)
    assert kept(shop) == []
    again = say(shop, "no")
    assert (again["count"], again["firstTimestamp"]) == (3, first["firstTimestamp"])
    shop.world.store.delete(Key("events", "shop", again["metadata"]["name"]))
    shop.run(10)
    assert say(shop, "no")["count"] == 4


def test_what_is_over_is_not_kept_in_mind(shop: Any) -> None:
    shop.apply(POD)
    for _ in range(30):
        say(shop, "no")
    shop.run(3700)
    sources = list(shop.world.table("api.events.rested_at"))
    # Of all who wrote, this one is the only one who would have to wait.
    assert [(type_, component) for _, type_, component, _ in sources] == [("Warning", "kubelet")]
    shop.run(8000)
    say(shop, "no")
    shop.run(3700)
    assert len(shop.world.table("api.events.rested_at")) == 0
