"""A machine that loses its power, and boots again."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import LOGS
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.node.power import power_off, power_on
from sregym_cluster_embedded.store import Key, Object

WEB = """\
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  nodeName: node2
  containers: [{name: web, image: "registry.example/shop/web:1.0"}]
"""


def pod(shop: Any) -> Object:
    found: Object = shop.world.store.get(Key("pods", "shop", "app"))
    return found


def node(shop: Any) -> Object:
    found: Object = shop.world.store.get(Key("nodes", "", "node2"))
    return found


def ready(shop: Any) -> str:
    entry = next(e for e in node(shop)["status"]["conditions"] if e["type"] == "Ready")
    return str(entry["status"])


def test_nobody_hears_of_a_machine_without_power(shop: Any) -> None:
    shop.apply(WEB)
    (peer,) = shop.apply(WEB.replace("node2", "node1").replace("app", "peer"))
    shop.run(3)
    power_off(shop.world, "node2")
    power_off(shop.world, "node2")
    shop.run(5)
    assert pod(shop)["status"]["containerStatuses"][0]["state"].keys() == {"running"}
    net = shop.world.service(NETWORK)
    dialled = net.dial(shop.world, peer, pod(shop)["status"]["podIP"], 8080)
    assert str(dialled.outcome) == "no_route"
    with pytest.raises(ApiError) as refused:
        shop.world.service(LOGS)(shop.world, "shop", "app", "", {})
    assert refused.value.status["message"] == (
        'Get "https://10.77.0.3:10250/containerLogs/shop/app/web": '
        "dial tcp 10.77.0.3:10250: connect: no route to host"
    )
    shop.run(60)
    assert ready(shop) == "Unknown"


def test_a_machine_that_boots_starts_its_pods_again(shop: Any) -> None:
    shop.apply(WEB)
    shop.run(3)
    before = node(shop)["status"]["nodeInfo"]["bootID"]
    power_off(shop.world, "node2")
    shop.run(100)
    power_on(shop.world, "node2")
    shop.run(5)
    status = pod(shop)["status"]["containerStatuses"][0]
    ended = status["lastState"]["terminated"]
    assert (status["restartCount"], status["ready"]) == (1, True)
    assert (ended["exitCode"], ended["reason"]) == (255, "Unknown")
    assert shop.events("SandboxChanged") == [
        ("Pod sandbox changed, it will be killed and re-created.", 1)
    ]
    after = node(shop)["status"]["nodeInfo"]["bootID"]
    assert after != before
    said = [
        event["message"]
        for event in shop.world.store.list("events", "default")
        if event["reason"] == "Rebooted"
    ]
    assert said == [f"Node node2 has been rebooted, boot id: {after}"]
    assert ready(shop) == "True"
