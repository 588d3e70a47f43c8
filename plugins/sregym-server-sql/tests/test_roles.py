"""Roles of PostgreSQL that are members of others, their attributes and settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: shelf
images:
  - {repository: postgres, tags: ["16"], size_mib: 160, entrypoint: [docker-entrypoint.sh], cmd: [postgres], binaries: {/usr/local/bin/docker-entrypoint.sh: postgres}, tools: [debian, psql]}
programs:
  postgres: {kind: postgres, version: "16.4"}
"""


@pytest.fixture(scope="module")
def started(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    shop.name("db", "9")
    mounts = {"/var/lib/postgresql/data": Mount("volume", "pv/d")}
    env = {"POSTGRES_PASSWORD": "pw"}
    shop.start("db", "postgres:16", "9", env=env, mounts=mounts)
    shop.run(12)
    for statement in (
        "CREATE TABLE books (n int)", "INSERT INTO books VALUES (1)",
        "CREATE ROLE readers", "GRANT SELECT ON books TO readers",
        "CREATE ROLE eve LOGIN PASSWORD 'e'", "CREATE ROLE bob LOGIN PASSWORD 'b'",
    ):  # fmt: skip
        assert ask(shop, statement)[1] == ""
    return shop


@pytest.fixture
def shelf(started: Any) -> Any:
    return started.fork()


def ask(shop: Any, statement: str, user: str = "postgres") -> tuple[str, str]:
    """Output and errors."""
    done = shop.shell("db", f"psql -U {user} -d postgres -qtA <<'END'\n{statement}\nEND")
    return done[1].strip(), done[2].strip()


def roles(shop: Any) -> Any:
    return json.loads(shop.kept()["sql at pv/d:"]).get("roles", {})


def test_members_may_do_what_their_roles_may(shelf: Any) -> None:
    denied = "ERROR:  permission denied for table books"
    assert ask(shelf, "SELECT n FROM books", "eve") == ("", denied)
    assert ask(shelf, "GRANT readers TO bob; GRANT bob TO eve") == ("", "")
    assert ask(shelf, "SELECT n FROM books", "eve") == ("1", "")
    assert ask(shelf, "DELETE FROM books", "eve") == ("", denied)
    assert ask(shelf, "SELECT has_table_privilege('eve', 'books', 'SELECT')") == ("t", "")
    assert roles(shelf) == {"bob": {"member of": ["readers"]}, "eve": {"member of": ["bob"]}}
    assert ask(shelf, "DROP ROLE bob") == ("", "")
    assert ask(shelf, "SELECT n FROM books", "eve") == ("", denied)
    assert roles(shelf) == {}


def test_what_was_given_can_be_taken(shelf: Any) -> None:
    ask(shelf, "GRANT pg_read_all_data TO eve WITH ADMIN OPTION")
    assert ask(shelf, "SELECT n FROM books", "eve") == ("1", "")
    assert ask(shelf, "REVOKE pg_read_all_data FROM eve") == ("", "")
    assert ask(shelf, "SELECT n FROM books", "eve")[0] == ""


def test_nobody_inherits_that_a_role_is_a_superuser_but_it_is_told(shelf: Any) -> None:
    assert ask(shelf, "GRANT postgres TO bob; GRANT bob TO eve") == ("", "")
    assert ask(shelf, "SELECT n FROM books", "eve")[0] == ""
    assert roles(shelf)["eve"] == {"member of": ["bob"], "superuser by": ["postgres"]}


@pytest.mark.parametrize(
    ("user", "statement", "error"),
    [
        ("postgres", "GRANT nobody TO eve", 'ERROR:  role "nobody" does not exist'),
        ("postgres", "GRANT readers TO nobody", 'ERROR:  role "nobody" does not exist'),
        ("postgres", "GRANT eve TO eve", 'ERROR:  role "eve" is a member of role "eve"'),
        ("eve", "GRANT readers TO eve", 'ERROR:  must have admin option on role "readers"'),
        ("postgres", "ALTER ROLE eve RENAME TO bob", 'ERROR:  role "bob" already exists'),
        ("eve", "ALTER ROLE eve CREATEROLE", "ERROR:  permission denied"),
        ("eve", "ALTER ROLE eve SUPERUSER", "ERROR:  must be superuser to alter superuser roles or change superuser attribute"),
    ],
)  # fmt: skip
def test_what_is_refused(shelf: Any, user: str, statement: str, error: str) -> None:
    before = shelf.kept()
    assert ask(shelf, statement, user) == ("", error)
    assert shelf.kept() == before


def test_members_do_not_go_in_a_circle(shelf: Any) -> None:
    ask(shelf, "GRANT eve TO bob")
    told = 'ERROR:  role "bob" is a member of role "eve"'
    assert ask(shelf, "GRANT bob TO eve") == ("", told)


def test_who_may_create_roles_creates_them_and_is_told(shelf: Any) -> None:
    assert ask(shelf, "CREATE ROLE ann", "eve") == ("", "ERROR:  permission denied to create role")
    assert ask(shelf, "ALTER ROLE eve CREATEROLE CREATEDB") == ("", "")
    assert roles(shelf) == {"eve": {"attributes": ["createdb", "createrole"]}}
    assert ask(shelf, "SELECT rolcreaterole FROM pg_roles WHERE rolname = 'eve'") == ("t", "")
    assert "eve|Create role, Create DB" in ask(shelf, "\\du")[0]
    assert ask(shelf, "CREATE ROLE ann; GRANT readers TO ann", "eve") == ("", "")
    assert ask(shelf, "ALTER ROLE eve NOCREATEROLE NOCREATEDB") == ("", "")
    assert roles(shelf) == {"ann": {"member of": ["readers"]}}


def test_sessions_of_a_role_begin_with_its_settings(shelf: Any) -> None:
    ask(shelf, "GRANT ALL ON books TO eve")
    assert ask(shelf, "ALTER ROLE eve SET default_transaction_read_only = on") == ("", "")
    assert roles(shelf) == {"eve": {"settings": {"default_transaction_read_only": "on"}}}
    assert ask(shelf, "INSERT INTO books VALUES (2)", "eve") == (
        "", "ERROR:  cannot execute INSERT in a read-only transaction",
    )  # fmt: skip
    assert ask(shelf, "ALTER ROLE eve RESET ALL") == ("", "")
    assert ask(shelf, "INSERT INTO books VALUES (2)", "eve") == ("", "")


def test_a_role_keeps_all_it_is_under_another_name(shelf: Any) -> None:
    ask(shelf, "GRANT readers TO eve")
    assert ask(shelf, "ALTER ROLE readers RENAME TO browsers") == ("", "")
    assert roles(shelf) == {"eve": {"member of": ["browsers"]}}
    assert ask(shelf, "SELECT n FROM books", "eve") == ("1", "")


@pytest.mark.parametrize(
    ("statement", "notice"),
    [
        ("GRANT readers TO eve; GRANT readers TO eve", 'NOTICE:  role "eve" is already a member of role "readers"'),
        ("REVOKE readers FROM eve", 'WARNING:  role "eve" is not a member of role "readers"'),
    ],
)  # fmt: skip
def test_what_changes_nothing_is_noticed(shelf: Any, statement: str, notice: str) -> None:
    assert ask(shelf, statement) == ("", notice)
