"""Pods of high priority take the place of others."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key


@pytest.fixture
def crowded(places: Any) -> Any:
    """Both nodes are full of pods that ask for 1500m of 2 processors each."""
    for name, value in (("gold", 1000), ("never", 500)):
        policy = {"preemptionPolicy": "Never"} if name == "never" else {}
        internal_client.create(
            places.shop.world,
            "priorityclasses.scheduling.k8s.io",
            {"metadata": {"name": name}, "value": value, **policy},
        )
    places.pod("low1", cpu="1500m")
    places.pod("low2", cpu="1500m")
    assert sorted([places.where("low1"), places.where("low2")]) == ["node1", "node2"]
    return places


def test_the_victim_goes_and_the_preemptor_gets_its_place(crowded: Any) -> None:
    shop = crowded.shop
    said = crowded.pod("vip", "priorityClassName: gold", cpu="1", seconds=0.2)
    assert said == "0/2 nodes are available: 2 Insufficient cpu."
    vip = shop.world.store.get(Key("pods", "shop", "vip"))
    nominated = vip["status"]["nominatedNodeName"]
    victim = next(name for name in ("low1", "low2") if crowded.where(name) == nominated)
    uid = vip["metadata"]["uid"]
    assert [message for message, _ in shop.events("Preempted")] == [
        f"Preempted by pod {uid} on node {nominated}"
    ]
    (mark,) = [
        entry
        for entry in shop.world.store.get(Key("pods", "shop", victim))["status"]["conditions"]
        if entry["type"] == "DisruptionTarget"
    ]
    assert (mark["reason"], mark["message"]) == (
        "PreemptionByScheduler",
        "default-scheduler: preempting to accommodate a higher priority pod",
    )
    shop.run(40)
    assert (crowded.where("vip"), crowded.where(victim)) == (nominated, "gone")
    bound = shop.world.store.get(Key("pods", "shop", "vip"))
    assert "nominatedNodeName" not in bound["status"]


def test_nobody_comes_to_a_promised_place_beside_whom_its_pod_will_not_live(crowded: Any) -> None:
    apart = (
        "{priorityClassName: gold, affinity: {podAntiAffinity: {"
        "requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, "
        "labelSelector: {matchLabels: {app: late}}}]}}}"
    )
    crowded.pod("vip", apart, cpu="1", seconds=0.2)
    vip = crowded.shop.world.store.get(Key("pods", "shop", "vip"))
    node = vip["status"]["nominatedNodeName"]
    there = f"{{nodeSelector: {{kubernetes.io/hostname: {node}}}}}"
    said = crowded.pod("late", there, {"app": "late"}, cpu="10m", seconds=0.3)
    assert "1 node(s) didn't satisfy existing pods anti-affinity rules" in said
    crowded.shop.run(40)
    assert crowded.where("vip") == node
    assert crowded.where("late") != node


def test_a_promised_place_is_not_given_to_others(crowded: Any) -> None:
    crowded.pod("vip", "priorityClassName: gold", cpu="1800m", seconds=0.2)
    assert crowded.pod("small", cpu="400m", seconds=0.3) != "not looked at"
    crowded.shop.run(40)
    vip = crowded.where("vip")
    assert vip in ("node1", "node2")
    assert crowded.where("small") != vip


def test_who_must_not_preempt_waits(crowded: Any) -> None:
    assert crowded.pod("polite", "priorityClassName: never", cpu="1") == (
        "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, "
        "preemption: not eligible due to preemptionPolicy=Never."
    )


def test_equals_are_no_victims(crowded: Any) -> None:
    assert crowded.pod("equal", cpu="1") == (
        "0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, "
        "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    )


def test_a_budget_turns_the_choice_to_the_other_node(crowded: Any) -> None:
    world = crowded.shop.world
    internal_client.patch_metadata(world, Key("pods", "shop", "low1"), labels={"app": "kept"})
    budget = {
        "metadata": {"name": "kept", "namespace": "shop"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}},
        "status": {"disruptionsAllowed": 0},
    }
    internal_client.create(world, "poddisruptionbudgets.policy", budget)
    spared = crowded.where("low1")
    crowded.pod("vip", "priorityClassName: gold", cpu="1", seconds=40)
    assert crowded.where("vip") == ("node2" if spared == "node1" else "node1")
