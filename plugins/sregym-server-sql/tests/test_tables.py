"""Tables that are larger than what can be looked at: indexes that serve them, keys that run out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.sdk.servers import Refusal, process_of
from sregym_cluster_embedded.sdk.testing import Mount

MODEL = """
application: stores
images:
  - repository: mysql
    tags: ["8.0"]
    size_mib: 160
    entrypoint: [docker-entrypoint.sh]
    cmd: [mysqld]
    binaries: {/usr/local/bin/docker-entrypoint.sh: mysql, /usr/sbin/mysqld: mysql}
    tools: [debian, mysql]
  - repository: postgres
    tags: ["16"]
    size_mib: 150
    entrypoint: [docker-entrypoint.sh]
    cmd: [postgres]
    binaries: {/usr/local/bin/docker-entrypoint.sh: postgres, /usr/bin/postgres: postgres}
    tools: [debian, postgres]
programs:
  mysql: {kind: mysql}
  postgres: {kind: postgres}
"""
RECORD = '{"id": ${n}, "owner": "o${n}"}'
GREATEST = 2**31 - 1
STORES = {
    "mysql": (
        ("mysql:8.0", "/var/lib/mysql", {"MYSQL_ROOT_PASSWORD": "r", "MYSQL_DATABASE": "shop"}),
        Client(protocol="mysql", address="db:3306", user="root", password="r", database="shop"),
        "MYSQL_PWD=r mysql -uroot -N shop -e",
    ),
    "postgres": (
        ("postgres:16", "/var/lib/postgresql/data", {"POSTGRES_PASSWORD": "r", "POSTGRES_DB": "shop"}),
        Client(protocol="postgres", address="db:5432", user="postgres", password="r", database="shop"),
        "psql -U postgres -d shop -tA -c",
    ),
}  # fmt: skip


class Store:
    """A server with one table of three rows that can be looked at, of a thousand."""

    def __init__(self, testbed: Any, name: str) -> None:
        (image, folder, env), self.client, self.asking = STORES[name]
        self.testbed = testbed
        testbed.name("db", "8")
        testbed.start("db", image, "8", env=env, mounts={folder: Mount("volume", f"pv/{name}")})
        testbed.run(6)
        self.kind.seed(testbed.world, self.server, self.client, "things", 3, RECORD)
        self.enlarge()

    @property
    def server(self) -> Any:
        return process_of(self.testbed.world, self.testbed.ref("db"))

    @property
    def kind(self) -> Any:
        return self.testbed.runtime.kind_of(self.server)

    def enlarge(self) -> None:
        """As the program does each time it starts."""
        world = self.testbed.world
        self.kind.enlarge(world, self.server, self.client, "things", 1000, ("owner",))

    def say(self, statement: str) -> str:
        code, out, err = self.testbed.shell("db", f'{self.asking} "{statement}"')
        return str(out if code == 0 else err).strip()

    def examined(self, *by: str) -> int:
        world = self.testbed.world
        return int(self.kind.examined(world, self.server, self.client, "things", by))

    def insert(self) -> Refusal | None:
        world, program = self.testbed.world, self.server.behaviour
        found: Refusal | None = self.kind.command(
            world, self.server, program, self.client, "insert", "things", True
        )
        return found


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, make_shop: Callable[..., Any]) -> Store:
    return Store(make_shop(MODEL), request.param)


def test_an_index_serves_until_it_is_dropped_for_good(store: Store) -> None:
    found = [store.say("SELECT count(*) FROM things"), store.examined("owner", "id")]
    found += [store.examined("owner"), store.examined("price")]
    drop = "DROP INDEX idx_things_owner" + (" ON things" if "mysql" in store.asking else "")
    store.say(drop)
    store.enlarge()  # a program that restarts finds a table that is filled
    found.append(store.examined("owner"))
    store.say("CREATE INDEX again ON things (owner)")
    found.append(store.examined("owner"))
    assert found == ["1000", 0, 0, 1000, 1000, 0]


def test_plans_tell_of_the_index_and_of_its_absence(store: Store) -> None:
    asked = "EXPLAIN SELECT * FROM things WHERE owner = 'o1'"
    with_it = store.say(asked)
    if "mysql" in store.asking:
        store.say("ALTER TABLE things DROP INDEX idx_things_owner")
        assert [with_it.split("\t")[4:10], store.say(asked).split("\t")[4:10]] == [
            ["ref", "idx_things_owner", "idx_things_owner", "1022", "const", "1"],
            ["ALL", "NULL", "NULL", "NULL", "NULL", "1000"],
        ]
        return
    store.say("DROP INDEX CONCURRENTLY idx_things_owner")
    assert [with_it, store.say(asked)] == [
        "Index Scan using idx_things_owner on things  (cost=0.43..8.45 rows=1 width=36)\n"
        "  Index Cond: (owner = 'o1')",
        "Seq Scan on things  (cost=0.00..11.01 rows=1 width=36)\n  Filter: (owner = 'o1')",
    ]


def test_keys_run_out_and_are_widened_in_mysql(make_shop: Callable[..., Any]) -> None:
    store = Store(make_shop(MODEL), "mysql")
    following = "SELECT auto_increment FROM information_schema.tables WHERE table_name = 'things'"
    kind = "SELECT data_type FROM information_schema.columns WHERE table_name = 'things' AND column_name = 'id'"
    found = [store.say(following), store.say(kind), store.insert()]
    store.say(f"ALTER TABLE things AUTO_INCREMENT = {GREATEST}")
    found += [store.say(following), store.insert()]
    found.append(store.say("INSERT INTO things (owner) VALUES ('x')"))
    store.say("ALTER TABLE things MODIFY id BIGINT NOT NULL AUTO_INCREMENT")
    found += [store.say(kind), store.insert()]
    store.say("ALTER TABLE things MODIFY id INT NOT NULL AUTO_INCREMENT")
    store.say("ALTER TABLE things AUTO_INCREMENT = 1")
    found += [store.say(following), store.insert()]
    taken = f"Duplicate entry '{GREATEST}' for key 'PRIMARY'"
    assert found == [
        "1001", "int", None,
        str(GREATEST), Refusal("server", f"Error 1062 (23000): {taken}"),
        f"ERROR 1062 (23000) at line 1: {taken}",
        "bigint", None,
        "1001", None,
    ]  # fmt: skip


def test_sequences_run_out_and_are_widened_in_postgres(make_shop: Callable[..., Any]) -> None:
    store = Store(make_shop(MODEL), "postgres")
    left = "SELECT data_type, max_value, last_value FROM pg_sequences"
    found: list[object] = [store.say(left), store.say("SELECT nextval('things_id_seq')")]
    store.say(f"SELECT setval(pg_get_serial_sequence('things', 'id'), {GREATEST})")
    found += [store.insert(), store.say("INSERT INTO things (owner) VALUES ('x')")]
    store.say("ALTER SEQUENCE things_id_seq AS bigint")
    found.append(store.insert())
    store.say("ALTER TABLE things ALTER COLUMN id TYPE bigint")
    found += [store.insert(), store.say(left)]
    over = f'nextval: reached maximum value of sequence "things_id_seq" ({GREATEST})'
    assert found == [
        f"integer|{GREATEST}|1000",
        "1001",
        Refusal("server", f"ERROR: {over} (SQLSTATE 2200H)"),
        f"ERROR:  {over}",
        Refusal("server", "ERROR: integer out of range (SQLSTATE 2200H)"),
        None,
        f"bigint|{2**63 - 1}|{GREATEST}",
    ]


def test_what_is_refused_of_indexes_and_sequences(store: Store) -> None:
    if "mysql" in store.asking:
        asked = [
            "DROP INDEX none ON things",
            "ALTER TABLE things ADD INDEX idx_things_owner (owner)",
            "CREATE INDEX more ON things (colour)",
            "ALTER TABLE nothing DROP INDEX none",
        ]
        expected = [
            "ERROR 1091 (42000) at line 1: Can't DROP 'none'; check that column/key exists",
            "ERROR 1061 (42000) at line 1: Duplicate key name 'idx_things_owner'",
            "ERROR 1072 (42000) at line 1: Key column 'colour' doesn't exist in table",
            "ERROR 1146 (42S02) at line 1: Table 'shop.nothing' doesn't exist",
        ]
    else:
        asked = [
            "DROP INDEX none",
            "SELECT nextval('none_seq')",
            f"SELECT setval('things_id_seq', {GREATEST + 1})",
            "ALTER SEQUENCE none_seq AS bigint",
            "ALTER TABLE things ALTER COLUMN id TYPE smallint",
        ]
        expected = [
            'ERROR:  index "none" does not exist',
            'ERROR:  relation "none_seq" does not exist',
            f'ERROR:  setval: value {GREATEST + 1} is out of bounds for sequence "things_id_seq" (1..{GREATEST})',
            'ERROR:  relation "none_seq" does not exist',
            "ERROR:  integer out of range",
        ]
        store.say("INSERT INTO things (id, owner) VALUES (40000, 'far')")
    assert [store.say(statement) for statement in asked] == expected
