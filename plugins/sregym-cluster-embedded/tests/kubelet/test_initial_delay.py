"""Probes keep still until their initial delay is over, whatever the process does."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.kubelet.keys import KUBELET

POD = """
apiVersion: v1
kind: Pod
metadata: {name: late}
spec:
  containers:
  - name: web
    image: registry.example/shop/web:1.0
    readinessProbe: {tcpSocket: {port: 8080}, initialDelaySeconds: 20, periodSeconds: 5}
"""


def ready(shop: Any) -> bool:
    (pod,) = shop.pods()
    return {e["type"]: e["status"] for e in pod["status"]["conditions"]}["Ready"] == "True"


def test_a_port_that_opens_early_is_not_looked_at_before_the_delay(shop: Any) -> None:
    shop.apply(POD)
    shop.run(2)
    (pod,) = shop.pods()
    uid = pod["metadata"]["uid"]
    (ref,) = [ref for ref in shop.world.table("shop.processes") if ref.pod_uid == uid]
    shop.world.service(KUBELET).touch(shop.world, ref)
    shop.run(14)
    assert not ready(shop)
    shop.run(12)
    assert ready(shop)


def test_the_delay_counts_from_the_start_of_the_container_not_of_its_startup(town: Any) -> None:
    town.pod(
        "{containers: [{name: c, image: 'registry.example/shop/slow:1.0', "
        "env: [{name: START_AFTER, value: '6'}], "
        "startupProbe: {tcpSocket: {port: 8080}, periodSeconds: 3, failureThreshold: 9}, "
        "readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 5, initialDelaySeconds: 12}}]}",
        run_s=0.2,
    )
    while "running" not in town.state():
        town.run(0.1)
    town.run(14.5)
    assert town.status()["containerStatuses"][0]["started"]
    assert not town.status()["containerStatuses"][0]["ready"]
    town.run(1.0)
    assert town.status()["containerStatuses"][0]["ready"]


def test_the_delay_holds_in_each_life_of_a_container(town: Any) -> None:
    """A probe that was due soon when the container ended waits for the delay of the next life."""
    town.pod(
        "{containers: [{name: c, image: 'registry.example/library/busybox:1.36', "
        "command: [sh, -c, 'sleep 7'], "
        "readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 2, initialDelaySeconds: 5}}]}",
        run_s=0.2,
    )
    while not town.status()["containerStatuses"][0]["restartCount"]:
        town.run(0.1)
    told = town.events("Unhealthy")
    town.run(4.5)
    assert town.events("Unhealthy") == told
    town.run(2.2)
    assert town.events("Unhealthy") != told
