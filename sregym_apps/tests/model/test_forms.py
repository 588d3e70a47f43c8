from __future__ import annotations

import pytest
from sregym_apps.model import FormError, parsed, value_at

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
