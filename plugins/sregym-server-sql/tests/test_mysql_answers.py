"""What mysql and mysqladmin print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_cluster_embedded.sdk.servers import Lock, hold
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
programs:
  mysql: {kind: mysql}
"""
SCRIPT = """
CREATE TABLE items (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL, price DECIMAL(10,2) DEFAULT 0, UNIQUE KEY uname (name)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
INSERT INTO items (name, price) VALUES ('pen', 1.5), ('book', NULL);
"""
ENV = {"MYSQL_ROOT_PASSWORD": "root", "MYSQL_DATABASE": "shop", "MYSQL_USER": "app", "MYSQL_PASSWORD": "pw"}  # fmt: skip
M = "MYSQL_PWD=root mysql -uroot"
A = "MYSQL_PWD=pw mysql -uapp"
FIELD = "ERROR 1054 (42S22) at line {}: Unknown column '{}' in '{}'\n"
SYNTAX = "ERROR 1064 (42000) at line 1: You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '{}' at line 1\n"
STARS = "*" * 27


@pytest.fixture
def shop(started: Any) -> Any:
    return started.fork()


@pytest.fixture(scope="module")
def started(make_shop: Callable[..., Any]) -> Any:
    shop = make_shop(MODEL)
    mounts = {
        "/var/lib/mysql": Mount("volume", "pv/m"),
        "/docker-entrypoint-initdb.d": Mount("files", "init", {"a.sql": SCRIPT}),
    }
    shop.name("db", "8")
    shop.start("db", "mysql:8.0", "8", env=ENV, mounts=mounts)
    shop.run(6)
    return shop


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"{M} shop -e 'SELECT * FROM items'", (0, "id\tname\tprice\n1\tpen\t1.50\n2\tbook\tNULL\n", "")),
        (f"{M} shop -te 'SELECT id, price FROM items'", (0, "+----+-------+\n| id | price |\n+----+-------+\n|  1 |  1.50 |\n|  2 |  NULL |\n+----+-------+\n", "")),
        (f"{M} shop -e 'SELECT id, name FROM items WHERE id = 1\\G SELECT 2'", (0, f"{STARS} 1. row {STARS}\n  id: 1\nname: pen\n2\n2\n", "")),
        (f"{M} shop -sNe \"SELECT left('abc', 2), right('abc', 1)\"", (0, "ab\tc\n", "")),
        (f"{M} -sNe 'SELECT 1, 2'", (0, "1\t2\n", "")),
        (f"{M} shop -e 'SELECT COUNT(*), UPPER(name) FROM items GROUP BY name LIMIT 1'", (0, "COUNT(*)\tUPPER(name)\n1\tBOOK\n", "")),
        (f"{M} shop -e \"SELECT CONCAT('a','b'), IF(1,'y','n'), NOW() > '2020'\"", (0, "CONCAT('a','b')\tIF(1,'y','n')\tNOW() > '2020'\nab\ty\t1\n", "")),
        (f"{M} shop -e 'SELECT bad FROM items'", (1, "", FIELD.format(1, "bad", "field list"))),
        (f"{M} shop -e 'SELECT id FROM items WHERE bad = 1'", (1, "", FIELD.format(1, "bad", "where clause"))),
        (f"{M} shop -e 'SELECT id FROM items ORDER BY bad'", (1, "", FIELD.format(1, "bad", "order clause"))),
        (f"printf 'SELECT 1;\\n\\nSELECT\\n bad;\\nSELECT 2;\\n' | {M} -N", (1, "1\n", FIELD.format(3, "bad", "field list"))),
        (f"{M} -Nfe 'SELECT bad; SELECT 2'", (1, "2\n", FIELD.format(1, "bad", "field list"))),
        (f"{M} shop -e 'SELECT nofunc(1)'", (1, "", "ERROR 1305 (42000) at line 1: FUNCTION shop.nofunc does not exist\n")),
        (f"{M} shop -e 'SHOW nosuch'", (1, "", SYNTAX.format("nosuch"))),
        (f"{M} shop -e \"INSERT INTO items (name) VALUES ('pen')\"", (1, "", "ERROR 1062 (23000) at line 1: Duplicate entry 'pen' for key 'items.uname'\n")),
        (f"{M} shop -e \"INSERT INTO items VALUES (1, 'x', 1)\"", (1, "", "ERROR 1062 (23000) at line 1: Duplicate entry '1' for key 'items.PRIMARY'\n")),
        (f"{M} shop -e 'INSERT INTO items (name) VALUES (NULL)'", (1, "", "ERROR 1048 (23000) at line 1: Column 'name' cannot be null\n")),
        (f"{M} shop -e 'INSERT INTO items (price) VALUES (1)'", (1, "", "ERROR 1364 (HY000) at line 1: Field 'name' doesn't have a default value\n")),
        (f"{M} shop -e \"INSERT INTO items VALUES (1, 'x')\"", (1, "", "ERROR 1136 (21S01) at line 1: Column count doesn't match value count at row 1\n")),
        (f"{M} shop -e 'DROP TABLE none'", (1, "", "ERROR 1051 (42S02) at line 1: Unknown table 'shop.none'\n")),
        (f"{M} shop -e 'DESCRIBE items'", (0, "Field\tType\tNull\tKey\tDefault\tExtra\nid\tint\tNO\tPRI\tNULL\tauto_increment\nname\tvarchar(20)\tNO\tUNI\tNULL\t\nprice\tdecimal(10,2)\tYES\t\t0.00\t\n", "")),
        (f"{M} -e \"SHOW TABLES FROM shop LIKE 'it%'\"", (0, "Tables_in_shop (it%)\nitems\n", "")),
        (f"{M} -e 'SHOW CREATE TABLE shop.none'", (1, "", "ERROR 1146 (42S02) at line 1: Table 'shop.none' doesn't exist\n")),
        (f"{M} -e 'SHOW GRANTS FOR app; SHOW GRANTS FOR nosuch'", (1, "Grants for app@%\nGRANT USAGE ON *.* TO `app`@`%`\nGRANT ALL PRIVILEGES ON `shop`.* TO `app`@`%`\n", "ERROR 1141 (42000) at line 1: There is no such grant defined for user 'nosuch' on host '%'\n")),
        (f"{M} -Ne \"SHOW VARIABLES WHERE Variable_name IN ('port', 'innodb_lock_wait_timeout')\"", (0, "innodb_lock_wait_timeout\t50\nport\t3306\n", "")),
        (f"{M} -e 'SET GLOBAL nosuch = 5'", (1, "", "ERROR 1193 (HY000) at line 1: Unknown system variable 'nosuch'\n")),
        (f"{M} -e 'SET GLOBAL max_connections = abc'; {M} -Ne 'SELECT @@max_connections'", (0, "151\n", "ERROR 1232 (42000) at line 1: Incorrect argument type to variable 'max_connections'\n")),
        (f"{M} -e 'SET GLOBAL port = 5'", (1, "", "ERROR 1238 (HY000) at line 1: Variable 'port' is a read only variable\n")),
        (f"{M} -e 'SET GLOBAL read_only = maybe'", (1, "", "ERROR 1231 (42000) at line 1: Variable 'read_only' can't be set to the value of 'maybe'\n")),
        (f"{M} -e 'KILL 99999'", (1, "", "ERROR 1094 (HY000) at line 1: Unknown thread id: 99999\n")),
        *((f"{M} -e '{said}'", (1, "", SYNTAX.format(""))) for said in ("CREATE USER", "SHOW", "create database", "explain", "use;")),
        (f"{M} -e 'KILL abc'", (1, "", SYNTAX.format("abc"))),
        (f"{M} -e 'FLUSH nosuch'", (1, "", SYNTAX.format("nosuch"))),
        (f"{M} -Ne \"SELECT table_name, data_type FROM information_schema.columns WHERE table_name = 'items' LIMIT 1\"", (0, "items\tint\n", "")),
        (f"{M} -Ne \"SELECT user, host FROM mysql.user WHERE user IN ('root', 'app') ORDER BY 1, 2\"", (0, "app\t%\nroot\t%\nroot\tlocalhost\n", "")),
        (f"{A} -e 'SELECT * FROM mysql.user'", (1, "", "ERROR 1142 (42000) at line 1: SELECT command denied to user 'app'@'localhost' for table 'user'\n")),
        (f"{A} -h 127.0.0.1 -Ne 'SELECT CURRENT_USER(), USER()'", (0, "app@%\tapp@127.0.0.1\n", "")),
        (f"{M} shop -Ne 'BEGIN; DELETE FROM items; ROLLBACK; SELECT COUNT(*) FROM items'", (0, "2\n", "")),
        (f"{M} -e 'ALTER USER app ACCOUNT LOCK'; {A} -e 'SELECT 1'", (1, "", "ERROR 3118 (HY000): Access denied for user 'app'@'localhost'. Account is locked.\n")),
        (f"{M} -e \"CREATE USER app IDENTIFIED BY 'x'\"", (1, "", "ERROR 1396 (HY000) at line 1: Operation CREATE USER failed for 'app'@'%'\n")),
        (f"{M} -e 'REVOKE SELECT ON shop.* FROM app'; {A} shop -e 'SELECT * FROM items'", (1, "", "ERROR 1142 (42000) at line 1: SELECT command denied to user 'app'@'localhost' for table 'items'\n")),
        (f"{M} -e 'REVOKE SELECT ON shop.* FROM app'; {A} -Ne 'SHOW GRANTS'", (0, "GRANT USAGE ON *.* TO `app`@`%`\nGRANT INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON `shop`.* TO `app`@`%`\n", "")),
        (f"{M} -e 'REVOKE SELECT ON shop.items FROM app'", (1, "", "ERROR 1147 (42000) at line 1: There is no such grant defined for user 'app' on host '%' on table 'items'\n")),
        (f"{M} -e 'GRANT SELECT ON shop.none TO app'", (1, "", "ERROR 1146 (42S02) at line 1: Table 'shop.none' doesn't exist\n")),
        (f"{M} shop -e 'REVOKE ALL ON shop.* FROM app; GRANT SELECT, UPDATE ON items TO app'; {A} shop -Ne 'SELECT name FROM items WHERE id = 1; DELETE FROM items'", (1, "pen\n", "ERROR 1142 (42000) at line 1: DELETE command denied to user 'app'@'localhost' for table 'items'\n")),
        (f"{M} -S /tmp/none.sock -e 'SELECT 1'", (1, "", "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/tmp/none.sock' (2)\n")),
        (f"{M} --nosuch", (2, "", "mysql: [ERROR] unknown option '--nosuch'.\n")),
        (f"{M} shop -vve 'UPDATE items SET price = 3 WHERE id = 1'", (0, "--------------\nUPDATE items SET price = 3 WHERE id = 1\n--------------\n\nQuery OK, 1 row affected\nRows matched: 1  Changed: 1  Warnings: 0\n\nBye\n", "")),
        ("MYSQL_PWD=no mysqladmin ping", (0, "", "mysqladmin: connect to server at 'localhost' failed\nerror: 'Access denied for user 'root'@'localhost' (using password: YES)'\n")),
        ("mysqladmin -h 127.0.0.1 -P 3399 ping", (1, "", "mysqladmin: connect to server at '127.0.0.1' failed\nerror: 'Can't connect to MySQL server on '127.0.0.1:3399' (111)'\nCheck that mysqld is running on 127.0.0.1 and that the port is 3399.\nYou can check this by doing 'telnet 127.0.0.1 3399'\n")),
    ],
)  # fmt: skip
def test_what_is_printed(shop: Any, script: str, expected: tuple[int, str, str]) -> None:
    assert shop.shell("db", script) == expected


