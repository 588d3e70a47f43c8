"""Pods that fit nowhere: which changes of nodes let the scheduler try them again."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

NODE1 = Key("nodes", "", "node1")
TOO_MANY_CORES = "containers: [{name: c, image: x, resources: {requests: {cpu: '64'}}}]"
PLAIN = "containers: [{name: c, image: 'registry.example/shop/web:1.0'}]"
SPREAD = (
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    f"labelSelector: {{matchLabels: {{app: web}}}}}}]\n  {PLAIN}"
)
COMPANY = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "
    f"labelSelector: {{matchLabels: {{app: other}}}}}}]}}}}\n  {PLAIN}"
)


def pending(shop: Any, spec: str) -> None:
    metadata = "{name: web, labels: {app: web}}"
    shop.apply(f"apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec:\n  {spec}\n")
    shop.run(3)
    assert attempts(shop) == 1


def attempts(shop: Any) -> int:
    return sum(count for _, count in shop.events("FailedScheduling"))


def change(shop: Any, **spec: Any) -> None:
    node = shop.world.store.get(NODE1)
    internal_client.update(shop.world, "nodes", {**node, "spec": {**node["spec"], **spec}})
    shop.run(5)


def label(shop: Any, **labels: str) -> None:
    internal_client.patch_metadata(shop.world, NODE1, labels=labels)
    shop.run(5)


def offer(shop: Any, **allocatable: str) -> None:
    status = shop.world.store.get(NODE1)["status"]
    fresh = {**status, "allocatable": {**status["allocatable"], **allocatable}}
    internal_client.update_status(shop.world, NODE1, fresh)
    shop.run(5)


TAINTS = [{"key": "kept", "value": "free", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    "spec", [TOO_MANY_CORES, SPREAD, COMPANY, f"nodeSelector: {{disk: ssd}}\n  {PLAIN}"]
)
def test_a_cordon_or_a_taint_wakes_nobody(shop: Any, spec: str) -> None:
    pending(shop, spec)
    change(shop, unschedulable=True)
    change(shop, taints=TAINTS)
    assert attempts(shop) == 1


def test_more_of_what_is_asked_for_wakes_if_it_is_enough(shop: Any) -> None:
    pending(shop, TOO_MANY_CORES)
    offer(shop, cpu="32")
    offer(shop, memory="900Gi")
    assert attempts(shop) == 1
    offer(shop, cpu="65")
    (pod,) = shop.pods()
    assert pod["spec"]["nodeName"] == "node1"


def test_a_taint_that_goes_wakes_only_who_cannot_bear_it(shop: Any) -> None:
    change(shop, taints=TAINTS)
    node2 = Key("nodes", "", "node2")
    spec = shop.world.store.get(node2)["spec"]
    node = {**shop.world.store.get(node2), "spec": {**spec, "taints": TAINTS}}
    internal_client.update(shop.world, "nodes", node)
    pending(shop, PLAIN)
    change(shop, taints=[*TAINTS, {"key": "more", "effect": "NoSchedule"}])
    label(shop, rack="7")
    assert attempts(shop) == 1
    change(shop, taints=[])
    (pod,) = shop.pods()
    assert pod["spec"]["nodeName"] == "node1"


@pytest.mark.parametrize("spec", [SPREAD, COMPANY])
def test_labels_wake_who_is_placed_by_topology(shop: Any, spec: str) -> None:
    pending(shop, spec)
    label(shop, rack="7")
    assert attempts(shop) == 1
    label(shop, zone="z1")
    (pod,) = shop.pods()
    assert attempts(shop) == (1 if pod["spec"].get("nodeName") else 2)
    assert (attempts(shop) == 2) == (spec is COMPANY)


def test_a_node_that_goes_wakes_who_is_spread_over_it(shop: Any) -> None:
    label(shop, zone="z1")
    internal_client.patch_metadata(shop.world, Key("nodes", "", "node2"), labels={"zone": "z2"})
    shop.run(1)
    shop.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: first, labels: {app: web}}\nspec:\n"
        f"  nodeName: node2\n  {PLAIN}\n"
    )
    change(shop, unschedulable=True)
    metadata = "{name: web, labels: {app: web}}"
    shop.apply(f"apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec:\n  {SPREAD}\n")
    shop.run(3)
    assert attempts(shop) == 1
    internal_client.delete(shop.world, NODE1)
    shop.run(3)
    web = shop.world.store.get(Key("pods", "shop", "web"))
    assert web["spec"].get("nodeName") == "node2"


PORT = "containers: [{name: c, image: x, ports: [{containerPort: 80, hostPort: PORT}]}]"


def put(shop: Any, name: str, spec: str, labels: str = "{}") -> Key:
    metadata = f"{{name: {name}, labels: {labels}}}"
    shop.apply(f"apiVersion: v1\nkind: Pod\nmetadata: {metadata}\nspec:\n  {spec}\n")
    shop.run(2)
    return Key("pods", "shop", name)


def test_a_pod_that_goes_wakes_who_wants_its_host_port(shop: Any) -> None:
    for name, port in (("a", "9000"), ("b", "9000"), ("other", "9001")):
        put(shop, name, PORT.replace("PORT", port))
    pending(shop, PORT.replace("PORT", "9000"))
    shop.world.store.delete(Key("pods", "shop", "other"))
    shop.run(3)
    assert attempts(shop) == 1
    shop.world.store.delete(Key("pods", "shop", "b"))
    shop.run(3)
    assert "nodeName" in shop.world.store.get(Key("pods", "shop", "web"))["spec"]


def test_labels_of_a_pod_wake_who_wants_its_company_only(shop: Any) -> None:
    label(shop, zone="z1")
    key = put(shop, "friend", f"nodeName: node1\n  {PLAIN}")
    put(shop, "big", TOO_MANY_CORES)
    put(shop, "web", COMPANY)
    assert attempts(shop) == 2
    internal_client.patch_metadata(shop.world, key, labels={"app": "stranger"})
    shop.run(3)
    assert attempts(shop) == 2
    internal_client.patch_metadata(shop.world, key, labels={"app": "other"})
    shop.run(3)
    assert attempts(shop) == 2
    assert shop.world.store.get(Key("pods", "shop", "web"))["spec"]["nodeName"] == "node1"


APART = (
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    f"kubernetes.io/hostname, labelSelector: {{matchLabels: {{team: red}}}}}}]}}}}\n  {PLAIN}"
)


def test_other_labels_of_a_pod_that_waits_count_where_company_does(shop: Any) -> None:
    for name, node in (("one", "node1"), ("two", "node2")):
        put(shop, name, f"nodeName: {node}\n  {APART}", "{team: blue}")
    put(shop, "big", TOO_MANY_CORES, "{team: red}")
    waits = put(shop, "web", PLAIN, "{team: red}")
    assert attempts(shop) == 2
    for key in (waits, waits._replace(name="big")):
        internal_client.patch_metadata(shop.world, key, labels={"team": "green"})
        shop.run(3)
    assert "nodeName" in shop.world.store.get(waits)["spec"]
    assert attempts(shop) == 2
