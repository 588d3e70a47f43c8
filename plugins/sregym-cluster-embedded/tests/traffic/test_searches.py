"""Commands for which a datastore reads all it has: who waits for them, and who tells of them."""

from __future__ import annotations

from typing import Any

from sregym_apps.model import Client
from sregym_cluster_embedded.sdk.exporters import searches_since, searching
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import process_of

CLIENT = Client(protocol="mongodb", address="cache:8080", database="d")
CHANGES: dict[str, Any] = {
    "cache": {"kind": "mongodb", "port": 8080},
    "web.clients": {
        "cache": {"protocol": "mongodb", "address": "cache:8080", "timeout_s": 1, "database": "d"}
    },
    "web.operations.buy.calls": [{"call": "cache.find", "collection": "orders", "by": ["owner"]}],
}


def failed(market: Any) -> float:
    """The part of users' requests that fail."""
    seen = market.seen(10)
    return float(sum(seen.failed.values()) / seen.requests)


def test_without_its_index_a_large_collection_keeps_the_server_busy(make_market: Any) -> None:
    market = make_market(CHANGES, programs=("cache", "web", "load"), tools=["debian", "mongo"])
    ref = market.refs("cache")[-1]
    server = process_of(market.world, ref)
    kind = market.world.service(RUNTIME).kind_of(server)
    kind.seed(market.world, server, CLIENT, "orders", 2, '{"owner": "o${n}"}')
    kind.enlarge(market.world, server, CLIENT, "orders", 3_000_000, ("owner",))
    market.run(20)
    before = (failed(market), searching(market.world, ref), searches_since(market.world, ref))
    drop = 'db.getSiblingDB("d").orders.dropIndex({owner: 1})'
    assert market.shell("cache", f"mongo --port 8080 --quiet --eval '{drop}'")[0] == 0
    market.run(60)
    (now,) = searching(market.world, ref)
    asked = "print(db.currentOp().inprog[0].planSummary)"
    told = market.shell("cache", f"mongo --port 8080 --quiet --eval '{asked}'")[1]
    assert before == (0.0, (), {})
    assert failed(market) > 0.9
    assert (now.command, now.collection, now.by, now.examined) == (
        *("find", "orders", ("owner",)),
        3_000_000,
    )
    assert told == "COLLSCAN\n"
    assert searches_since(market.world, ref)["orders"] > 0
    add = 'db.getSiblingDB("d").orders.createIndex({owner: 1})'
    assert market.shell("cache", f"mongo --port 8080 --quiet --eval '{add}'")[0] == 0
    market.run(60)
    assert (failed(market), searching(market.world, ref)) == (0.0, ())
