"""What a watcher sees of a rolling update: one ReplicaSet after the other, each step reported."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Change, Key
from sregym_cluster_embedded.world import World

WEB = Key("deployments.apps", "shop", "web")
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 5
      containers: [{name: web, image: "registry.example/shop/web:1.0"}]
"""
COUNTED = ("replicas", "updatedReplicas", "readyReplicas", "terminatingReplicas")


def test_each_step_of_a_rolling_update_is_reported(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(10)
    seen: list[tuple[int, ...]] = []

    def note(_world: World, change: Change) -> None:
        if change.key == WEB:
            status = change.obj["status"]
            step = tuple(status.get(name, 0) for name in COUNTED)
            if not seen or seen[-1] != step:
                seen.append(step)

    built = shop.world.spec
    shop.world.spec = replace(built, listeners=(*built.listeners, note))
    world = shop.world.fork()
    deployment = world.store.get(WEB)
    template = deployment["spec"]["template"]
    container = {**template["spec"]["containers"][0], "image": "registry.example/shop/web:1.1"}
    changed = {**template, "spec": {**template["spec"], "containers": [container]}}
    spec = {**deployment["spec"], "template": changed}
    internal_client.update(world, WEB.resource, {**deployment, "spec": spec})
    world.run_until(world.now + 20)
    assert seen == [
        (3, 3, 3, 0),
        (3, 0, 3, 0),
        # One more pod than wanted; when it is ready, an old one goes before the next new one comes.
        (4, 1, 3, 0),
        (4, 1, 4, 0),
        (3, 1, 3, 1),
        (4, 2, 3, 1),
        (4, 2, 3, 0),
        (4, 2, 4, 0),
        (3, 2, 3, 1),
        (4, 3, 3, 1),
        (4, 3, 3, 0),
        (4, 3, 4, 0),
        (3, 3, 3, 1),
        (3, 3, 3, 0),
    ]


def test_the_status_of_a_new_size_says_nothing_of_progress(shop: Any) -> None:
    shop.apply(DEPLOYMENT)
    shop.run(10)
    world = shop.world
    deployment = world.store.get(WEB)
    template = deployment["spec"]["template"]
    container = {**template["spec"]["containers"][0], "image": "registry.example/shop/web:1.1"}
    changed = {**template, "spec": {**template["spec"], "containers": [container]}}
    spec = {**deployment["spec"], "template": changed}
    internal_client.update(world, WEB.resource, {**deployment, "spec": spec})
    sets = "replicasets.apps"
    while sum(entry["status"]["replicas"] for entry in world.store.list(sets, "shop")) < 4:
        world.run_until(world.now + 0.001)
    # The new ReplicaSet has counted its first pod, the Deployment has not heard of it yet.
    deployment = world.store.get(WEB)
    assert deployment["status"].get("updatedReplicas", 0) == 0
    internal_client.update(
        world, WEB.resource, {**deployment, "spec": {**deployment["spec"], "replicas": 5}}
    )
    while world.store.get(WEB)["status"]["observedGeneration"] < 3:
        world.run_until(world.now + 0.001)
    status = world.store.get(WEB)["status"]
    (progress,) = [entry for entry in status["conditions"] if entry["type"] == "Progressing"]
    assert status["updatedReplicas"] == 1
    assert progress["reason"] == "NewReplicaSetCreated"
