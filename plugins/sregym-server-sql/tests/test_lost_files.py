"""Somebody removes files from under a server of SQL: what its next start finds, and what it does until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: shelf
images:
  - {repository: postgres, tags: ["16"], size_mib: 160, entrypoint: [docker-entrypoint.sh], cmd: [postgres], binaries: {/usr/local/bin/docker-entrypoint.sh: postgres}, tools: [debian, psql]}
  - {repository: mysql, tags: ["8.0"], size_mib: 160, entrypoint: [docker-entrypoint.sh], cmd: [mysqld], binaries: {/usr/local/bin/docker-entrypoint.sh: mysqld}, tools: [debian, mysql]}
programs:
  postgres: {kind: postgres, version: "16.4"}
  mysqld: {kind: mysql, version: 8.0.39}
"""
FOLDERS = {"postgres:16": "/var/lib/postgresql/data", "mysql:8.0": "/var/lib/mysql"}
SECRETS = {"POSTGRES_PASSWORD": "pw", "MYSQL_ROOT_PASSWORD": "pw", "MYSQL_DATABASE": "postgres"}
ASKS = {
    "postgres:16": 'psql -U postgres -tAc "{}"',
    "mysql:8.0": 'mysql -uroot -ppw -N postgres -e "{}" 2>/dev/null',
}


class Server:
    """A server of an image with a table of one row."""

    def __init__(self, shop: Any, image: str) -> None:
        self.shop, self.image, self.folder = shop, image, FOLDERS[image]
        shop.name("db", "9")
        self.start(0)
        self.ask("CREATE TABLE books (n int)")
        self.ask("INSERT INTO books VALUES (1)")

    def start(self, attempt: int) -> None:
        if attempt and self.code is None:
            self.shop.stop("db")
        mounts = {self.folder: Mount("volume", "pv/d")}
        self.shop.start("db", self.image, "9", attempt, env=SECRETS, mounts=mounts)
        self.shop.run(12)

    def ask(self, statement: str) -> str:
        return str(self.shop.shell("db", ASKS[self.image].format(statement))[1])

    @property
    def rows(self) -> str:
        return self.ask("SELECT n FROM books").strip()

    @property
    def lost(self) -> bool:
        return '"lost files":' in self.shop.kept()["sql at pv/d:"]

    @property
    def code(self) -> int | None:
        how = self.shop.ended("db")
        return None if how is None else how.exit_code


@pytest.fixture(params=sorted(FOLDERS))
def server(request: Any, make_shop: Callable[..., Any]) -> Server:
    made = Server(make_shop(MODEL), request.param)
    assert made.rows == "1"
    return made


@pytest.fixture
def postgres(make_shop: Callable[..., Any]) -> Server:
    return Server(make_shop(MODEL), "postgres:16")


def test_without_any_file_the_next_start_begins_with_nothing(server: Server) -> None:
    assert server.shop.shell("db", f"rm -rf {server.folder}/*") == (0, "", "")
    assert (server.rows, server.lost) == ("1", True)
    server.start(1)
    assert (server.rows, server.lost, server.code) == ("", False, None)
    assert server.shop.shell("db", f"ls {server.folder}")[1] != ""


def test_without_a_part_of_them_it_does_not_start(server: Server) -> None:
    name = {"postgres:16": "global/pg_control", "mysql:8.0": "ibdata1"}[server.image]
    assert server.shop.shell("db", f"rm {server.folder}/{name}") == (0, "", "")
    server.shop.run(120)
    assert (server.rows, server.code) == ("1", None)
    server.start(1)
    assert server.code == 1
    told = server.shop.texts("db")
    if server.image == "postgres:16":
        assert (
            'PANIC:  could not open file "global/pg_control": No such file or directory' in told[-1]
        )
    else:
        assert [line.partition("[ERROR] ")[2] for line in told[-4:]] == [
            "[MY-012592] [InnoDB] Operating system error number 2 in a file operation.",
            "[MY-012596] [InnoDB] Error number 2 means 'No such file or directory'",
            "[MY-010020] [Server] Data Dictionary initialization failed.",
            "[MY-010119] [Server] Aborting",
        ]


def test_a_postmaster_without_its_lock_file_ends(postgres: Server) -> None:
    assert postgres.shop.shell("db", f"rm {postgres.folder}/postmaster.pid") == (0, "", "")
    assert not postgres.lost
    postgres.shop.run(61)
    assert postgres.code == 0
    assert [line.partition("LOG:  ")[2] for line in postgres.shop.texts("db")[-4:]] == [
        'could not open file "postmaster.pid": No such file or directory',
        "performing immediate shutdown because data directory lock file is invalid",
        "received immediate shutdown request",
        "database system is shut down",
    ]
    postgres.start(1)
    assert (postgres.rows, postgres.code) == ("1", None)


def test_without_the_mark_of_its_release_a_directory_is_not_filled(postgres: Server) -> None:
    assert postgres.shop.shell("db", f"rm {postgres.folder}/PG_VERSION") == (0, "", "")
    postgres.start(1)
    assert postgres.code == 1
    assert postgres.shop.texts("db")[-1] == (
        'initdb: error: directory "/var/lib/postgresql/data" exists but is not empty'
    )
