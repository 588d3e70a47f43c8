"""Static pods: files on nodes, and the mirrors by which the API shows them."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.kubelet.keys import STATIC_PODS
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME

WEB = "registry.example/shop/web:1.0"
MIRROR = Key("pods", "default", "lamp-node1")
MANIFEST = """
apiVersion: v1
kind: Pod
metadata: {name: lamp, labels: {app: lamp}}
spec:
  terminationGracePeriodSeconds: 3
  containers: [{name: main, image: "registry.example/shop/web:%s"}]
"""


def place(town: Any, content: str | None, run_s: float = 5.0) -> None:
    town.world.service(STATIC_PODS).write(town.world, "node1", "lamp.yaml", content)
    town.run(run_s)


def images(town: Any) -> list[str]:
    """Images of the processes that run for the pod."""
    return [
        process.config.image
        for process in town.world.service(RUNTIME).running(town.world)
        if process.ref.pod == "lamp-node1"
    ]


def test_the_kubelet_runs_what_is_in_the_file(town: Any) -> None:
    place(town, MANIFEST % "1.0")
    pod = town.world.store.get(MIRROR)
    annotations = pod["metadata"]["annotations"]
    digest = annotations["kubernetes.io/config.hash"]
    node = town.world.store.get(Key("nodes", "", "node1"))
    assert sorted(annotations) == [
        "kubernetes.io/config.hash",
        "kubernetes.io/config.mirror",
        "kubernetes.io/config.seen",
        "kubernetes.io/config.source",
    ]
    assert annotations["kubernetes.io/config.mirror"] == digest
    assert annotations["kubernetes.io/config.source"] == "file"
    assert pod["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "v1",
            "controller": True,
            "kind": "Node",
            "name": "node1",
            "uid": node["metadata"]["uid"],
        }
    ]
    assert pod["spec"]["tolerations"] == [{"effect": "NoExecute", "operator": "Exists"}]
    assert "volumes" not in pod["spec"]
    assert (pod["status"]["phase"], images(town)) == ("Running", [WEB])
    assert town.world.service(STATIC_PODS).running(town.world, "node1") == {"lamp.yaml": MIRROR}
    # Its events bear the uid by which the kubelet knows it.
    told = {
        event["involvedObject"]["uid"]
        for event in town.world.store.list("events", "default")
        if event["involvedObject"]["name"] == "lamp-node1"
    }
    assert told == {digest}


@pytest.mark.parametrize("grace_s", [None, 0])
def test_a_deleted_mirror_comes_back_with_the_same_containers(
    town: Any, grace_s: int | None
) -> None:
    place(town, MANIFEST % "1.0")
    before = town.world.store.get(MIRROR)
    internal_client.delete(town.world, MIRROR, grace_s=grace_s)
    town.run(0.5)
    assert town.world.store.get(MIRROR) is None
    assert images(town) == [WEB]
    town.run(2.0)
    after = town.world.store.get(MIRROR)
    assert "deletionTimestamp" not in after["metadata"]
    assert after["metadata"]["creationTimestamp"] > before["metadata"]["creationTimestamp"]
    assert after["status"]["containerStatuses"] == before["status"]["containerStatuses"]
    assert town.events("Killing") == []


def test_without_its_file_the_pod_ends(town: Any) -> None:
    place(town, MANIFEST % "1.0")
    place(town, None)
    assert town.world.store.get(MIRROR) is None
    assert images(town) == []
    assert town.events("Killing") == [("Killing", "Stopping container main", 1)]


def test_another_file_content_is_another_pod(town: Any) -> None:
    place(town, MANIFEST % "1.0")
    place(town, MANIFEST % "1.0")
    assert town.events("Killing") == []
    place(town, MANIFEST % "1.1", run_s=10.0)
    assert images(town) == ["registry.example/shop/web:1.1"]
    assert town.events("Killing") == [("Killing", "Stopping container main", 1)]


@pytest.mark.parametrize("content", ["kind: [", "kind: Service", "kind: Pod\nspec: {}", "text"])
def test_what_is_no_pod_is_passed_over(town: Any, content: str) -> None:
    place(town, content)
    assert town.world.store.get(MIRROR) is None


def test_a_file_comes_by_way_of_a_volume(town: Any) -> None:
    town.pod(
        f"{{nodeName: node1, containers: [{{name: c, image: '{WEB}', volumeMounts: "
        "[{name: v, mountPath: /m}]}], "
        "volumes: [{name: v, hostPath: {path: /etc/kubernetes/manifests}}]}",
        run_s=3.0,
    )
    runtime = town.world.service(RUNTIME)
    uid = town.world.store.get(Key("pods", "default", "app"))["metadata"]["uid"]
    ref = town.world.table("kubelet.pods")[uid].ref("c")
    runtime.exec(town.world, ref, ("sh", "-c", "cat > /m/lamp.yaml"), MANIFEST % "1.0")
    town.run(4.0)
    assert images(town) == [WEB]
    runtime.exec(town.world, ref, ("rm", "/m/lamp.yaml"), "")
    town.run(6.0)
    assert images(town) == []
