"""The shop on an assembled cluster: what is done to its objects is what its users feel."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.machines import change
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.connections import sockets
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME
from sregym_cluster_embedded.world import World

RESOURCES = {"Deployment": "deployments.apps", "Service": "services", "ConfigMap": "configmaps"}

SCRIPT = (
    "mongo admin --quiet --eval \"db.createUser({user: 'admin', pwd: 'secret', "
    "roles: [{role: 'readWrite', db: 'stock-db'}]})\"\n"
)
CONFIG = '{"StockPort": "8081", "StockMongoAddress": "mongodb-stock:27017"}'


def workload(name: str, image: str, **container: Any) -> dict[str, Any]:
    labels = {"app": name}
    volumes = container.pop("volumes", [])
    spec = {"containers": [{"name": name, "image": image, **container}], "volumes": volumes}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def service(name: str, port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"selector": {"app": name}, "ports": [{"port": port, "targetPort": port}]},
    }


def config_map(name: str, **data: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def manifests() -> list[dict[str, Any]]:
    image = "ghcr.io/acme/shop:1.0"
    root = [
        {"name": "MONGO_INITDB_ROOT_USERNAME", "value": "root"},
        {"name": "MONGO_INITDB_ROOT_PASSWORD", "value": "root"},
    ]
    probe = {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 1}
    return [
        config_map("scripts", **{"user.sh": SCRIPT}),
        config_map("config", **{"config.json": CONFIG}),
        workload(
            "mongodb-stock",
            "mongo:4.4.6",
            env=root,
            volumeMounts=[{"name": "scripts", "mountPath": "/docker-entrypoint-initdb.d"}],
            volumes=[{"name": "scripts", "configMap": {"name": "scripts"}}],
        ),
        workload(
            "stock",
            image,
            command=["stock"],
            volumeMounts=[
                {"name": "config", "mountPath": "/app/config.json", "subPath": "config.json"}
            ],
            volumes=[{"name": "config", "configMap": {"name": "config"}}],
        ),
        workload("price", image, command=["price"]),
        workload(
            "web",
            image,
            command=["web"],
            env=[{"name": "STOCK_ADDR", "value": "stock:8081"}],
            readinessProbe=probe,
        ),
        workload("load", "ghcr.io/acme/load:1.0"),
        service("mongodb-stock", 27017),
        service("stock", 8081),
        service("price", 8082),
        service("web", 8080),
    ]


class Deployed:
    """The shop, running in a cluster."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.runtime = world.service(RUNTIME)

    def run(self, seconds: float) -> None:
        self.world.run_until(self.world.now + seconds)

    def edit(self, kind: str, name: str, change: Callable[[dict[str, Any]], None]) -> None:
        old = self.world.store.get(Key(RESOURCES[kind], "shop", name))
        new = yaml.safe_load(yaml.safe_dump(old))
        change(new)
        internal_client.update(self.world, RESOURCES[kind], new)

    def ref(self, name: str) -> ContainerRef:
        running = self.runtime.running(self.world)
        return [process.ref for process in running if process.ref.name == name][-1]

    def round(self) -> str:
        """The last one of the load generator, as if it were of a thousand requests."""
        text = self.last("load")
        came = text.partition("requests=")[2].partition(" ")[0]
        assert int(came) == pytest.approx(1000, abs=4 * 1000**0.5)
        return re.sub(rf"={came}\b", "=1000", text)

    def last(self, name: str) -> str:
        return str(self.runtime.logs(self.world, self.ref(name))[-1].text.partition(" ")[2])

    def statuses(self, name: str) -> list[dict[str, Any]]:
        return [
            pod["status"]["containerStatuses"][0]
            for pod in self.world.store.list("pods", "shop")
            if pod["metadata"]["labels"]["app"] == name
        ]


@pytest.fixture(scope="module")
def running(shop_model: Any) -> World:
    world = build(Blueprint(models=(shop_model,)))
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    for obj in manifests():
        internal_client.create(world, RESOURCES[obj["kind"]], obj)
    world.run_until(world.now + 120)
    return world


