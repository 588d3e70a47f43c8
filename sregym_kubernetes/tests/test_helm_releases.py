"""Releases stand in the cluster as Helm keeps them, a revision for each change by Helm."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from sregym_core.model import ObjectRef
from sregym_kubernetes.changes import apply_edit, with_delivery_marks
from sregym_kubernetes.changes.delivery import DELIVERERS, EDIT, Delivery
from sregym_kubernetes.changes.helm import KEPT, install, payload
from sregym_testing import MemoryCluster

HELM = DELIVERERS[Delivery.HELM]
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"ports": [{"port": 80, "targetPort": 8080}]},
}
CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "web", "namespace": "default"},
    "data": {"a": "b"},
}
REF = ObjectRef.of(SERVICE)


def installed() -> MemoryCluster:
    cluster = MemoryCluster()
    objects = [
        with_delivery_marks(obj, Delivery.HELM, "shop", "default") for obj in (SERVICE, CONFIG)
    ]
    for obj in objects:
        cluster.create(obj, HELM)
    install(cluster, "shop", "default", objects)
    return cluster


def change(cluster: MemoryCluster, port: int, actor: Any = HELM) -> None:
    current = cluster.get(REF)
    assert current is not None
    patch = {"spec": {"ports": [{"port": 80, "targetPort": port}]}}
    apply_edit(cluster, REF, patch, "merge", actor, current)


def revisions(cluster: MemoryCluster) -> list[tuple[str, str, str]]:
    found = cluster.list("v1", "Secret", "default", "owner=helm")
    told = [(s["metadata"]["name"], s["metadata"]["labels"]["status"], s["type"]) for s in found]
    return sorted(told, key=lambda one: int(one[0].rpartition("v")[2]))


def ports(manifest: str) -> list[int]:
    documents = [json.loads(line) for line in manifest.splitlines() if line.startswith("{")]
    return [doc["spec"]["ports"][0]["targetPort"] for doc in documents if doc["kind"] == "Service"]


def test_a_release_is_what_helm_reads() -> None:
    cluster = installed()
    (secret,) = cluster.list("v1", "Secret", "default")
    assert secret["type"] == "helm.sh/release.v1"
    labels = secret["metadata"]["labels"]
    assert {key: labels[key] for key in ("name", "owner", "status", "version")} == {
        "name": "shop",
        "owner": "helm",
        "status": "deployed",
        "version": "1",
    }
    packed = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    content = json.loads(gzip.decompress(packed))
    assert content == payload(secret)
    assert (content["name"], content["namespace"], content["version"]) == ("shop", "default", 1)
    assert content["info"]["status"] == "deployed"
    assert content["manifest"].startswith(
        "---\n# Source: shop/templates/default-web-service.yaml\n{"
    )
    assert ports(content["manifest"]) == [8080]


def test_each_change_by_helm_is_a_revision_and_what_people_change_is_none() -> None:
    cluster = installed()
    change(cluster, 9090)
    change(cluster, 7070, EDIT)
    kind = "helm.sh/release.v1"
    assert revisions(cluster) == [
        ("sh.helm.release.v1.shop.v1", "superseded", kind),
        ("sh.helm.release.v1.shop.v2", "deployed", kind),
    ]
    first, second = sorted(
        map(payload, cluster.list("v1", "Secret", "default")), key=lambda one: one["version"]
    )
    assert (ports(first["manifest"]), ports(second["manifest"])) == ([8080], [9090])
    assert first["info"]["status"] == "superseded"
    assert second["info"]["description"] == "Upgrade complete"
    assert second["chart"]["metadata"]["version"] == "1.1.0"


def test_only_the_last_revisions_are_kept() -> None:
    cluster = installed()
    for number in range(KEPT + 2):
        change(cluster, 9000 + number)
    found = revisions(cluster)
    assert [name.rpartition("v")[2] for name, *_ in found] == [str(n) for n in range(4, 14)]
    assert [status for _, status, _ in found] == ["superseded"] * 9 + ["deployed"]
