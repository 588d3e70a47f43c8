"""Which pods go first, and in how large steps pods come."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.deletion_order import least_worth, newest_first
from sregym_cluster_embedded.controllers.pods import owner_reference
from sregym_cluster_embedded.controllers.slow_start import create_in_batches
from sregym_cluster_embedded.store import Key, Object

NOW_S = 100.0
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
"""


def pod(shop: Any, name: str, ready_s: float | None = 20.0, **fields: Any) -> Object:
    """A pod that has been ready for `ready_s`."""
    at: dict[str, Any] = {
        "made_s": 20.0,
        "node": "node1",
        "restarts": 0,
        "cost": "0",
        "phase": "Running",
    }
    at.update(fields)
    since = shop.world.timestamp(NOW_S - (ready_s or 0.0))
    word = "False" if ready_s is None else "True"
    return {
        "metadata": {
            "name": name,
            # It follows from the salt, and decides nothing.
            "uid": f"{0xFF - ord(name[0]):x}",
            "creationTimestamp": shop.world.timestamp(NOW_S - at["made_s"]),
            "annotations": {"controller.kubernetes.io/pod-deletion-cost": at["cost"]},
        },
        "spec": {"nodeName": at["node"]} if at["node"] else {},
        "status": {
            "phase": at["phase"],
            "conditions": [{"type": "Ready", "status": word, "lastTransitionTime": since}],
            "containerStatuses": [{"restartCount": at["restarts"]}, {"restartCount": 0}],
        },
    }


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "without a node": ({"node": ""}, {"ready_s": None}),
    "pending": ({"phase": "Pending"}, {"ready_s": None}),
    "not ready": ({"ready_s": None}, {"cost": "-5"}),
    "cheaper": ({"cost": "-5"}, {"node": "node2"}),
    "in the crowd": ({"node": "node2"}, {"ready_s": 2.0}),
    "ready for less": ({"ready_s": 8.0}, {"ready_s": 9.0}),
    "restarted": ({"restarts": 2}, {"restarts": 1, "made_s": 1.0}),
    "newer": ({"made_s": 8.0}, {"made_s": 9.0}),
}


@pytest.mark.parametrize("case", CASES)
def test_of_two_pods_the_one_goes_that_is(shop: Any, case: str) -> None:
    shop.run(NOW_S - shop.world.now)
    first, second = CASES[case]
    # The name speaks for the other one: it only counts when nothing else does.
    pods = [pod(shop, "a", **second), pod(shop, "b", **first)]
    crowd = [pod(shop, "c", node="node2")]
    found = least_worth(shop.world, pods, 1, [*pods, *crowd] if "crowd" in case else [])
    assert [entry["metadata"]["name"] for entry in found] == ["b"]


def test_ages_of_one_power_of_two_nanoseconds_are_equal(shop: Any) -> None:
    shop.run(NOW_S - shop.world.now)
    # 2**33 ns are 8.59 s, 2**34 ns 17.18 s; a restart does not count where ages differ.
    pods = [pod(shop, "a", 17.0), pod(shop, "b", 9.0, restarts=3)]
    (found,) = least_worth(shop.world, pods, 1)
    assert found["metadata"]["name"] == "a"
    assert [entry["metadata"]["name"] for entry in newest_first(shop.world, pods)] == ["b", "a"]


def test_nobody_is_chosen_when_all_go(shop: Any) -> None:
    pods = [pod(shop, "b"), pod(shop, "a")]
    assert least_worth(shop.world, pods, 2) == pods


def test_pods_of_all_revisions_crowd_a_node(shop: Any) -> None:
    """The ReplicaSet has more pods on the other node, its siblings have them on this one."""
    (owner,) = shop.apply("{kind: ConfigMap, apiVersion: v1, metadata: {name: owner}}")
    replica_set(shop, owner, "old", {})
    shop.run(3)
    nodes = [entry["spec"]["nodeName"] for entry in shop.pods()]
    lonely = min(("node1", "node2"), key=nodes.count)
    replica_set(shop, owner, "new", {"kubernetes.io/hostname": lonely})
    shop.run(3)
    found = shop.world.store.get(Key("replicasets.apps", "shop", "old"))
    internal_client.update(
        shop.world, "replicasets.apps", {**found, "spec": {**found["spec"], "replicas": 2}}
    )
    shop.run(0.1)
    (gone,) = (entry for entry in shop.pods() if "deletionTimestamp" in entry["metadata"])
    assert (gone["metadata"]["labels"], gone["spec"]["nodeName"]) == ({"app": "old"}, lonely)


def replica_set(shop: Any, owner: Object, name: str, selector: dict[str, str]) -> None:
    labels = {"app": name}
    container = {"name": "web", "image": "registry.example/shop/web:1.0"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [container], "nodeSelector": selector},
    }
    reference = owner_reference({**owner, "apiVersion": "v1", "kind": "ConfigMap"})
    metadata = {"name": name, "namespace": "shop", "ownerReferences": [reference]}
    spec = {"replicas": 3, "selector": {"matchLabels": labels}, "template": template}
    internal_client.create(shop.world, "replicasets.apps", {"metadata": metadata, "spec": spec})


def test_batches_double_until_one_is_refused() -> None:
    refused = ApiError(403, "Forbidden", "no more")
    made: list[int] = []

    def create(number: int) -> None:
        made.append(number)
        if number >= 2:
            raise refused

    assert create_in_batches(range(9), create) is refused
    assert made == [0, 1, 2]
    made.clear()
    assert create_in_batches(range(2), create) is None
    assert made == [0, 1]


def test_a_quota_refuses_the_rest_of_a_batch_with_an_event_each(shop: Any) -> None:
    quota = {"metadata": {"name": "q", "namespace": "shop"}, "spec": {"hard": {"pods": "1"}}}
    internal_client.create(shop.world, "resourcequotas", quota)
    shop.run(0.1)
    shop.apply(DEPLOYMENT)
    shop.run(0.036)
    assert len(shop.pods()) == 1
    assert len(shop.events("FailedCreate")) == 2
