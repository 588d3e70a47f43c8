"""The system at a glance, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import World

Ask = Callable[..., Any]
NO_HOST = (
    "rpc error: code = Unavailable desc = connection error: desc = "
    '"transport: Error while dialing: dial tcp: lookup stock on 10.96.0.10:53: no such host"'
)


# A hundred a second, as chance has it of late; callers and callees count the same.
CAME = 103.068


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "p95_ms"}


def node(name: str, role: str, place: list[int], **other: Any) -> dict[str, Any]:
    return {
        "id": f"shop/{name}",
        "namespace": "shop",
        "name": name,
        "kind": "Deployment",
        "role": role,
        "desired": 1,
        "ready": 1,
        "rate": CAME,
        "success": 1.0,
        "errors": [],
        "status": "healthy",
        "place": place,
        "missing_services": [],
        **other,
    }


def edge(source: str, target: str, **other: Any) -> dict[str, Any]:
    return {
        "source": f"shop/{source}",
        "target": f"shop/{target}",
        "rate": CAME,
        "success": 1.0,
        "status": "healthy",
        "errors": [],
        **other,
    }


def test_a_healthy_shop(world: World, ask: Ask) -> None:
    seen = ask(world, "/api/overview")
    times = {row["id"]: row["p95_ms"] for row in seen["nodes"]}
    # Who calls takes longer than whom it calls.
    assert 0 < times["shop/price"] < times["shop/stock"] < times["shop/web"] == times["shop/load"]
    assert seen.pop("users") == {
        "rate": CAME,
        "success": 1.0,
        "p95_ms": times["shop/load"],
        "errors": [],
    }
    assert [without_times(row) for row in seen.pop("nodes")] == [
        node("load", "load", [0, 0]),
        node("price", "service", [2, 0]),
        node("stock", "service", [2, 1]),
        node("web", "service", [1, 0]),
    ]
    assert [without_times(row) for row in seen.pop("edges")] == [
        edge("load", "web"),
        edge("web", "price"),
        edge("web", "stock"),
    ]
    assert seen == {
        "now": world.epoch + world.now,
        "time": "2026-01-01T09:03:01Z",
        "span_s": 30.0,
        "origins": [],
    }


def test_a_second_name_that_was_cleared_away_is_not_missing(world: World, ask: Ask) -> None:
    own = world.store.get(Key("services", "shop", "stock"))
    assert own is not None
    spec = {name: own["spec"][name] for name in ("selector", "ports")}
    second = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "stock-old", "namespace": "shop"},
        "spec": spec,
    }
    internal_client.create(world, "services", second)
    world.run_until(world.now + 10)
    internal_client.delete(world, Key("services", "shop", "stock-old"))
    world.run_until(world.now + 10)
    missing = {row["id"]: row["missing_services"] for row in ask(world, "/api/overview")["nodes"]}
    assert missing["shop/stock"] == []


def test_where_failures_arise(broken: World, ask: Ask) -> None:
    seen = ask(broken, "/api/overview")
    assert seen["users"]["rate"] == pytest.approx(100, abs=5)
    assert without_times(seen["users"]) == {
        "rate": seen["users"]["rate"],
        "success": 0.0,
        "errors": [{"words": "500", "rate": seen["users"]["rate"]}],
    }
    # The target is known from the time when it was reached.
    assert seen["origins"] == [
        {
            "source": "shop/web",
            "target": "shop/stock",
            "kind": "dns",
            "words": NO_HOST,
            "rate": seen["users"]["rate"],
        }
    ]
    assert [(row["id"], row["status"], row["success"]) for row in seen["nodes"]] == [
        ("shop/load", "failing", 0.0),
        ("shop/price", "healthy", 1.0),
        ("shop/stock", "idle", None),
        ("shop/web", "failing", 0.0),
    ]
    assert {row["id"]: row["missing_services"] for row in seen["nodes"]} == {
        "shop/load": [],
        "shop/price": [],
        "shop/stock": ["stock"],
        "shop/web": [],
    }
    assert [(row["source"], row["target"], row["status"]) for row in seen["edges"]] == [
        ("shop/load", "shop/web", "failing"),
        ("shop/web", "shop/price", "healthy"),
        ("shop/web", "shop/stock", "failing"),
    ]


def test_a_workload_without_pods_is_failing(world: World, ask: Ask) -> None:
    stock = dict(world.store.get(Key("deployments.apps", "shop", "stock")) or {})
    stock["spec"] = {**stock["spec"], "template": _with_image(stock, "ghcr.io/acme/shop:9.9")}
    stock["spec"]["strategy"] = {"type": "Recreate"}
    internal_client.update(world, "deployments.apps", stock)
    world.run_until(world.now + 60)
    rows = {row["id"]: row for row in ask(world, "/api/overview")["nodes"]}
    assert without_times(rows["shop/stock"]) == node(
        "stock", "service", [2, 1], ready=0, rate=0.0, success=None, status="failing"
    )


def test_a_host_that_nobody_knows_is_a_node(world: World, ask: Ask) -> None:
    for name in ("services", "deployments.apps"):
        internal_client.delete(world, Key(name, "shop", "web"))
    world.run_until(world.now + 1000)
    for _ in range(2):
        seen = ask(world, "/api/overview")
    assert [(row["id"], row["role"], row["status"]) for row in seen["nodes"]] == [
        ("shop/load", "load", "failing"),
        ("shop/price", "service", "idle"),
        ("shop/stock", "service", "idle"),
        ("web", "host", "unknown"),
    ]
    assert [(one["source"], one["target"], one["kind"]) for one in seen["origins"]] == [
        ("shop/load", "web", "connect")
    ]


def _with_image(deployment: dict[str, Any], image: str) -> dict[str, Any]:
    template = deployment["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": image}]
    return {**template, "spec": {**template["spec"], "containers": containers}}
