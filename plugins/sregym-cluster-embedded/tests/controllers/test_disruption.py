"""PodDisruptionBudgets: what they count, and what the eviction subresource makes of that."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.store import Key, Object

ADMIN = User("admin", ("system:masters", "system:authenticated"))
WEB = """\
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


def budget(shop: Any, name: str = "web", **spec: Any) -> None:
    internal_client.create(
        shop.world,
        "poddisruptionbudgets.policy",
        {
            "metadata": {"name": name, "namespace": "shop"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
        },
    )
    shop.run(0.1)


def status(shop: Any, name: str = "web") -> Object:
    found = shop.world.store.get(Key("poddisruptionbudgets.policy", "shop", name))
    value: Object = found["status"]
    return value


def counts(shop: Any, name: str = "web") -> tuple[int, int, int, int]:
    value = status(shop, name)
    return (
        value["currentHealthy"],
        value["desiredHealthy"],
        value["disruptionsAllowed"],
        value["expectedPods"],
    )


def evict(shop: Any, pod: str, dry_run: bool = False, **options: Any) -> Response:
    body: Object = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    if options:
        body["deleteOptions"] = options
    answer = handle(
        shop.world,
        Request(
            "POST",
            f"/api/v1/namespaces/shop/pods/{pod}/eviction",
            (("dryRun", "All"),) if dry_run else (),
            {"content-type": "application/json", "accept": "application/json"},
            orjson.dumps(body),
            ADMIN,
        ),
    )
    assert isinstance(answer, Response)
    return answer


def pods(shop: Any) -> list[str]:
    return [pod["metadata"]["name"] for pod in shop.pods()]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"minAvailable": 1}, (3, 1, 2, 3)),
        ({"minAvailable": 4}, (3, 4, 0, 3)),
        ({"minAvailable": "50%"}, (3, 2, 1, 3)),
        ({"maxUnavailable": 1}, (3, 2, 1, 3)),
        ({"maxUnavailable": "50%"}, (3, 1, 2, 3)),
        ({"maxUnavailable": 0}, (3, 3, 0, 3)),
    ],
)
def test_a_budget_counts(shop: Any, spec: Object, expected: tuple[int, int, int, int]) -> None:
    shop.apply(WEB)
    shop.run(3)
    budget(shop, **spec)
    assert counts(shop) == expected


def test_a_budget_without_pods_allows_nothing(shop: Any) -> None:
    budget(shop, minAvailable="50%")
    assert status(shop) == {
        "conditions": [
            {
                "type": "DisruptionAllowed",
                "status": "False",
                "observedGeneration": 1,
                "lastTransitionTime": status(shop)["conditions"][0]["lastTransitionTime"],
                "reason": "InsufficientPods",
                "message": "",
            }
        ],
        "currentHealthy": 0,
        "desiredHealthy": 0,
        "disruptionsAllowed": 0,
        "expectedPods": 0,
        "observedGeneration": 1,
    }
    assert shop.events("NoPods") == [("No matching pods found", 1)]


def test_pods_without_a_controller_cannot_be_counted_in_percent(shop: Any) -> None:
    shop.apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: lone, labels: {app: web}}\n"
        'spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}'
    )
    shop.run(3)
    budget(shop, maxUnavailable=1)
    assert counts(shop) == (1, 0, 0, 0)
    assert shop.events("UnmanagedPods") == [
        (
            "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:"
            "map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were "
            "found to be unmanaged. As a result, the status of the PDB cannot be calculated "
            "correctly, which may result in undefined behavior. To account for these pods please "
            'set ".spec.minAvailable" field of the PDB to an integer value.',
            1,
        )
    ]


def test_a_daemon_set_has_no_scale(shop: Any) -> None:
    shop.apply(WEB.replace("Deployment", "DaemonSet").replace("  replicas: 3\n", ""))
    shop.run(3)
    budget(shop, maxUnavailable=1)
    condition = status(shop)["conditions"][0]
    why = "daemonsets.apps does not implement the scale subresource"
    assert (condition["reason"], condition["message"]) == ("SyncFailed", why)
    assert shop.events("CalculateExpectedPodCountFailed") == [
        (f"Failed to calculate the number of expected pods: {why}", 1)
    ]
    answer = evict(shop, pods(shop)[0])
    assert orjson.loads(answer.body)["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget web does not allow evicting pods currently because "
            f"it failed sync: {why}",
        }
    ]


