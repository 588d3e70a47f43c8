from __future__ import annotations

import pytest
from sregym_apps.model import FormError, parsed, value_at, value_in

INI = """\
; a comment
top = 1
[mysqld]
max_connections = 200
skip-name-resolve
"""


@pytest.mark.parametrize(
    ("path", "text", "key", "expected"),
    [
        ("config.json", '{"a": {"b": 1}, "c.d": "x"}', "a.b", "1"),
        ("config.json", '{"a": {"b": 1}, "c.d": "x"}', "c.d", "x"),
        ("config", '{"a": true}', "a", "true"),
        ("jaeger.yml", "sampler: {param: 0.01}\n", "sampler.param", "0.01"),
        ("a.yaml", "when: 2020-01-01\n", "when", '"2020-01-01"'),
        ("a.yaml", "a: [1\n", "a", None),
        ("app.properties", "# x\nserver.port=8080\nname: shop\n", "server.port", "8080"),
        ("app.properties", "# x\nserver.port=8080\nname: shop\n", "name", "shop"),
        ("my.cnf", INI, "mysqld.max_connections", "200"),
        ("my.cnf", INI, "mysqld.skip-name-resolve", ""),
        ("my.cnf", INI, "top", "1"),
        ("redis.conf", "maxmemory 100mb\n", "maxmemory", "100mb"),
    ],
)
def test_values_of_configuration_files(
    path: str, text: str, key: str, expected: str | None
) -> None:
    assert value_at(text, path, key) == expected


def test_yaml_with_aliases_is_refused() -> None:
    """Nine lines of them would make a value of a billion items."""
    with pytest.raises(FormError) as raised:
        parsed("a: &a [1]\nb: [*a, *a]\n", "x.yaml")

    assert (str(raised.value), raised.value.at) == ("alias", 14)


URL = "postgres://me:p%40ss@db.shop:5433/orders?sslmode=disable&pool=4"


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        (URL, "scheme", "postgres"),
        (URL, "host", "db.shop"),
        (URL, "port", "5433"),
        (URL, "user", "me"),
        (URL, "password", "p@ss"),
        (URL, "path", "orders"),
        (URL, "sslmode", "disable"),
        (URL, "pool", "4"),
        (URL, "nothing", None),
        ("postgres://db", "port", None),
        ("postgres://db", "path", None),
        ("postgres://db:port", "host", None),
        ("Host=db;Username=me;Password=a b", "username", "me"),
        ("Host=db; Database = orders", "Database", "orders"),
        ("host=db user=me password='p w' dbname=orders", "password", "p w"),
        ("host=db user=me password='p w' dbname=orders", "dbname", "orders"),
        ("host=db", "port", None),
        ("", "host", None),
    ],
)
def test_parts_of_connection_strings(text: str, key: str, expected: str | None) -> None:
    assert value_in(text, key) == expected


@pytest.mark.parametrize("text", ["{", "[" * 20_000], ids=["unfinished", "too deep"])
def test_what_is_wrong_with_a_file_is_told_each_time_anew(text: str) -> None:
    told = []
    for _ in range(2):
        with pytest.raises(FormError) as raised:
            parsed(text, "config.json")
        told.append(raised.value)
    first, second = told
    assert (str(first), first.at) == (str(second), second.at)
    assert first is not second
