"""Documents of MongoDB: seeded ones are there, queries, projections, orders, changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["4.4.6", "8.0"]
    size_mib: 160
    cmd: [mongod]
    binaries: {/usr/bin/mongod: mongod}
    tools: [debian, mongo, mongosh]
  - {repository: shelf/web, tags: ["1"], size_mib: 1, binaries: {/bin/web: web}, entrypoint: [/bin/web]}
programs:
  mongod: {kind: mongodb, version: 4.4.6}
  web:
    startup:
      - seed: mongo.books
        documents: 30
        record: '{"number": "${n}", "shelf": 3, "price": {"cents": 250}}'
      - listen: http
    listeners: {http: {protocol: http, port: 80}}
    clients: {mongo: {protocol: mongodb, address: "mongodb:27017", database: library}}
    operations: {ok: {listener: http, route: GET /}}
"""


@pytest.fixture
def shelf(make_shop: Any) -> Any:
    shop = make_shop(MODEL)
    shop.name("mongodb", "1")
    shop.start("mongodb", "mongo:4.4.6", "1")
    shop.run(5)
    shop.start("web", "shelf/web:1", "2")
    shop.run(5)
    return shop


def ask(shelf: Any, expression: str) -> Any:
    script = f"mongo library --quiet --eval 'JSON.stringify({expression})'"
    code, out, err = shelf.shell("mongodb", script)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_seeded_documents_can_be_looked_at(shelf: Any) -> None:
    one = ask(shelf, 'db.books.findOne({number: "7"})')
    identity = one.pop("_id")["$oid"]
    assert one == {"number": "7", "shelf": 3, "price": {"cents": 250}}
    assert ask(shelf, 'db.books.findOne({number: "7"})._id') == {"$oid": identity}
    assert shelf.shell("mongodb", "mongo library --quiet --eval 'db.books.find()'")[1].endswith(
        '"price" : { "cents" : 250 } }\nType "it" for more\n'
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ('db.books.count({number: {$in: ["1", "2", "99"]}})', 2),
        ('db.books.count({"price.cents": {$gte: 250}})', 30),
        ('db.books.count({"price.cents": {$lt: 250}})', 0),
        ("db.books.count({number: {$regex: '^1'}})".replace("'", '"'), 11),
        ("db.books.count({left: {$exists: false}})", 30),
        ('db.books.count({$or: [{number: "1"}, {shelf: 4}]})', 1),
        ('db.books.distinct("shelf")', [3]),
        ('db.books.find({number: "3"}, {_id: 0, number: 1}).toArray()', [{"number": "3"}]),
        (
            "db.books.find({}, {_id: 0, number: 1}).sort({number: -1}).limit(1).toArray()",
            [{"number": "9"}],
        ),
    ],
)
def test_queries(shelf: Any, expression: str, expected: Any) -> None:
    assert ask(shelf, expression) == expected


def test_changes_leave_the_others_as_they_were(shelf: Any) -> None:
    assert ask(shelf, 'db.books.updateOne({number: "3"}, {$set: {shelf: 4}})') == {
        "acknowledged": True,
        "matchedCount": 1,
        "modifiedCount": 1,
    }
    assert ask(shelf, 'db.books.distinct("shelf")') == [3, 4]
    assert ask(shelf, "db.books.deleteMany({shelf: 3})")["deletedCount"] == 29
    assert ask(shelf, "db.books.count()") == 1
    assert ask(shelf, "db.books.deleteOne({})")["deletedCount"] == 1
    assert ask(shelf, "db.books.find().toArray()") == []


def test_mongosh_prints_in_the_notation_of_node(shelf: Any) -> None:
    script = "mongosh library --quiet --eval 'db.books.find({number: \"7\"}, {_id: 0})'"
    assert shelf.shell("mongodb", script) == (
        0,
        "[ { number: '7', shelf: 3, price: { cents: 250 } } ]\n",
        "",
    )
    stats = shelf.shell("mongodb", "mongosh library --quiet --eval 'db.books.stats()'")[1]
    assert stats.splitlines()[:3] == ["{", "  ns: 'library.books',", "  size: 3600,"]
    assert shelf.shell("mongodb", "mongosh --quiet --eval 'show dbs'") == (
        0,
        "admin    100.00 KiB\nconfig    60.00 KiB\nlibrary   40.00 KiB\nlocal     72.00 KiB\n",
        "",
    )
    assert shelf.shell("mongodb", "mongosh --quiet --eval 'nothing()'") == (
        1,
        "",
        "ReferenceError: nothing is not defined\n",
    )
