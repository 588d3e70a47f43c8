"""The subresource `proxy`: the API server passes requests on to pods, Services and kubelets."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client, resource_metrics
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.network import links
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.world import World

MANIFESTS = """
kind: services
metadata: {name: web, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080, name: http}, {port: 81, targetPort: 1, name: bad}]}
---
kind: services
metadata: {name: plain, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
kind: services
metadata: {name: empty, namespace: default}
spec: {selector: {app: none}, ports: [{port: 80}]}
---
kind: pods
metadata: {name: web, namespace: default, labels: {app: web}}
spec: {nodeName: node2, containers: [{name: web, image: "registry.example/shop/web:1.0", ports: [{containerPort: 8080}]}]}
"""


@pytest.fixture(scope="module")
def opened(recorded_images: Any) -> World:
    world = build(Blueprint(models=recorded_images))
    for manifest in yaml.safe_load_all(MANIFESTS):
        internal_client.create(world, manifest.pop("kind"), manifest)
    world.run_until(world.now + 30)
    return world


@pytest.fixture
def world(opened: World) -> World:
    return opened.fork()


def ask(world: World, place: str, method: str = "GET") -> tuple[int, str]:
    """Status, and the body or the message of a failure."""
    path = place if place.startswith("nodes/") else f"namespaces/default/{place}"
    answer = handle(world, Request(method, f"/api/v1/{path}"))
    assert isinstance(answer, Response)
    text = answer.body.decode()
    if answer.content_type.startswith("application/json") and '"Status"' in text:
        status = json.loads(text)
        return answer.status, f"{status['reason']}: {status['message']}"
    return answer.status, text


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("pods/web/proxy/", (200, "hello from web 1.0\n")),
        ("pods/web/proxy", (200, "hello from web 1.0\n")),
        ("pods/web:8080/proxy/healthz", (200, "ok\n")),
        ("pods/http:web:8080/proxy/healthz", (200, "ok\n")),
        ("pods/web/proxy/cgi-bin/whoami", (200, "web\n")),
        ("services/web:http/proxy/healthz", (200, "ok\n")),
        ("services/web:80/proxy/healthz", (200, "ok\n")),
        ("services/plain/proxy/healthz", (200, "ok\n")),
        ("services/web/proxy/", (503, 'ServiceUnavailable: no endpoints available for service "web"')),
        ("services/web:82/proxy/", (503, 'ServiceUnavailable: no service port 82 found for service "web"')),
        ("services/empty/proxy/", (503, 'ServiceUnavailable: no endpoints available for service "empty"')),
        ("services/none/proxy/", (404, 'NotFound: services "none" not found')),
        ("pods/none/proxy/", (404, 'NotFound: pods "none" not found')),
        ("services/a:b:c:d/proxy/", (400, 'BadRequest: invalid service request "a:b:c:d"')),
        ("nodes/node1/proxy/healthz", (200, "ok")),
        ("nodes/node1/proxy/none", (404, "404 page not found\n")),
        ("nodes/node9/proxy/healthz", (404, 'NotFound: nodes "node9" not found')),
    ],
)  # fmt: skip
def test_answers(world: World, place: str, expected: tuple[int, str]) -> None:
    assert ask(world, place) == expected


def test_what_is_not_there_is_the_servers_own_answer(world: World) -> None:
    assert ask(world, "pods/web/proxy/none")[0] == 404


def test_ends_that_do_not_answer(world: World) -> None:
    pod = world.store.get(Key("pods", "default", "web"))
    assert pod is not None
    ip = pod["status"]["podIP"]
    head = f"ServiceUnavailable: error trying to reach service: dial tcp {ip}"
    assert ask(world, "pods/web:9/proxy/") == (503, f"{head}:9: connect: connection refused")
    assert ask(world, "services/web:bad/proxy/") == (503, f"{head}:1: connect: connection refused")
    assert ask(world, "pods/https:web:8080/proxy/") == (
        503,
        "ServiceUnavailable: error trying to reach service: "
        "http: server gave HTTP response to HTTPS client",
    )
    links.cut(world, "node:node1", "node:node2")
    assert ask(world, "pods/web/proxy/") == (503, f"{head}:8080: i/o timeout")


def test_the_kubelet_lists_its_pods(world: World) -> None:
    status, text = ask(world, "nodes/node2:10250/proxy/pods")
    names = [pod["metadata"]["name"] for pod in json.loads(text)["items"]]
    assert (status, "web" in names) == (200, True)


def test_the_kubelet_lists_what_runs(world: World) -> None:
    status, text = ask(world, "nodes/node2/proxy/runningpods/")
    pod = world.store.get(Key("pods", "default", "web"))
    assert pod is not None
    listed = [entry for entry in json.loads(text)["items"] if entry["metadata"]["name"] == "web"]
    assert (status, listed) == (
        200,
        [
            {
                "metadata": {
                    "name": "web",
                    "namespace": "default",
                    "uid": pod["metadata"]["uid"],
                    "creationTimestamp": None,
                },
                "spec": {
                    "containers": [
                        {"name": entry["name"], "image": entry["image"], "resources": {}}
                        for entry in pod["spec"]["containers"]
                    ]
                },
                "status": {},
            }
        ],
    )


def test_the_summary_of_a_node_agrees_with_its_metrics(world: World) -> None:
    before = world.store.revision
    status, text = ask(world, "nodes/node2/proxy/stats/summary")
    assert ask(world, "nodes/node2/proxy/stats/summary") == (status, text)
    assert world.store.revision == before
    summary = json.loads(text)
    (pod,) = [entry for entry in summary["pods"] if entry["podRef"]["name"] == "web"]
    (used,) = world.service(USAGE).containers(world, pod["podRef"]["uid"])
    (container,) = pod["containers"]
    assert container["cpu"]["usageNanoCores"] == used.cpu_nanocores
    assert container["memory"]["workingSetBytes"] == used.memory_bytes
    _, metrics = ask(world, "nodes/node2/proxy/metrics/cadvisor")
    (seconds,) = re.findall(
        r'container_cpu_usage_seconds_total\{[^}]*pod="web",container="[^}]*\} (\S+)', metrics
    )
    assert container["cpu"]["usageCoreNanoSeconds"] == int(float(seconds) * 1e9)
    # "web: version 1.0 listening on port 8080" behind its moment, its stream and a tag.
    assert container["logs"]["usedBytes"] == len("web: version 1.0 listening on port 8080") + 41
    node = summary["node"]
    cpu, memory = resource_metrics.node_use(world, "node2")
    assert (node["cpu"]["usageNanoCores"], node["memory"]["workingSetBytes"]) == (cpu, memory)
    assert sorted(summary["node"]) == [
        *("cpu", "fs", "memory", "network", "nodeName", "rlimit", "runtime", "startTime")
    ]


def test_the_configuration_of_a_kubelet(world: World) -> None:
    status, text = ask(world, "nodes/node1/proxy/configz")
    found = json.loads(text)["kubeletconfig"]
    assert (status, found["maxPods"], found["port"], found["containerLogMaxSize"]) == (
        200,
        110,
        10250,
        "10Mi",
    )


def test_logs_of_containers_as_files(world: World) -> None:
    head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n'
    folders = "".join(
        f'<a href="{name}/">{name}/</a>\n' for name in ("containers", "journal", "pods")
    )
    assert ask(world, "nodes/node2/proxy/logs/") == (200, f"{head}{folders}</pre>\n")
    _, listed = ask(world, "nodes/node2/proxy/logs/containers/")
    (name,) = re.findall(r'<a href="(web_default_[^"]+\.log)">', listed)
    _, text = ask(world, f"nodes/node2/proxy/logs/containers/{name}")
    assert re.fullmatch(
        r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z stdout F web: version 1\.0 listening on port 8080\n",
        text,
    )
    assert ask(world, "nodes/node2/proxy/logs/none") == (404, "404 page not found\n")


def test_requests_through_the_proxy_are_logged(world: World) -> None:
    ask(world, "pods/web/proxy/healthz")
    ref = next(ref for ref in world.table("userland.processes") if ref.pod == "web")
    text = world.service(RUNTIME).logs(world, ref)[-1].text
    assert text.startswith("[::ffff:10.77.0.2]:")
    assert text.endswith(": response:200")
