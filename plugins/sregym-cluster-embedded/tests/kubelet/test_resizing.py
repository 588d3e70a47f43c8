"""Pods that are given other resources while they run."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.pod_requests import whole
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.store import Key

ADMIN = User("admin", ("system:masters", "system:authenticated"))
POD = Key("pods", "default", "app")
SPEC = (
    '{containers: [{name: mem, image: "registry.example/shop/mem:1.0", '
    'env: [{name: MIB, value: "40"}], '
    "resources: {requests: {cpu: 50m, memory: 32Mi}, limits: {cpu: 100m, memory: 64Mi}}%s}]}"
)
POLICY = ", resizePolicy: [{resourceName: memory, restartPolicy: RestartContainer}]"


def resize(town: Any, **resources: dict[str, str | None]) -> dict[str, Any]:
    body = {"spec": {"containers": [{"name": "mem", "resources": resources}]}}
    path = "/api/v1/namespaces/default/pods/app/resize"
    headers = {"content-type": "application/strategic-merge-patch+json"}
    request = Request("PATCH", path, (), headers, orjson.dumps(body), ADMIN)
    answer = handle(town.world, request)
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


def held(town: Any) -> dict[str, Any]:
    found: dict[str, Any] = town.status()["containerStatuses"][0]["resources"]
    return found


def conditions(town: Any) -> list[tuple[str, str, str]]:
    return [
        (entry["type"], entry.get("reason", ""), entry.get("message", ""))
        for entry in town.status()["conditions"]
        if entry["type"].startswith("PodResize")
    ]


def test_a_running_container_gets_other_limits(town: Any) -> None:
    town.pod(SPEC % "", run_s=5)
    resize(town, limits={"cpu": "150m"}, requests={"cpu": "80m"})
    town.run(0.5)
    assert conditions(town) == [("PodResizeInProgress", "", "")]
    town.run(3)
    assert held(town) == {
        "limits": {"cpu": "150m", "memory": "64Mi"},
        "requests": {"cpu": "80m", "memory": "32Mi"},
    }
    assert (conditions(town), town.status()["containerStatuses"][0]["restartCount"]) == ([], 0)
    summary = (
        '{"containers":[{"name":"mem","resources":{"limits":{"cpu":"150m","memory":"64Mi"},'
        '"requests":{"cpu":"80m","memory":"32Mi"}}}],"generation":2}'
    )
    assert town.events("ResizeStarted", "ResizeCompleted") == [
        ("ResizeCompleted", f"Pod resize completed: {summary}", 1),
        ("ResizeStarted", f"Pod resize started: {summary}", 1),
    ]


def test_more_than_a_node_has_is_refused_with_what_it_has(town: Any) -> None:
    town.pod(SPEC % "", run_s=5)
    before = town.world.store.get(POD)
    more = {"cpu": "8001m", "memory": "9Ti"}
    answer = resize(town, limits={"cpu": "9", "memory": "10Ti"}, requests=more)
    allocatable = town.world.store.get(Key("nodes", "", "node1"))["status"]["allocatable"]
    assert (answer["code"], answer["reason"]) == (403, "Forbidden")
    assert answer["message"] == (
        'pods "app" is forbidden: node didn\'t have enough allocatable resources: '
        "cpu, requested: 8001, allocatable: 8000; memory, requested: 9895604649984, "
        f"allocatable: {whole(allocatable['memory'])}"
    )
    assert town.world.store.get(POD) == before


def test_more_than_a_node_has_is_infeasible_and_changes_nothing(town: Any) -> None:
    town.pod(SPEC % "", run_s=5)
    before = held(town)
    # The node has become smaller meanwhile.
    pod = town.world.store.get(POD)
    (container,) = pod["spec"]["containers"]
    much = {
        "limits": {"cpu": "900", "memory": "64Mi"},
        "requests": {"cpu": "900", "memory": "32Mi"},
    }
    containers = [{**container, "resources": much}]
    internal_client.update(
        town.world, "pods", {**pod, "spec": {**pod["spec"], "containers": containers}}
    )
    town.run(3)
    why = "Node didn't have enough capacity: cpu, requested: 900000, capacity: 8000"
    assert conditions(town) == [("PodResizePending", "Infeasible", why)]
    assert held(town) == before
    resize(town, limits={"cpu": "100m"}, requests={"cpu": "50m"})
    town.run(3)
    assert (conditions(town), held(town)) == ([], before)


def test_what_others_have_is_given_when_they_are_gone(town: Any) -> None:
    town.pod("{nodeName: node1, " + (SPEC % "")[1:], run_s=5)
    asks = "resources: {requests: {cpu: '7'}}"
    other = f"containers: [{{name: c, image: 'registry.example/shop/worker:1.0', {asks}}}]"
    town.pod(f"{{nodeName: node1, terminationGracePeriodSeconds: 1, {other}}}", "other", 3)
    resize(town, limits={"cpu": "2"}, requests={"cpu": "2"})
    town.run(2)
    ((name, reason, text),) = conditions(town)
    assert (name, reason, text.partition(", used")[0]) == (
        "PodResizePending",
        "Deferred",
        "Node didn't have enough resource: cpu, requested: 2000",
    )
    internal_client.delete(town.world, Key("pods", "default", "other"))
    town.run(8)
    assert (conditions(town), held(town)["requests"]["cpu"]) == ([], "2")


def test_a_container_whose_policy_says_so_is_restarted(town: Any) -> None:
    town.pod(SPEC % POLICY, run_s=5)
    resize(town, limits={"memory": "96Mi"})
    town.run(45)
    (status,) = town.status()["containerStatuses"]
    assert (status["restartCount"], status["ready"]) == (1, True)
    assert held(town)["limits"] == {"cpu": "100m", "memory": "96Mi"}
    assert town.events("Killing") == [("Killing", "Container mem resize requires restart", 1)]


def test_a_limit_below_what_is_used_waits_until_less_is_used(town: Any) -> None:
    town.pod(SPEC % "", run_s=10)
    before = held(town)
    resize(town, limits={"memory": "33Mi"})
    town.run(2)
    ((name, reason, text),) = conditions(town)
    used = text.rpartition("(")[2].rstrip(")]")
    assert (name, reason, text) == (
        "PodResizeInProgress",
        "Error",
        f"cannot decrease memory limits: [attempting to set pod memory limit (34603008) below "
        f'current usage ({used}), attempting to set container "mem" memory limit (34603008) below '
        f"current usage ({used})]",
    )
    assert int(used) > 34603008
    assert (held(town), town.status()["containerStatuses"][0]["restartCount"]) == (before, 0)
    told = town.events("ResizeStarted", "ResizeError", "ResizeCompleted")
    assert [(reason, count) for reason, _, count in told] == [
        ("ResizeError", 1),
        ("ResizeStarted", 1),
    ]
    summary = (
        'Pod resize error: {"containers":[{"name":"mem","resources":{"limits":{"cpu":"100m",'
        '"memory":"33Mi"},"requests":{"cpu":"50m","memory":"32Mi"}}}],"generation":2,"error":'
    )
    assert told[0][1].startswith(summary)
    resize(town, limits={"memory": "60Mi"})
    town.run(20)
    assert (conditions(town), held(town)["limits"]["memory"]) == ([], "60Mi")


@pytest.mark.parametrize(
    ("resources", "why"),
    [
        (
            {"limits": {"cpu": "50m", "memory": "32Mi"}},
            'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        ),
        (
            {"limits": {"cpu": None}},
            "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed",
        ),
        (
            {"requests": {"ephemeral-storage": "1Gi"}},
            "spec: Forbidden: only cpu and memory resources are mutable",
        ),
        (
            {"requests": {"cpu": "1"}},
            'spec.containers[0].resources.requests: Invalid value: "1": must be less than or equal '
            "to cpu limit of 100m",
        ),
    ],
)
def test_what_a_resize_cannot_be(town: Any, resources: Any, why: str) -> None:
    town.pod(SPEC % "", run_s=5)
    answer = resize(town, **resources)
    # Below the words stands what differs.
    assert answer["message"].partition("\n")[0] == f'Pod "app" is invalid: {why}'


def test_a_resize_changes_nothing_but_resources(town: Any) -> None:
    town.pod(SPEC % "", run_s=5)
    body = {"spec": {"containers": [{"name": "mem", "image": "registry.example/shop/mem:2.0"}]}}
    path = "/api/v1/namespaces/default/pods/app/resize"
    headers = {"content-type": "application/strategic-merge-patch+json"}
    answer = handle(town.world, Request("PATCH", path, (), headers, orjson.dumps(body), ADMIN))
    assert isinstance(answer, Response)
    (container,) = orjson.loads(answer.body)["spec"]["containers"]
    assert container["image"] == "registry.example/shop/mem:1.0"


WHOLE = (
    "{resources: {requests: {cpu: 50m, memory: 32Mi}, limits: {cpu: 100m, memory: 64Mi}}, "
    'containers: [{name: mem, image: "registry.example/shop/mem:1.0", '
    'env: [{name: MIB, value: "%d"}]}, '
    '{name: web, image: "registry.example/shop/web:1.0", resources: {requests: {cpu: 10m}}}]}'
)


def test_what_a_pod_itself_may_use_stands_in_its_status(town: Any) -> None:
    town.pod(WHOLE % 40, run_s=8)
    status = town.status()
    assert (status["qosClass"], status["allocatedResources"], status["resources"]) == (
        "Burstable",
        {"cpu": "50m", "memory": "32Mi"},
        {
            "limits": {"cpu": "100m", "memory": "64Mi"},
            "requests": {"cpu": "50m", "memory": "32Mi"},
        },
    )


def test_a_container_without_a_limit_has_that_of_its_pod(town: Any) -> None:
    town.pod(WHOLE % 100, run_s=20)
    ended = town.status()["containerStatuses"][0]["lastState"]["terminated"]
    assert (ended["reason"], ended["exitCode"]) == ("OOMKilled", 137)


def test_a_pod_itself_is_resized(town: Any) -> None:
    town.pod(WHOLE % 40, run_s=8)
    pod = town.world.store.get(POD)
    more = {"limits": {"cpu": "100m", "memory": "96Mi"}, "requests": {"cpu": "900"}}
    internal_client.update(town.world, "pods", {**pod, "spec": {**pod["spec"], "resources": more}})
    town.run(2)
    why = "Node didn't have enough capacity: cpu, requested: 900000, capacity: 8000"
    assert conditions(town) == [("PodResizePending", "Infeasible", why)]
    assert town.status()["resources"]["limits"] == {"cpu": "100m", "memory": "64Mi"}
    less = {"limits": {"cpu": "100m", "memory": "33Mi"}, "requests": {"cpu": "50m"}}
    pod = town.world.store.get(POD)
    internal_client.update(town.world, "pods", {**pod, "spec": {**pod["spec"], "resources": less}})
    town.run(0.5)
    ((_, reason, text),) = conditions(town)
    head = "cannot decrease memory limits: attempting to set pod memory limit (34603008) below "
    assert (reason, text.startswith(f"{head}current usage (")) == ("Error", True)
    more = {"limits": {"cpu": "100m", "memory": "96Mi"}, "requests": {"cpu": "50m"}}
    pod = town.world.store.get(POD)
    internal_client.update(town.world, "pods", {**pod, "spec": {**pod["spec"], "resources": more}})
    town.run(5)
    assert (conditions(town), town.status()["resources"]["limits"]["memory"]) == ([], "96Mi")
