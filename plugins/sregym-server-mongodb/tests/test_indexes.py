"""Collections that are larger than what can be looked at, and the indexes that serve them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.sdk.servers import process_of
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["4.4.6"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo]
programs:
  mongod: {kind: mongodb, version: 4.4.6}
"""
CLIENT = Client(protocol="mongodb", address="mongodb:27017", database="shop")


@pytest.fixture
def shelf(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("mongodb", "9")
    shop.start("mongodb", "mongo:4.4.6", "9", mounts={"/data/db": Mount("volume", "pv/d")})
    shop.run(8)
    kind = shop.runtime.kind_of(process_of(shop.world, shop.ref("mongodb")))
    server = process_of(shop.world, shop.ref("mongodb"))
    kind.seed(shop.world, server, CLIENT, "books", 2, '{"owner": "o${n}"}')
    kind.enlarge(shop.world, server, CLIENT, "books", 5000, ("owner",))
    return shop


def say(shelf: Any, expression: str) -> str:
    code, out, err = shelf.shell("mongodb", f"mongo shop --quiet --eval '{expression}'")
    return str(out + err).strip() if code else str(out).strip()


def examined(shelf: Any, *by: str) -> int:
    server = process_of(shelf.world, shelf.ref("mongodb"))
    assert server is not None
    kind = shelf.runtime.kind_of(server)
    return int(kind.examined(shelf.world, server, CLIENT, "books", by))


def test_an_index_serves_until_it_is_dropped_for_good(shelf: Any) -> None:
    server = process_of(shelf.world, shelf.ref("mongodb"))
    found: list[object] = [say(shelf, "print(db.books.count())"), examined(shelf, "owner")]
    found += [examined(shelf, "_id"), examined(shelf, "price")]
    say(shelf, "db.books.dropIndex({owner: 1})")
    # A program that restarts finds a collection that is filled.
    shelf.runtime.kind_of(server).enlarge(shelf.world, server, CLIENT, "books", 5000, ("owner",))
    found.append(examined(shelf, "owner"))
    say(shelf, "db.books.createIndex({owner: -1})")
    found += [examined(shelf, "owner"), say(shelf, "print(db.books.getIndexes().length)")]
    assert found == ["5000", 0, 0, 5000, 5000, 0, "2"]


def test_plans_and_names(shelf: Any) -> None:
    plan = 'print(db.books.find({owner: "o1"}).explain().queryPlanner.winningPlan.stage)'
    names = "db.books.getIndexes().forEach(i => print(i.name))"
    found = [say(shelf, plan), say(shelf, names), say(shelf, "print(db.books.stats().nindexes)")]
    say(shelf, 'db.books.createIndex({price: 1}, {name: "by_price"})')
    found.append(say(shelf, names))
    say(shelf, 'db.books.dropIndex("owner_1")')
    found.append(say(shelf, plan))
    say(shelf, "db.books.dropIndexes()")
    found.append(say(shelf, names))
    assert found == [
        "FETCH", "_id_\nowner_1", "2",
        "_id_\nowner_1\nby_price",
        "COLLSCAN",
        "_id_",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("db.books.dropIndex({price: 1})", "index not found with name [price_1]"),
        ('db.books.dropIndex("_id_")', "cannot drop _id index"),
        ("db.books.createIndex({})", "Index keys cannot be an empty object"),
    ],
)
def test_what_is_refused(shelf: Any, expression: str, told: str) -> None:
    assert told in say(shelf, expression)
