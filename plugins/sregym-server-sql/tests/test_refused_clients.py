"""How a PostgreSQL server's log words the statements of programs."""

from __future__ import annotations

import pytest
from sregym_server_sql.refused_clients import statement_of


@pytest.mark.parametrize(
    ("command", "table", "statement"),
    [
        ("find", "orders", "SELECT * FROM orders WHERE id = $1"),
        ("insert", "orders", "INSERT INTO orders VALUES ($1)"),
        ("update", "orders", "UPDATE orders SET value = $2 WHERE id = $1"),
        ("delete", "orders", "DELETE FROM orders WHERE id = $1"),
        ("find", "", "SELECT 1"),
    ],
)
def test_statements_have_parameters(command: str, table: str, statement: str) -> None:
    assert statement_of(command, table) == statement