@pytest.fixture
def shop(running: World) -> Deployed:
    return Deployed(running.fork())


def test_users_are_served(shop: Deployed) -> None:
    assert shop.round().startswith("op=buy requests=1000 ok=1000 failed=0 ")
    assert all(
        shop.statuses(name)[0]["ready"] for name in ("mongodb-stock", "stock", "web", "load")
    )


def test_a_selector_that_matches_nothing_refuses_until_it_is_right(shop: Deployed) -> None:
    shop.edit("Service", "stock", lambda obj: obj["spec"]["selector"].update({"tier": "x"}))
    shop.run(30)
    assert shop.round() == 'op=buy requests=1000 ok=0 failed=1000 errors="http 500=1000"'
    assert "connect: connection refused" in shop.last("web")
    shop.edit("Service", "stock", lambda obj: obj["spec"]["selector"].pop("tier"))
    shop.run(30)
    assert shop.round().startswith("op=buy requests=1000 ok=1000 failed=0 ")


def test_a_wrong_target_port_is_refused(shop: Deployed) -> None:
    shop.edit("Service", "web", lambda obj: obj["spec"]["ports"][0].update({"targetPort": 9999}))
    shop.run(30)
    assert shop.round() == 'op=buy requests=1000 ok=0 failed=1000 errors="connect=1000"'


def test_a_changed_config_is_read_by_the_next_process_only(shop: Deployed) -> None:
    broken = CONFIG.replace("StockMongoAddress", "MongoAddress")
    shop.edit("ConfigMap", "config", lambda obj: obj.update(data={"config.json": broken}))
    shop.run(120)
    assert shop.round().startswith("op=buy requests=1000 ok=1000 failed=0 ")

    def restart(obj: dict[str, Any]) -> None:
        obj["spec"]["strategy"] = {"type": "Recreate"}
        obj["spec"]["template"]["metadata"]["annotations"] = {"restarted": "now"}

    shop.edit("Deployment", "stock", restart)
    shop.run(60)
    status = shop.statuses("stock")[0]
    ended = status["lastState"].get("terminated") or status["state"]["terminated"]
    assert (status["ready"], ended["exitCode"], ended["reason"]) == (False, 2, "Error")
    assert shop.round() == 'op=buy requests=1000 ok=0 failed=1000 errors="http 500=1000"'


def test_a_memory_limit_that_is_too_small_kills_the_database(shop: Deployed) -> None:
    def shrink(obj: dict[str, Any]) -> None:
        container = obj["spec"]["template"]["spec"]["containers"][0]
        container["resources"] = {"limits": {"memory": "10Mi"}, "requests": {"memory": "10Mi"}}
        obj["spec"]["strategy"] = {"type": "Recreate"}

    shop.edit("Deployment", "mongodb-stock", shrink)
    shop.run(60)
    status = shop.statuses("mongodb-stock")[0]
    ended = status["lastState"].get("terminated") or status["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")
    assert "no reachable servers" in shop.last("stock")


# Far below the 20 MiB of `stock`, which ends while it is loaded; and less than `web` has when it
# listens, so that its readiness is never seen.
@pytest.mark.parametrize(("name", "memory"), [("price", "7Mi"), ("web", "15Mi")])
def test_a_rolling_update_to_too_little_memory_stalls_with_the_old_pod_serving(
    shop: Deployed, name: str, memory: str
) -> None:
    def shrink(obj: dict[str, Any]) -> None:
        container = obj["spec"]["template"]["spec"]["containers"][0]
        container["resources"] = {"limits": {"memory": memory}}

    store = shop.world.store
    old, before = {pod["metadata"]["name"] for pod in store.list("pods", "shop")}, store.revision
    shop.edit("Deployment", name, shrink)
    shop.run(60)
    statuses = [
        (change.obj["status"].get("containerStatuses") or [{}])[0]
        for change in store.history
        if change.revision > before and change.key[:2] == ("pods", "shop")
        if change.key.name not in old
    ]
    ends = [(one.get("lastState") or {}).get("terminated") or {} for one in statuses]
    assert {end.get("reason") for end in ends} == {None, "OOMKilled"}
    assert {one.get("ready", False) for one in statuses} == {False}
    assert sorted(one["ready"] for one in shop.statuses(name)) == [False, True]
    assert shop.round().startswith("op=buy requests=1000 ok=1000 failed=0 ")


