"""What mongod writes of those who come to it: the fields of its JSON lines, in their order."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_cluster_embedded.kubelet.runtime import ExitState, Mount
from sregym_server_mongodb.data import MongoData, store

OURS = ("ACCESS", "NETWORK", "COMMAND")


def entries(shop: Any, name: str = "mongodb-stock") -> list[tuple[float, str, int, Any]]:
    """(seconds, context, id, attributes) of what it told of its clients."""
    found = []
    for line in shop.runtime.logs(shop.world, shop.ref(name)):
        if not line.text.startswith("{"):
            continue
        entry = json.loads(line.text)
        if entry["c"] in OURS and entry["id"] not in (4648601, 23015, 23016):
            found.append((line.at, entry["ctx"], entry["id"], entry.get("attr")))
    return found


def shape(shop: Any) -> list[tuple[str, int, Any]]:
    """The same without times; ports of clients are masked."""
    found = []
    for _, context, number, attributes in entries(shop):
        masked = {
            key: f"{value.rpartition(':')[0]}:0"
            if key in ("remote", "client") and ":" in value
            else value
            for key, value in attributes.items()
        }
        found.append((context, number, masked))
    return found


def test_a_program_connects_once_and_logs_in(open_shop: Any) -> None:
    open_shop.run(30)
    about = {"remote": "10.244.0.2:0", "connectionId": 1}
    assert shape(open_shop) == [
        ("listener", 22943, {**about, "connectionCount": 1}),
        (
            "conn1",
            20250,
            {
                "mechanism": "SCRAM-SHA-256",
                "speculative": True,
                "principalName": "admin",
                "authenticationDatabase": "admin",
                "client": "10.244.0.2:0",
            },
        ),
    ]


def test_a_connection_ends_with_its_program(open_shop: Any) -> None:
    open_shop.run(5)
    open_shop.runtime.kill(open_shop.world, open_shop.ref("stock"))
    died = open_shop.world.now
    open_shop.run(5)
    assert entries(open_shop)[-1][:3] == (pytest.approx(died, abs=2.1), "conn1", 22944)
    assert shape(open_shop)[-1][2]["connectionCount"] == 0


def test_a_person_who_gives_a_wrong_password_is_told_of(open_shop: Any) -> None:
    before = len(entries(open_shop))
    mongo = ("mongo", "-u", "admin", "-p", "wrong", "--authenticationDatabase", "admin")
    open_shop.runtime.exec(open_shop.world, open_shop.ref("mongodb-stock"), mongo, "")
    open_shop.run(1)
    told = shape(open_shop)[before:]
    assert [(context, number) for context, number, _ in told] == [
        ("listener", 22943),
        ("conn2", 51800),
        ("conn2", 20249),
        ("conn2", 22944),
    ]
    assert told[1][2]["doc"]["application"] == {"name": "MongoDB Shell"}
    assert told[2][2] == {
        "mechanism": "SCRAM-SHA-256",
        "speculative": False,
        "principalName": "admin",
        "authenticationDatabase": "admin",
        "client": "127.0.0.1:0",
        "result": "AuthenticationFailed: SCRAM authentication failed, storedKey mismatch",
    }


def test_refused_commands_are_told_of_at_the_rate_at_which_they_come(open_shop: Any) -> None:
    open_shop.run(10)
    assert not [entry for entry in entries(open_shop) if entry[2] == 20436]
    open_shop.mongo('db.dropUser("admin")')
    open_shop.run(20)
    end = open_shop.world.now
    refused = [one for one in entries(open_shop) if one[2] == 20436 and end - 10 <= one[0] < end]
    assert len(refused) == pytest.approx(1000, abs=4 * 1000**0.5)
    assert refused[0][1] == "conn1"
    assert refused[0][3] == {
        "error": {
            "code": 13,
            "codeName": "Unauthorized",
            "errmsg": "command find requires authentication",
        }
    }


PROBED = {
    "readinessProbe": {"tcpSocket": {"port": 27017}, "initialDelaySeconds": 1, "periodSeconds": 5}
}


def test_each_probe_of_the_kubelet_is_a_connection(make_shop: Any, shop_text: str) -> None:
    shop = make_shop(shop_text)
    started = shop.world.now
    shop.start("mongodb-stock", "mongo:4.4.6", "1", spec=PROBED)
    shop.run(13)
    assert [(round(at - started, 3), ctx, number) for at, ctx, number, _ in entries(shop)] == [
        (5.1, "listener", 22943),
        (5.101, "conn1", 22944),
        (10.1, "listener", 22943),
        (10.101, "conn2", 22944),
    ]
    assert shape(shop)[:2] == [
        ("listener", 22943, {"remote": "10.244.0.1:0", "connectionId": 1, "connectionCount": 1}),
        ("conn1", 22944, {"remote": "10.244.0.1:0", "connectionId": 1, "connectionCount": 0}),
    ]


def test_commands_slower_than_the_threshold_are_told_of(make_shop: Any, shop_text: str) -> None:
    text = shop_text.replace("{kind: mongodb", "{kind: mongodb, latency_ms: 150", 1)
    assert text != shop_text
    shop = make_shop(text)
    shop.open()
    shop.run(20)
    slow = [attributes for _, _, number, attributes in entries(shop) if number == 51803]
    assert slow[0] | {"durationMillis": 0} == {
        "type": "command",
        "ns": "stock-db.items",
        "command": {"find": "items", "$db": "stock-db"},
        "planSummary": "COLLSCAN",
        "numYields": 0,
        "protocol": "op_msg",
        "durationMillis": 0,
    }
    assert min(one["durationMillis"] for one in slow) >= 100
    average = sum(one["durationMillis"] for one in slow) / len(slow)
    assert average == pytest.approx(150, rel=0.2)


def test_later_releases_use_other_words(make_shop: Any, shop_text: str) -> None:
    text = shop_text.replace("version: 4.4.6}", "version: 8.0.14}")
    shop = make_shop(text)
    shop.open()
    shop.run(5)
    accepted, login = entries(shop)[:2]
    assert list(accepted[3]) == ["remote", "uuid", "connectionId", "connectionCount"]
    assert login[2] == 5286306
    assert {key: value for key, value in login[3].items() if key != "client"} == {
        "isSpeculative": True,
        "isClusterMember": False,
        "mechanism": "SCRAM-SHA-256",
        "user": "admin",
        "db": "admin",
        "result": 0,
    }


def test_the_tail_is_the_end_of_the_whole_and_what_was_read_stays(open_shop: Any) -> None:
    open_shop.mongo('db.dropUser("admin")')
    open_shop.run(70)
    ref = open_shop.ref("mongodb-stock")
    whole = open_shop.runtime.logs(open_shop.world, ref)
    assert open_shop.runtime.logs(open_shop.world, ref, tail_lines=40) == whole[-40:]
    twin = open_shop.fork()
    open_shop.run(5)
    assert open_shop.runtime.logs(open_shop.world, ref)[: len(whole)] == whole
    assert twin.runtime.logs(twin.world, ref) == whole


def started(shop: Any) -> list[tuple[str, int]]:
    """(severity, id) of the lines of the server's own start."""
    texts = [text for text in shop.texts("mongodb-stock") if text.startswith("{")]
    return [(entry["s"], entry["id"]) for entry in map(json.loads, texts)]


