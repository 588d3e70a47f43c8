"""What becomes of nodes whose kubelets get no seat at the API server."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.flowcontrol import LEVELS, SCHEMAS, demand, demand_of_kubelet
from sregym_cluster_embedded.api.request import Request, User
from sregym_cluster_embedded.store import Key

LEVEL = """\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: starving}
spec:
  type: Limited
  limited: {nominalConcurrencyShares: 0, borrowingLimitPercent: BORROWS, limitResponse: {type: Reject}}
"""
FLOW = """\
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: starving}
spec:
  matchingPrecedence: 300
  priorityLevelConfiguration: {name: starving}
  rules:
    - subjects: [{kind: Group, group: {name: "system:nodes"}}]
      resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"]}]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  nodeName: node2
  containers: [{name: web, image: "registry.example/shop/web:1.0"}]
"""


def starve(shop: Any, borrows: str = "0") -> None:
    internal_client.create(shop.world, LEVELS, yaml.safe_load(LEVEL.replace("BORROWS", borrows)))
    internal_client.create(shop.world, SCHEMAS, yaml.safe_load(FLOW))


def ready(shop: Any, resource: str, namespace: str, name: str) -> str:
    obj = shop.world.store.get(Key(resource, namespace, name))
    found = next(entry for entry in obj["status"]["conditions"] if entry["type"] == "Ready")
    return str(found["status"])


def test_nodes_are_lost_while_they_starve_and_come_back(shop: Any) -> None:
    shop.apply(POD)
    shop.run(10)
    starve(shop)
    shop.run(120)
    lost = (ready(shop, "nodes", "", "node2"), ready(shop, "pods", "shop", "app"))
    internal_client.remove(shop.world, Key(SCHEMAS, "", "starving"))
    shop.run(120)
    found = (ready(shop, "nodes", "", "node2"), ready(shop, "pods", "shop", "app"))
    assert (lost, found) == (("Unknown", "False"), ("True", "True"))


def test_a_level_that_may_borrow_starves_nobody(shop: Any) -> None:
    starve(shop, "50")
    shop.run(120)
    assert ready(shop, "nodes", "", "node2") == "True"


def test_who_is_refused_is_told_when_to_come_again(shop: Any) -> None:
    starve(shop)
    said = "the server has received too many requests and has asked us to try again later"
    node = User("system:node:node2", ("system:nodes", "system:authenticated"))
    with pytest.raises(ApiError) as caught:
        demand(shop.world, Request("GET", "/api/v1/nodes", user=node))
    assert (caught.value.code, caught.value.message, caught.value.retry_after_s) == (429, said, 1)
    with pytest.raises(ApiError) as caught:
        demand_of_kubelet(shop.world, "node2", "pods", "patch", "shop", "status")
    assert caught.value.message == said
    demand(shop.world, Request("GET", "/api/v1/nodes"))
