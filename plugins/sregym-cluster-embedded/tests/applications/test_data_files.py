"""The folder of a datastore holds its files while it runs; what people do to them stays done."""

from __future__ import annotations

from typing import Any


def test_mongod_s_folder_has_a_file_for_each_collection(open_shop: Any) -> None:
    code, out, err = open_shop.shell("mongodb-stock", "ls /data/db | grep -v '^[ci]'")
    assert (code, err) == (0, "")
    assert out.split() == [
        "WiredTiger", "WiredTiger.lock", "WiredTiger.turtle", "WiredTiger.wt", "WiredTigerHS.wt",
        "_mdb_catalog.wt", "diagnostic.data", "journal", "mongod.lock", "sizeStorer.wt",
        "storage.bson",
    ]  # fmt: skip
    count = "ls /data/db | grep -c '^collection'"
    assert open_shop.shell("mongodb-stock", count) == (0, "5\n", "")
    statement = 'db.getSiblingDB("stock-db").more.insert({a: 1})'
    assert open_shop.mongo(statement)[0] == 0
    assert open_shop.shell("mongodb-stock", count) == (0, "6\n", "")
    row = open_shop.shell("mongodb-stock", "ls -ln /data/db/WiredTiger.wt")[1].split()
    assert (row[0], row[2:5]) == ("-rw-------", ["999", "999", "61440"])
    assert open_shop.shell("mongodb-stock", "du -sm /data/db | cut -f1") == (0, "201\n", "")


def test_files_are_gone_for_those_who_removed_them_and_with_the_server(open_shop: Any) -> None:
    assert open_shop.shell("mongodb-stock", "rm /data/db/storage.bson") == (0, "", "")
    assert open_shop.shell("mongodb-stock", "ls /data/db/storage.bson") == (
        2,
        "",
        "ls: cannot access '/data/db/storage.bson': No such file or directory\n",
    )
    assert open_shop.shell("mongodb-stock", "ls /data/db | grep -c storage") == (1, "0\n", "")
    assert open_shop.shell("web", "ls /data") == (
        1,
        "",
        "ls: /data: No such file or directory\n",
    )
