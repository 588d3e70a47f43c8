"""Devices that fit together, share counters, are tainted, or are only looked at."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.device_pools import Device, tolerates
from sregym_cluster_embedded.store import Key, Object

GROUP = "resource.k8s.io"
DRIVER = "gpu.example.com"
POD = "{terminationGracePeriodSeconds: 1, resourceClaims: [{name: g, resourceClaimName: %s}]}"


def make(places: Any, resource: str, name: str, spec: Object, namespace: str = "") -> None:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    internal_client.create(
        places.shop.world, f"{resource}.{GROUP}", {"metadata": metadata, "spec": spec}
    )


def slice_of(places: Any, name: str, devices: list[Object], **spec: Any) -> None:
    where = spec.pop("where", {"nodeName": "node1"})
    pool = {"name": "pool", "generation": spec.pop("generation", 1), "resourceSliceCount": 1}
    body = {"driver": DRIVER, "pool": pool, "devices": devices, **where, **spec}
    make(places, "resourceslices", name, body)


def device(name: str, **spec: Any) -> Object:
    return {"name": name, **spec}


def claim(places: Any, name: str, *counts: int, **devices: Any) -> None:
    exactly = devices.pop("exactly", {})
    requests = [
        {
            "name": f"r{number}",
            "exactly": {
                "deviceClassName": "gpus",
                "allocationMode": "ExactCount",
                "count": count,
                **exactly,
            },
        }
        for number, count in enumerate(counts)
    ]
    make(places, "resourceclaims", name, {"devices": {"requests": requests, **devices}}, "shop")


def classes(places: Any, **spec: Any) -> None:
    make(places, "deviceclasses", "gpus", spec)


def allocation(places: Any, name: str) -> Object:
    found = places.shop.world.store.get(Key(f"resourceclaims.{GROUP}", "shop", name))
    return dict((found.get("status") or {}).get("allocation") or {})


def given(places: Any, name: str) -> list[tuple[str, str]]:
    """Request and device of what a claim got."""
    results = (allocation(places, name).get("devices") or {}).get("results") or []
    return [(entry["request"], entry["device"]) for entry in results]


def on_board(name: str, board: str) -> Object:
    return device(name, attributes={"board": {"string": board}})


def test_devices_that_must_match_are_of_one_board(places: Any) -> None:
    classes(places)
    slice_of(places, "s", [on_board("a", "x"), on_board("b", "y"), on_board("c", "y")])
    claim(places, "pair", 1, 1, constraints=[{"matchAttribute": f"{DRIVER}/board"}])
    assert places.pod("app", POD % "pair") == "node1"
    # The first device leads nowhere and is given back.
    assert given(places, "pair") == [("r0", "b"), ("r1", "c")]


def test_devices_that_must_differ_are_of_two_boards(places: Any) -> None:
    classes(places)
    slice_of(places, "s", [on_board("a", "x"), on_board("b", "x"), on_board("c", "y")])
    rule = {"distinctAttribute": f"{DRIVER}/board", "requests": ["r0"]}
    claim(places, "pair", 2, 1, constraints=[rule])
    assert places.pod("app", POD % "pair") == "node1"
    assert given(places, "pair") == [("r0", "a"), ("r0", "c"), ("r1", "b")]


def test_a_device_without_the_attribute_matches_nothing(places: Any) -> None:
    classes(places)
    slice_of(places, "s", [device("a"), device("b")])
    claim(places, "pair", 2, constraints=[{"matchAttribute": f"{DRIVER}/board"}])
    assert "cannot allocate all claims" in places.pod("app", POD % "pair")


def test_partitions_share_the_counters_of_their_device(places: Any) -> None:
    classes(places)

    def part(name: str, memory: str) -> Object:
        counters = {"memory": {"value": memory}}
        return device(name, consumesCounters=[{"counterSet": "card", "counters": counters}])

    counters = [{"name": "card", "counters": {"memory": {"value": "40Gi"}}}]
    slice_of(places, "counters", [], sharedCounters=counters)
    slice_of(places, "s", [part("whole", "40Gi"), part("half-1", "20Gi"), part("half-2", "20Gi")])
    claim(places, "two", 2)
    assert places.pod("app", POD % "two") == "node1"
    assert given(places, "two") == [("r0", "half-1"), ("r0", "half-2")]
    claim(places, "more", 1)
    assert "cannot allocate all claims" in places.pod("late", POD % "more")


def test_only_the_newest_generation_of_a_pool_counts(places: Any) -> None:
    classes(places)
    slice_of(places, "old", [device("gone")])
    slice_of(places, "new", [device("here")], generation=2)
    claim(places, "one", 1)
    places.pod("app", POD % "one")
    assert given(places, "one") == [("r0", "here")]


def test_capacities_are_quantities_and_versions_can_be_compared(places: Any) -> None:
    text = (
        f"device.capacity['{DRIVER}'].memory.compareTo(quantity('20Gi')) >= 0 && "
        f"device.attributes['{DRIVER}'].firmware.isGreaterThan(semver('1.9.0'))"
    )
    classes(places, selectors=[{"cel": {"expression": text}}])

    def card(name: str, memory: str, firmware: str) -> Object:
        return device(
            name,
            capacity={"memory": {"value": memory}},
            attributes={"firmware": {"version": firmware}},
        )

    slice_of(
        places,
        "s",
        [card("a", "8Gi", "2.0.0"), card("b", "40Gi", "1.2.0"), card("c", "40Gi", "1.10.0")],
    )
    claim(places, "one", 1)
    places.pod("app", POD % "one")
    assert given(places, "one") == [("r0", "c")]


def test_who_only_looks_gets_a_device_that_another_has(places: Any) -> None:
    classes(places)
    slice_of(places, "s", [device("a")])
    claim(places, "user", 1)
    claim(places, "watcher", 1, exactly={"adminAccess": True})
    claim(places, "other", 1)
    assert places.pod("app", POD % "user") == "node1"
    assert places.pod("monitor", POD % "watcher") == "node1"
    assert given(places, "watcher") == [("r0", "a")]
    assert allocation(places, "watcher")["devices"]["results"][0]["adminAccess"] is True
    assert "cannot allocate all claims" in places.pod("late", POD % "other")


def test_drivers_are_told_what_classes_and_claims_configure(places: Any) -> None:
    opaque = {"driver": DRIVER, "parameters": {"mode": "shared"}}
    classes(places, config=[{"opaque": opaque}])
    slice_of(places, "s", [device("a")], where={"allNodes": True})
    claim(places, "one", 1, config=[{"requests": ["r0"], "opaque": opaque}])
    places.pod("app", POD % "one")
    assert allocation(places, "one") == {
        "devices": {
            "results": [{"request": "r0", "driver": DRIVER, "pool": "pool", "device": "a"}],
            "config": [
                {"source": "FromClass", "requests": ["r0"], "opaque": opaque},
                {"source": "FromClaim", "requests": ["r0"], "opaque": opaque},
            ],
        }
    }


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "key": "sick"}, True),
        ({"operator": "Exists", "key": "other"}, False),
        ({"operator": "Equal", "key": "sick", "value": "yes"}, True),
        ({"operator": "Equal", "key": "sick", "value": "no"}, False),
        ({"operator": "Exists", "effect": "NoSchedule"}, False),
    ],
)
def test_a_toleration_is_for_some_taints(toleration: Object, expected: bool) -> None:
    taint = {"key": "sick", "value": "yes", "effect": "NoExecute"}
    assert tolerates([toleration], taint) is expected


def test_a_tainted_device_is_given_to_those_that_tolerate_it(places: Any) -> None:
    classes(places)
    taint = {"key": "sick", "effect": "NoSchedule"}
    slice_of(places, "s", [device("a", taints=[taint])])
    claim(places, "healthy", 1)
    toleration = {"operator": "Exists", "key": "sick"}
    claim(places, "brave", 1, exactly={"tolerations": [toleration]})
    assert "cannot allocate all claims" in places.pod("app", POD % "healthy")
    assert places.pod("bold", POD % "brave") == "node1"
    (result,) = allocation(places, "brave")["devices"]["results"]
    assert result["tolerations"] == [toleration]


def test_pods_leave_devices_that_fall_ill_when_their_time_is_over(places: Any) -> None:
    world = places.shop.world
    classes(places)
    slice_of(places, "s", [device("a"), device("b"), device("c")])
    claim(places, "short", 1)
    claim(
        places,
        "long",
        1,
        exactly={"tolerations": [{"operator": "Exists", "tolerationSeconds": 30}]},
    )
    claim(places, "ever", 1, exactly={"tolerations": [{"operator": "Exists"}]})
    for name in ("short", "long", "ever"):
        assert places.pod(name, POD % name) == "node1"
    key = Key(f"resourceslices.{GROUP}", "", "s")

    def taint(*taints: Object) -> None:
        stored = world.store.get(key)
        ill = [{**entry, "taints": list(taints)} for entry in stored["spec"]["devices"]]
        internal_client.update(
            world, key.resource, {**stored, "spec": {**stored["spec"], "devices": ill}}
        )

    taint({"key": "sick", "effect": "NoExecute"})
    places.shop.run(10)
    assert [places.where(name) for name in ("short", "long", "ever")] == ["gone", "node1", "node1"]
    said = {
        event["involvedObject"]["name"]: event["message"]
        for event in world.store.list("events", "shop")
        if event["reason"] == "DeviceTaintManagerEviction"
    }
    assert said == {"short": "Marking for deletion"}
    taint()
    places.shop.run(40)
    assert places.where("long") == "node1"
    taint({"key": "sick", "effect": "NoExecute"})
    places.shop.run(40)
    assert [places.where(name) for name in ("long", "ever")] == ["gone", "node1"]


def test_a_device_is_known_by_driver_pool_and_name() -> None:
    assert Device(DRIVER, "pool", "a", {}, {}).identity == (DRIVER, "pool", "a")
