"""What is remembered of manifests and templates never shows: clusters stay apart, objects whole."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import orjson
from sregym_cluster_embedded.api.defaults.pod import pod_spec
from sregym_cluster_embedded.api.identity_cache import Same
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.world import World

PATH = "/apis/apps/v1/namespaces/shop/deployments"
DEPLOYMENT: dict[str, Any] = {
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "c", "image": "registry.example/web:1.0"}]},
        },
    },
}


def send(world: World, method: str, path: str, body: Any, content: str) -> Any:
    headers = {"content-type": content, "accept": "application/json"}
    answer: Any = handle(world, Request(method, path, (), headers, orjson.dumps(body)))
    return answer.status, orjson.loads(answer.body)


def created(world: World, body: Any) -> Any:
    return send(world, "POST", PATH, body, "application/json")


def test_only_the_very_same_is_the_same() -> None:
    value = {"a": 1}
    known = {Same(value): "found"}
    assert known.get(Same(value)) == "found"
    assert known.get(Same({"a": 1})) is None
    assert Same(value) != value


def test_one_text_in_two_clusters_is_two_objects(make_world: Callable[[], World]) -> None:
    one, other = make_world(), make_world()
    first, second = created(one, DEPLOYMENT), created(other, DEPLOYMENT)
    assert first == second
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "x:2"}]}}}}
    kind = "application/strategic-merge-patch+json"
    status, patched = send(one, "PATCH", f"{PATH}/web", patch, kind)
    assert (status, patched["spec"]["template"]["spec"]["containers"][0]["image"]) == (200, "x:2")
    third = created(make_world(), DEPLOYMENT)
    assert third == second


def test_a_refused_text_is_refused_each_time(world: World) -> None:
    wrong = deepcopy(DEPLOYMENT)
    wrong["spec"]["replicas"] = "many"
    expected = (
        'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal '
        "string into Go struct field DeploymentSpec.spec.replicas of type int32"
    )
    for _ in range(2):
        status, answer = created(world, wrong)
        assert (status, answer["message"]) == (400, expected)
    low = deepcopy(DEPLOYMENT)
    low["spec"]["minReadySeconds"] = -1
    first, second = created(world, low), created(world, low)
    assert first == second
    assert first[0] == 422


def test_a_template_is_completed_without_being_changed() -> None:
    spec = {"containers": [{"name": "c", "image": "web:1.0"}]}
    before = deepcopy(spec)
    whole = pod_spec(spec)
    assert spec == before
    assert whole["containers"][0]["imagePullPolicy"] == "IfNotPresent"
    assert pod_spec(spec) is whole
    assert pod_spec(whole) is whole
