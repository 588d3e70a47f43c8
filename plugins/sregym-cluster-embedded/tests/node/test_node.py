"""Nodes and what a cluster begins with."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.keys import HEARTBEATS
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key


def test_a_lease_is_renewed_when_it_is_read(shop: Any) -> None:
    shop.run(3600)
    lease = shop.world.store.get(Key("leases.coordination.k8s.io", "kube-node-lease", "node1"))
    fresh = shop.world.service(HEARTBEATS)(shop.world, "leases.coordination.k8s.io", lease)
    earliest = shop.world.micro_timestamp(shop.world.now - 10)
    assert earliest < fresh["spec"]["renewTime"] <= shop.world.micro_timestamp()
    assert lease["spec"]["renewTime"] < earliest


def test_a_node_has_reported_within_five_minutes(shop: Any) -> None:
    shop.run(3600)
    node = shop.world.store.get(Key("nodes", "", "node1"))
    fresh = shop.world.service(HEARTBEATS)(shop.world, "nodes", node)
    beats = {entry["lastHeartbeatTime"] for entry in fresh["status"]["conditions"]}
    assert len(beats) == 1
    assert shop.world.timestamp(shop.world.now - 301) < beats.pop() <= shop.world.timestamp()


def test_a_kubelet_tells_once_that_its_node_was_cordoned(shop: Any) -> None:
    told = []
    for unschedulable in (True, True, False):
        node = shop.world.store.get(Key("nodes", "", "node1"))
        internal_client.update(
            shop.world, "nodes", {**node, "spec": {"unschedulable": unschedulable}}
        )
        shop.run(400)
        told.append(
            [
                *shop.events("NodeNotSchedulable", "default"),
                *shop.events("NodeSchedulable", "default"),
            ]
        )
    closed = ("Node node1 status is now: NodeNotSchedulable", 1)
    opened = ("Node node1 status is now: NodeSchedulable", 1)
    assert told == [[closed], [closed], [closed, opened]]


def test_the_dns_runs_on_a_new_cluster(shop: Any) -> None:
    pods = shop.pods("kube-system")
    assert [(pod["metadata"]["labels"]["k8s-app"], pod["status"]["phase"]) for pod in pods] == [
        ("kube-dns", "Running")
    ]
    endpoints = shop.world.store.get(Key("endpoints", "kube-system", "kube-dns"))
    assert endpoints["subsets"][0]["addresses"][0]["ip"] == pods[0]["status"]["podIP"]


def test_every_namespace_has_its_account_and_authority(shop: Any) -> None:
    for namespace in ("default", "kube-system", "kube-public", "kube-node-lease", "shop"):
        account = shop.world.store.get(Key("serviceaccounts", namespace, "default"))
        authority = shop.world.store.get(Key("configmaps", namespace, "kube-root-ca.crt"))
        assert account is not None
        assert authority["data"]["ca.crt"].startswith("-----BEGIN CERTIFICATE-----\n")


def test_what_is_taken_back_was_still_to_come() -> None:
    world = build(Blueprint())
    world.run_until(900)
    # What was taken back after it had run would be kept for ever, and looked for at each event.
    assert len(world.clock) == len(world.clock.pending())