def test_a_start_is_told_in_the_order_of_the_real_one(shop: Any) -> None:
    shop.start("mongodb-stock", "mongo:4.4.6", "1")
    shop.run(5)
    assert started(shop) == [
        ("I", 23285), ("W", 22601), ("I", 4648601), ("I", 4615611), ("I", 23403), ("I", 21951),
        ("I", 22297), ("I", 22315), ("I", 4795906), ("I", 23987), ("I", 4366408), ("I", 22262),
        ("W", 22120), ("I", 20536), ("I", 20625), ("I", 23015), ("I", 23015), ("I", 23016),
    ]  # fmt: skip
    texts = [text for text in shop.texts("mongodb-stock") if text.startswith("{")]
    moments = [json.loads(text)["t"]["$date"] for text in texts]
    assert moments == sorted(moments)
    host = json.loads(texts[3])["attr"]
    assert host == {
        "pid": 1,
        "port": 27017,
        "dbPath": "/data/db",
        "architecture": "64-bit",
        "host": "mongodb-stock",
    }


def test_a_start_that_fails_tells_why_last(shop: Any) -> None:
    mounts = {"/data/db": Mount("volume", "claim-1")}
    store(shop.world, "claim-1:", MongoData(version="5.0"))
    shop.start("mongodb-stock", "mongo:4.4.6", "1", mounts=mounts)
    shop.run(5)
    assert shop.ended("mongodb-stock") == ExitState(62, "Error")
    assert started(shop) == [
        ("I", 23285), ("W", 22601), ("I", 4648601), ("I", 4615611), ("I", 23403), ("I", 21951),
        ("I", 22297), ("I", 22315), ("F", 20573),
    ]  # fmt: skip