def test_a_lock_is_seen_and_its_holder_ended(shop: Any) -> None:
    hold(shop.world, shop.ref("db"), Lock(77, "shop", "items", True, "batch", "10.244.0.9"))
    select = f"{M} shop -Ne 'SELECT COUNT(*) FROM items'"
    listed = f"{M} -Ne \"SELECT id, user, host FROM information_schema.processlist WHERE command = 'Sleep'\""
    waited = (
        "ERROR 1205 (HY000) at line 1: Lock wait timeout exceeded; try restarting transaction\n"
    )
    said = shop.shell("db", f"{select}; {listed}; {M} -e 'KILL 77'; {select}")
    assert said == (0, "77\tbatch\t10.244.0.9:32845\n2\n", waited)


def test_a_session_that_sleeps_keeps_what_it_locked(shop: Any) -> None:
    lock = "LOCK TABLES items WRITE; SELECT SLEEP(600)"
    shop.shell("db", f"{M} shop -e '{lock}' >/dev/null 2>&1 &")
    shop.run(60)
    seen = f"{M} -Ne \"SELECT id, state, info FROM information_schema.processlist WHERE state = 'User sleep'\""
    waited = (
        "ERROR 1205 (HY000) at line 1: Lock wait timeout exceeded; try restarting transaction\n"
    )
    select = f"{M} shop -Ne 'SELECT COUNT(*) FROM items'"
    said = shop.shell("db", f"{seen}; {select}; {M} -e 'KILL 4127'; {select}")
    assert said == (0, "4127\tUser sleep\tSELECT SLEEP(600)\n2\n", waited)


def test_all_tables_are_locked_against_writes(shop: Any) -> None:
    lock = "FLUSH TABLES WITH READ LOCK; SELECT SLEEP(600)"
    shop.shell("db", f"{M} shop -e '{lock}' >/dev/null 2>&1 &")
    shop.run(60)
    waited = (
        "ERROR 1205 (HY000) at line 1: Lock wait timeout exceeded; try restarting transaction\n"
    )
    both = f"{M} shop -Ne 'SELECT COUNT(*) FROM items'; {M} shop -e 'DELETE FROM items'"
    assert shop.shell("db", both) == (1, "2\n", waited)


def test_a_table_that_is_not_there_cannot_be_locked(shop: Any) -> None:
    missing = "ERROR 1146 (42S02) at line 1: Table 'shop.none' doesn't exist\n"
    asked = f"{M} shop -e 'LOCK TABLES none READ'"
    assert shop.shell("db", asked) == (1, "", missing)
    assert shop.shell("db", f"{M} shop -e 'LOCK TABLES items READ; UNLOCK TABLES'") == (0, "", "")