def test_two_forks_that_do_the_same_write_the_same(running: World) -> None:
    told = []
    for _ in range(2):
        shop = Deployed(running.fork())
        shop.edit("Service", "stock", lambda obj: obj["spec"]["selector"].update({"tier": "x"}))
        shop.run(30)
        told.append(
            [
                shop.runtime.logs(shop.world, process.ref)
                for process in shop.runtime.running(shop.world)
            ]
        )
    assert told[0] == told[1]


def _connections(shop: Deployed, name: str) -> list[tuple[str, int, int]]:
    """State and both ports of what does not listen, each kind once; 0 for one of many ports."""
    found = sockets(shop.world, shop.ref(name).pod_uid)
    held = [(one.state, one.here.port, one.there.port) for one in found if one.there.port]
    return sorted({(state, *(n if n < 32768 else 0 for n in ports)) for state, *ports in held})


def test_a_service_port_at_one_end_is_the_pod_s_own_port_at_the_other(shop: Deployed) -> None:
    def renumber(obj: dict[str, Any]) -> None:
        obj["spec"]["ports"][0].update(port=27018, targetPort=27017)

    shop.edit("Service", "mongodb-stock", renumber)
    config = CONFIG.replace("27017", "27018")
    shop.edit("ConfigMap", "config", lambda obj: obj.update(data={"config.json": config}))
    shop.edit(
        "Deployment",
        "stock",
        lambda obj: obj["spec"]["template"]["metadata"].update(annotations={"restarted": "now"}),
    )
    shop.run(60)
    address = shop.world.store.get(Key("services", "shop", "mongodb-stock"))["spec"]["clusterIP"]
    at_client = sockets(shop.world, shop.ref("stock").pod_uid)
    at_server = sockets(shop.world, shop.ref("mongodb-stock").pod_uid)
    mine = [one.here for one in at_client if one.there == (address, 27018)]
    assert len(mine) == 3
    assert [one.there for one in at_server if one.state == "ESTAB"] == mine
    assert {one.here.port for one in at_server} == {27017}


def test_attempts_wait_for_what_a_policy_or_a_dead_node_swallows(shop: Deployed) -> None:
    assert _connections(shop, "stock") == [("ESTAB", 0, 27017), ("ESTAB", 8081, 0)]
    silent = Deployed(shop.world.fork())
    policy = {
        "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
        "metadata": {"name": "closed", "namespace": "shop"},
        "spec": {"podSelector": {"matchLabels": {"app": "mongodb-stock"}}, "ingress": []},
    }  # fmt: skip
    internal_client.create(silent.world, "networkpolicies.networking.k8s.io", policy)
    silent.run(30)
    assert _connections(silent, "stock") == [("ESTAB", 8081, 0), ("SYN-SENT", 0, 27017)]
    assert _connections(silent, "mongodb-stock") == []
    # So does a program that starts.
    silent.edit(
        "Deployment",
        "stock",
        lambda obj: obj["spec"]["template"]["metadata"].update(annotations={"restarted": "now"}),
    )
    silent.run(5)
    assert _connections(silent, "stock") == [("SYN-SENT", 0, 27017)]
    refused = Deployed(shop.world.fork())
    refused.edit("Service", "stock", lambda obj: obj["spec"]["selector"].update({"tier": "x"}))
    refused.run(30)
    assert _connections(refused, "web") == [("ESTAB", 0, 8082), ("ESTAB", 8080, 0)]
    assert _connections(refused, "stock") == []
    runs = {one.ref.name: one.config.node for one in shop.runtime.running(shop.world)}
    assert runs["load"] != runs["web"]
    change(shop.world, runs["web"], powered=False)
    shop.world.service(REQUEST_FLOW).changed(shop.world)
    shop.run(5)
    assert _connections(shop, "load") == [("SYN-SENT", 0, 8080)]
    assert _connections(shop, "stock") == []
