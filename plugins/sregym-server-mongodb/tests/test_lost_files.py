"""Somebody removes files from under a server: what is open stays, and the next start misses them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount
from sregym_server_mongodb.files import MADE_ANEW, sizes

MODEL = """
application: shelf
images:
  - repository: mongo
    tags: ["7.0"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mongod]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mongod, /usr/bin/mongod: mongod}
    tools: [debian, mongo, mongosh]
programs:
  mongod: {kind: mongodb, version: 7.0.16}
"""
COUNT = "mongosh shop --quiet --eval 'db.books.countDocuments()'"
# Until the next checkpoint is over.
CHECKPOINT_S = 61


@pytest.fixture
def shelf(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("mongodb", "9")
    start(shop, 0)
    shop.shell("mongodb", "mongosh shop --quiet --eval 'db.books.insertOne({n: 1})'")
    assert shop.shell("mongodb", COUNT) == (0, "1\n", "")
    return shop


def start(shop: Any, attempt: int) -> None:
    if attempt and ended(shop) is None:
        shop.stop("mongodb")
    shop.start("mongodb", "mongo:7.0", "9", attempt, mounts={"/data/db": Mount("volume", "pv/d")})
    shop.run(8)


def ended(shop: Any) -> int | None:
    how = shop.ended("mongodb")
    return None if how is None else how.exit_code


def said(shop: Any) -> str:
    found = re.findall(r'"error":\d+,"message":"([^"]*)"', "\n".join(shop.texts("mongodb")))
    return found[-1] if found else ""


def test_without_its_journal_it_falls_and_begins_with_nothing(shelf: Any) -> None:
    assert shelf.shell("mongodb", "rm -rf /data/db/*") == (0, "", "")
    assert shelf.shell("mongodb", COUNT) == (0, "1\n", "")
    assert '"lost files":' in shelf.kept()["mongodb at pv/d:"]
    shelf.run(CHECKPOINT_S)
    assert ended(shelf) == 14
    assert said(shelf) == "__posix_open_file: /data/db/journal/WiredTigerTmplog.0000000001: handle-open: open: No such file or directory"  # fmt: skip
    start(shelf, 1)
    assert shelf.shell("mongodb", COUNT) == (0, "0\n", "")
    assert "WiredTiger.wt" in shelf.shell("mongodb", "ls /data/db")[1]
    assert '"lost files":' not in shelf.kept()["mongodb at pv/d:"]


@pytest.mark.parametrize("line", ["rm /data/db/WiredTiger.wt", "echo > /data/db/WiredTiger.wt"])
def test_with_a_part_of_its_files_it_does_not_start(shelf: Any, line: str) -> None:
    assert shelf.shell("mongodb", line) == (0, "", "")
    shelf.run(CHECKPOINT_S)
    assert ended(shelf) is None
    start(shelf, 1)
    assert ended(shelf) == 14
    assert said(shelf) == "__posix_open_file: /data/db/WiredTiger.wt: handle-open: open: No such file or directory"  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "rm /data/db/mongod.lock /data/db/diagnostic.data/metrics.interim",
        "mv /data/db/WiredTiger.wt /tmp/kept && mv /tmp/kept /data/db/WiredTiger.wt",
        "touch /data/db/notes && rm /data/db/notes",
    ],
)
def test_what_is_made_anew_or_comes_back_is_no_loss(shelf: Any, line: str) -> None:
    assert shelf.shell("mongodb", line) == (0, "", "")
    assert '"lost files":' not in shelf.kept()["mongodb at pv/d:"]
    shelf.run(CHECKPOINT_S)
    assert ended(shelf) is None
    start(shelf, 1)
    assert shelf.shell("mongodb", COUNT) == (0, "1\n", "")


def test_all_that_holds_data_is_told_apart_from_what_does_not(shelf: Any) -> None:
    assert {name for name in sizes(shelf.world, "pv/d:") if name.endswith(".lock")} == {
        "WiredTiger.lock", "mongod.lock",
    }  # fmt: skip
    assert MADE_ANEW[0] == "*.lock"
