"""Datastores that have run for long and whose disk has sectors that cannot be read."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.disk import read_problem
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.process import Process, change, process_of

_ENV = {
    "mongodb": {},
    "mysql": {"MYSQL_ALLOW_EMPTY_PASSWORD": "1", "MYSQL_DATABASE": "shop"},
    "postgres": {"POSTGRES_HOST_AUTH_METHOD": "trust", "POSTGRES_DB": "shop"},
}
_USERS = {"mongodb": "", "mysql": "root", "postgres": "postgres"}


def market_of(
    make_market: Any, kind: str, limits: dict[str, str] | None = None, **program: Any
) -> Any:
    """A shop whose users read from a store."""
    client = {
        "protocol": kind, "address": "cache:8080", "timeout_s": 1, "database": "shop",
        "user": _USERS[kind],
    }  # fmt: skip
    changes = {
        "cache": {"kind": kind, "port": 8080, **program},
        "web.clients": {"cache": client},
        "web.operations.buy.calls": [{"call": "cache.find", "collection": "orders"}],
    }
    return make_market(
        changes,
        programs=("cache", "web", "load"),
        env=_ENV[kind],
        tools=["debian"],
        limits={"cache": limits or {}},
    )


def store_of(market: Any, place: int = -1) -> Process:
    process = process_of(market.world, market.refs("cache")[place])
    assert process is not None
    return process


def spoil(market: Any, offset: int, how: str = "bad_blocks") -> None:
    """Let the store's file be unreadable, or altered, from a byte on."""
    process = store_of(market)
    machine = machines.machine(market.world, process.config.node)
    assert machine is not None
    kind = market.world.service(RUNTIME).kind_of(process)
    file = kind.data_file(process, process.behaviour)
    first, last = machines.blocks_of(machine.root, f"{file.kept}:{file.name}", 32 << 20)
    blocks = ((first + offset // machines.BLOCK, last),)
    machines.change_root(market.world, machine.name, **{how: blocks})


def failed(market: Any) -> float:
    """The part of users' requests that fail."""
    seen = market.seen(10)
    return float(sum(seen.failed.values()) / seen.requests)


def test_a_checkpoint_meets_a_page_that_it_merges(make_market: Any) -> None:
    market = market_of(make_market, "mongodb")
    spoil(market, 8192)
    market.run(1)
    assert failed(market) == 0
    market.run(180)
    ended = store_of(market, 0)
    assert ended.served_at is not None
    assert ended.ended_at is not None
    checkpoints = (ended.ended_at - ended.served_at) / 60
    assert checkpoints == pytest.approx(round(checkpoints), abs=0.001)
    told = [json.loads(line.text) for line in ended.lines[-3:]]
    assert told[0]["attr"] == {
        "error": 5,
        "message": "__posix_file_read: /data/db/WiredTiger.wt: handle-read: pread: failed to read "
        "4096 bytes at offset 8192: Input/output error",
    }
    assert [(entry["s"], entry["ctx"]) for entry in told] == [
        ("E", "WTCheckpointThread"),
        ("F", "WTCheckpointThread"),
        ("F", "WTCheckpointThread"),
    ]


def test_a_checkpoint_knows_a_page_that_was_altered(make_market: Any) -> None:
    market = market_of(make_market, "mongodb")
    spoil(market, 8192, "altered_blocks")
    market.run(181)
    ended = store_of(market, 0)
    assert ended.ended_at is not None
    said = json.loads(ended.lines[-3].text)["attr"]
    sums = re.compile("0x[0-9a-f]{8}")
    assert (said["error"], sums.sub("@", said["message"])) == (
        -31802,
        "__wt_block_read_off: WiredTiger.wt: potential hardware corruption, read checksum error for "
        "4096B block at offset 8192: calculated block checksum of @ doesn't match expected checksum of @",
    )


@pytest.mark.parametrize(
    ("kind", "version", "words", "told"),
    [
        ("mysql", "8.0.39", "Error 1712 (HY000): Index orders is corrupted", [
            "0 [ERROR] [MY-011906] [InnoDB] Database page corruption on disk or a failed file read of page "
            "[page id: space=2, page number=1]. You may have to recover from a backup.",
        ]),
        ("postgres", "16.4", "ERROR: invalid page in block 3 of relation base/16384/16385 (SQLSTATE XX001)", [
            "[61] WARNING:  page verification failed, calculated checksum @ but expected @",
            "[61] ERROR:  invalid page in block 3 of relation base/16384/16385",
        ]),
    ],
)  # fmt: skip
def test_sql_servers_know_pages_that_were_altered(
    make_market: Any, kind: str, version: str, words: str, told: list[str]
) -> None:
    market = market_of(make_market, kind, version=version)
    before = len(said(market))
    spoil(market, 24_576, "altered_blocks")
    market.run(4)
    assert failed(market) == pytest.approx(0.05, abs=0.01)
    process = store_of(market)
    kind_of = market.world.service(RUNTIME).kind_of(process)
    file = kind_of.data_file(process, process.behaviour)
    trouble = read_problem(market.world, process, file)
    assert trouble is not None
    assert kind_of.withstands(trouble, file, "orders", False) == words
    lines = said(market)[before : before + len(told)]
    shown = [re.sub(r"(checksum|expected) \d+", r"\1 @", line) for line in lines]
    assert [line[line.index(told[0][:3]) :] for line in shown] == told
    machines.change_root(market.world, process.config.node, altered_blocks=())
    market.run(2)
    assert failed(market) == 0


def test_a_checkpoint_after_the_disk_was_mended_meets_nothing(make_market: Any) -> None:
    market = market_of(make_market, "mongodb")
    spoil(market, 8192)
    machines.change_root(market.world, store_of(market).config.node, bad_blocks=())
    market.run(200)
    assert store_of(market, 0).running


@pytest.mark.parametrize(
    ("kind", "limits", "share"),
    [
        ("mysql", {}, 0.05),
        ("postgres", {}, 0.05),
        ("mysql", {"memory": "16Mi"}, 0.5),
        ("postgres", {"memory": "8Mi"}, 0.75),
    ],
)
def test_what_is_in_memory_is_answered(
    make_market: Any, kind: str, limits: dict[str, str], share: float
) -> None:
    market = market_of(make_market, kind, limits=limits, memory={"base_mib": "4"})
    assert failed(market) == 0
    spoil(market, 24_576)
    market.run(2)
    assert failed(market) == pytest.approx(share, abs=0.01)
    machines.change_root(market.world, store_of(market).config.node, bad_blocks=())
    market.run(2)
    assert failed(market) == 0


@pytest.mark.parametrize(
    ("kind", "name", "size", "share"),
    [
        ("mysql", "innodb_buffer_pool_size", "8M", 0.75),
        ("mysql", "innodb_buffer_pool_size", "8388608", 0.75),
        ("postgres", "shared_buffers", "4MB", 0.875),
        ("postgres", "shared_buffers", "2048", 0.5),
    ],
)
def test_a_server_keeps_as_much_in_memory_as_it_is_told_to(
    make_market: Any, kind: str, name: str, size: str, share: float
) -> None:
    market = market_of(make_market, kind)
    process = store_of(market)
    change(market.world, process.ref, settings={**process.settings, f"sql.{name}": size})
    spoil(market, 24_576)
    market.run(2)
    assert failed(market) == pytest.approx(share, abs=0.01)


def said(market: Any) -> list[str]:
    return [line.text for line in store_of(market).lines]


@pytest.mark.parametrize(
    ("kind", "version", "told"),
    [
        ("mysql", "8.0.39", [
            "0 [ERROR] [MY-012592] [InnoDB] Operating system error number 5 in a file operation.",
            "0 [ERROR] [MY-012596] [InnoDB] Error number 5 means 'Input/output error'",
        ]),
        ("mysql", "11.4.2", [
            "0 [ERROR] InnoDB: Operating system error number 5 in a file operation.",
            "0 [ERROR] InnoDB: Error number 5 means 'Input/output error'",
        ]),
        ("postgres", "16.4", [
            '[61] ERROR:  could not read block 3 in file "base/16384/16385": Input/output error',
        ]),
    ],
)  # fmt: skip
def test_sql_servers_write_what_they_cannot_read(
    make_market: Any, kind: str, version: str, told: list[str]
) -> None:
    market = market_of(make_market, kind, version=version)
    before = len(said(market))
    market.run(100)
    assert len(said(market)) == before
    spoil(market, 24_576)
    market.run(4)
    lines = said(market)[before : before + len(told)]
    assert [line[line.index(told[0][:3]) :] for line in lines] == told
    machines.change_root(market.world, store_of(market).config.node, bad_blocks=())
    market.run(5)
    before = len(said(market))
    market.run(100)
    assert len(said(market)) == before
