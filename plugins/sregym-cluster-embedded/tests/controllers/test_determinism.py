"""Same seed, same world: across two worlds, and across a fork."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

MANIFESTS = """
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/shop/web:1.0
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: bad}
spec: {containers: [{name: bad, image: "registry.example/shop/flaky:1.0"}]}
"""


def disturb(world: World) -> None:
    """Delete a pod, let the cluster repair itself."""
    pod = world.store.list("pods", "shop")[0]["metadata"]["name"]
    internal_client.delete(world, Key("pods", "shop", pod))
    world.run_until(world.now + 120)


def test_two_worlds_of_one_seed_are_equal(
    make_shop: Callable[..., Any], world_digest: Callable[[World], bytes]
) -> None:
    digests = []
    for _ in range(2):
        shop = make_shop(seed=7)
        shop.apply(MANIFESTS)
        shop.run(30)
        disturb(shop.world)
        digests.append(world_digest(shop.world))
    assert digests[0] == digests[1]


def test_another_seed_makes_another_world(
    make_shop: Callable[..., Any], world_digest: Callable[[World], bytes]
) -> None:
    assert world_digest(make_shop(seed=1).world) != world_digest(make_shop(seed=2).world)


def test_a_fork_goes_the_same_way_and_leaves_its_origin_alone(
    shop: Any, world_digest: Callable[[World], bytes]
) -> None:
    shop.apply(MANIFESTS)
    shop.run(30)
    before = world_digest(shop.world)
    fork = shop.world.fork()
    disturb(fork)
    assert world_digest(shop.world) == before
    disturb(shop.world)
    assert world_digest(shop.world) == world_digest(fork)


def test_a_quiet_cluster_plans_nothing(shop: Any) -> None:
    shop.apply(MANIFESTS.rpartition("---")[0])
    shop.run(120)
    # What was said of the objects is kept for an hour.
    planned = [event.handler for event in shop.world.clock.pending()]
    assert planned == ["controllers.event_expiry"]
    shop.run(3700)
    assert shop.world.clock.pending() == []
