"""Whatever a client sends, the API answers, and what it keeps are proper objects.

Requests are made at random from a seed, out of parts that are mostly right: that reaches further
than noise does. A failure prints the seed and the request; both come again in every run.
"""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Connect, Request, Response, Watch
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

REQUESTS = 600
GROUPS = {
    "/api/v1": ("pods", "services", "configmaps", "secrets", "namespaces", "nodes", "events"),
    "/apis/apps/v1": ("deployments", "replicasets", "statefulsets", "daemonsets"),
    "/apis/batch/v1": ("jobs", "cronjobs"),
    "/apis/discovery.k8s.io/v1": ("endpointslices",),
    "/apis/nope/v1": ("things",),
}
KINDS = {
    "pods": "Pod", "services": "Service", "configmaps": "ConfigMap", "secrets": "Secret",
    "namespaces": "Namespace", "nodes": "Node", "events": "Event", "deployments": "Deployment",
    "replicasets": "ReplicaSet", "statefulsets": "StatefulSet", "daemonsets": "DaemonSet",
    "jobs": "Job", "cronjobs": "CronJob", "endpointslices": "EndpointSlice", "things": "Thing",
}  # fmt: skip
METHODS = ("GET", "GET", "POST", "POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "BREW")
SUBRESOURCES = ("status", "scale", "log", "exec", "eviction", "binding", "finalize", "nope", "")
PATCHES = ("strategic-merge-patch+json", "merge-patch+json", "json-patch+json", "apply-patch+yaml")
QUERIES = (
    ("limit", "1"), ("limit", "x"), ("labelSelector", "a=b"), ("labelSelector", "a in (b"),
    ("fieldSelector", "metadata.name=a"), ("fieldSelector", "spec..=="), ("dryRun", "All"),
    ("dryRun", "x"), ("fieldManager", "me"), ("force", "true"), ("fieldValidation", "Strict"),
    ("fieldValidation", "Ignore"), ("continue", "zzz"), ("continue", "e30"), ("watch", "true"),
    ("resourceVersion", "1"), ("resourceVersion", "-1"), ("resourceVersion", "99999999"),
    ("propagationPolicy", "Foreground"), ("propagationPolicy", "Orphan"), ("timeoutSeconds", "y"),
    ("gracePeriodSeconds", "0"), ("tailLines", "a"), ("sinceSeconds", "-1"), ("includeObject", "x"),
)  # fmt: skip
ACCEPTS = (
    "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io", "application/yaml", "text/x",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json", "", ";;,=",
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None,
    "",
    "x",
    -1,
    0,
    2**70,
    1.5,
    True,
    [],
    {},
    ["x"],
    {"x": None},
    "a/b",
    "é",
)
WORDS = (
    "metadata", "spec", "status", "name", "labels", "replicas", "selector", "matchLabels", "type",
    "template", "containers", "ports", "image", "volumes", "data", "annotations", "finalizers",
    "ownerReferences", "resources", "limits", "env", "generateName", "uid", "$patch", "nope",
)  # fmt: skip


class Maker:
    """Makes requests from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def request(self) -> Request:
        pick = self._random.choice
        root = pick((*tuple(GROUPS) * 3, *tuple(GROUPS)[:4]))
        plural = pick(GROUPS[root])
        namespaced = (
            ""
            if plural in ("namespaces", "nodes")
            else pick(("/namespaces/shop",) * 4 + ("", "/namespaces/none"))
        )
        method = pick(METHODS)
        named = method not in ("POST",) and self._random.random() < 0.8
        path = f"{root}{namespaced}/{plural}"
        if named:
            path += f"/{pick((*'abcdefgh', 'default', 'A_'))}"
            if self._random.random() < 0.2:
                path += f"/{pick(SUBRESOURCES)}"
        query = tuple(pick(QUERIES) for _ in range(pick((0, 0, 0, 0, 1, 2))))
        kind = "application/" + (
            pick(PATCHES)
            if method == "PATCH"
            else pick(("json", "json", "json", "json", "yaml", "x"))
        )
        headers = {"accept": pick((*ACCEPTS, *ACCEPTS[:1] * 12)), "content-type": kind}
        return Request(method, path, query, headers, self._body(root, plural, kind))

    def _body(self, root: str, plural: str, kind: str) -> bytes:
        if self._random.random() < 0.05:
            return self._random.choice(
                (b"", b"{", b"\xff\x00", b"k8s\x00\x0a\x01", b"[]", b"null", b"- a: [")
            )
        if kind.endswith("json-patch+json"):
            return orjson.dumps([self._operation() for _ in range(self._random.randint(0, 3))])
        body = self._whole(root, plural)
        for _ in range(self._random.choice((0, 0, 0, 1, 1, 2, 4))):
            self._spoil(body)
        try:
            return orjson.dumps(body)
        except TypeError:
            return b"{}"

    def _operation(self) -> Any:
        pick = self._random.choice
        path = "".join(f"/{pick((*WORDS, '0', '-', 'a~1b'))}" for _ in range(pick((0, 1, 2, 2, 3))))
        word = pick(("add", "remove", "replace", "move", "copy", "test", "nope"))
        return pick(({"op": word, "path": path, "value": "x", "from": "/spec"}, {"op": word}, 1))

    def _whole(self, root: str, plural: str) -> dict[str, Any]:
        pick = self._random.choice
        labels = {"a": "b"}
        container = {"name": "c", "image": "i:1", "ports": [{"containerPort": 80}]}
        pod = {"containers": [container], "volumes": [{"name": "v", "emptyDir": {}}]}
        template = {"metadata": {"labels": labels}, "spec": {**pod, "restartPolicy": "Always"}}
        once = {"template": {"spec": {**pod, "restartPolicy": "Never"}}}
        work = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        specs: dict[str, dict[str, Any]] = {
            "pods": pod, "services": {"ports": [{"port": 80}], "selector": labels}, "jobs": once,
            "cronjobs": {"schedule": "* * * * *", "jobTemplate": {"spec": once}},
            "deployments": work, "replicasets": work, "statefulsets": {**work, "serviceName": "x"},
            "daemonsets": {"selector": work["selector"], "template": template},
        }  # fmt: skip
        body: dict[str, Any] = {
            "apiVersion": root.removeprefix("/apis/").removeprefix("/api/"),
            "kind": KINDS[plural],
            "metadata": {"name": pick("abcdefgh"), "labels": dict(labels)},
        }
        if plural in specs:
            body["spec"] = orjson.loads(orjson.dumps(specs[plural]))
        if plural in ("configmaps", "secrets"):
            body["data"] = {"k": "dg=="}
        if plural == "endpointslices":
            body |= {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}], "ports": []}
        return body

    def _spoil(self, value: Any) -> None:
        """Change something somewhere inside."""
        while True:
            keys = list(value) if isinstance(value, dict) else list(range(len(value)))
            if not keys or self._random.random() < 0.25:
                break
            below = value[self._random.choice(keys)]
            if not isinstance(below, dict | list):
                break
            value = below
        odd = self._random.choice(ODD)
        odd = orjson.loads(orjson.dumps(odd)) if isinstance(odd, dict | list) else odd
        if isinstance(value, list):
            value.append(odd)
        elif value and self._random.random() < 0.7:
            value[self._random.choice(list(value))] = odd
        else:
            value[self._random.choice(WORDS)] = odd


def _check(world: World) -> None:
    """What holds for every object that is kept."""
    uids = []
    for resource in world.store.resources():
        for obj in world.store.list(resource):
            metadata = obj["metadata"]
            uids.append(metadata["uid"])
            assert 0 < int(metadata["resourceVersion"]) <= world.store.revision
            assert metadata["name"]
            assert metadata["creationTimestamp"]
            if metadata.get("namespace"):
                assert world.store.get(Key("namespaces", "", metadata["namespace"])), obj
    assert len(set(uids)) == len(uids)


@pytest.fixture(scope="module")
def base() -> World:
    world = build(Blueprint())
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(world.now + 1)
    return world


@pytest.mark.parametrize("seed", range(4))
def test_every_request_is_answered(base: World, seed: int) -> None:
    world, maker, created = base.fork(seed), Maker(seed), 0
    for number in range(REQUESTS):
        request = maker.request()
        try:
            answer = handle(world, request)
        except Exception as error:
            pytest.fail(f"seed {seed}, request {number}: {error!r} on {request}")
        assert isinstance(answer, Response | Watch | Connect)
        if isinstance(answer, Response):
            created += answer.status == 201
            # 504 is what a server says to a resourceVersion that has not come yet.
            assert answer.status < 500 or answer.status == 504, f"{request} {answer}"
        if number % 20 == 0:
            # What controllers, scheduler and kubelet make of it must not fail either.
            world.run_until(world.now + 5)
            _check(world)
    _check(world)
    assert created > 10, "too little was ever created: the requests are too wild"