def test_an_eviction_spends_the_budget_until_the_pod_is_replaced(shop: Any) -> None:
    shop.apply(WEB)
    shop.run(3)
    budget(shop, minAvailable=2)
    first, second, _ = pods(shop)
    assert evict(shop, first).status == 201
    assert status(shop)["disruptionsAllowed"] == 0
    assert list(status(shop)["disruptedPods"]) == [first]
    going = shop.world.store.get(Key("pods", "shop", first))
    assert "deletionTimestamp" in going["metadata"]
    target = going["status"]["conditions"][-1]
    assert (target["reason"], target["message"]) == (
        "EvictionByEvictionAPI",
        "Eviction API: evicting",
    )
    refused = evict(shop, second)
    assert orjson.loads(refused.body) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Cannot evict pod as it would violate the pod's disruption budget.",
        "reason": "TooManyRequests",
        "details": {
            "causes": [
                {
                    "reason": "DisruptionBudget",
                    "message": "The disruption budget web needs 2 healthy pods and has 3 currently",
                }
            ]
        },
        "code": 429,
    }
    shop.run(10)
    assert counts(shop) == (3, 2, 1, 3)
    assert "disruptedPods" not in status(shop)


def test_a_dry_run_spends_nothing(shop: Any) -> None:
    shop.apply(WEB)
    shop.run(3)
    budget(shop, minAvailable=2)
    before = status(shop)
    assert evict(shop, pods(shop)[0], dry_run=True).status == 201
    assert status(shop) == before
    assert len(pods(shop)) == 3


def test_a_budget_that_nobody_has_looked_at_yet_refuses(shop: Any) -> None:
    shop.apply(WEB)
    shop.run(3)
    budget(shop, minAvailable=1)
    key = Key("poddisruptionbudgets.policy", "shop", "web")
    internal_client.update_status(shop.world, key, {**status(shop), "observedGeneration": 0})
    answer = evict(shop, pods(shop)[0])
    assert answer.status == 429
    assert orjson.loads(answer.body)["details"] == {
        "causes": [
            {
                "reason": "DisruptionBudget",
                "message": "The disruption budget web is still being processed by the server.",
            }
        ],
        "retryAfterSeconds": 10,
    }


def test_two_budgets_of_one_pod_are_not_supported(shop: Any) -> None:
    shop.apply(WEB)
    budget(shop, minAvailable=1)
    budget(shop, "percent", maxUnavailable="50%")
    shop.run(3)
    assert counts(shop) == (3, 1, 2, 3)
    assert counts(shop, "percent")[2] == 0
    name = pods(shop)[0]
    text = f'Pod "shop"/"{name}" matches multiple PodDisruptionBudgets.  Chose "web" arbitrarily.'
    said = [message for message, _ in shop.events("MultiplePodDisruptionBudgets")]
    assert text in said
    assert orjson.loads(evict(shop, name).body)["message"] == (
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
        "support."
    )


@pytest.mark.parametrize(("policy", "evicted"), [("IfHealthyBudget", False), ("AlwaysAllow", True)])
def test_unhealthy_pods_go_as_the_policy_says(shop: Any, policy: str, evicted: bool) -> None:
    probe = "readinessProbe: {httpGet: {path: /nowhere, port: 8080}, periodSeconds: 1}"
    shop.apply(WEB.replace('web:1.0"}', f'web:1.0", {probe}}}'))
    shop.run(5)
    budget(shop, minAvailable=2, unhealthyPodEvictionPolicy=policy)
    assert counts(shop) == (0, 2, 0, 3)
    assert (evict(shop, pods(shop)[0]).status == 201) is evicted


def test_the_name_in_the_body_must_be_the_pods(shop: Any) -> None:
    shop.apply(WEB)
    shop.run(3)
    name = pods(shop)[0]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "other"}}
    answer = handle(
        shop.world,
        Request(
            "POST",
            f"/api/v1/namespaces/shop/pods/{name}/eviction",
            (),
            {"content-type": "application/json", "accept": "application/json"},
            orjson.dumps(body),
            ADMIN,
        ),
    )
    assert isinstance(answer, Response)
    assert (answer.status, orjson.loads(answer.body)["message"]) == (
        400,
        "name in URL does not match name in Eviction object",
    )
