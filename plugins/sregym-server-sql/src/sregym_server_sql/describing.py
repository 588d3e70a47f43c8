"""The data of a relational server as text, for comparisons."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sregym_server_sql.engine import dump

if TYPE_CHECKING:
    from sregym_server_sql.data import SqlData


def describe(data: SqlData) -> str:
    """Canonical JSON of accounts, settings and rows."""
    accounts: dict[str, list[Any]] = {
        name: [held.password, held.superuser, sorted(held.databases), sorted(held.reads)]
        for name, held in data.accounts.items()
    }
    for name, held in data.accounts.items():
        more = [dict(held.tables), held.login, held.limit, held.until]
        if more != [{}, True, -1, ""]:
            accounts[name].extend(more)
    databases = {name: _canonical(dump(image)) for name, image in data.databases.items()}
    kept: dict[str, Any] = {
        "accounts": accounts,
        "settings": dict(data.settings),
        "databases": databases,
    }
    if data.follows:
        kept["follows"] = dict(data.follows)
    if data.numbers:
        kept["numbers"] = dict(data.numbers)
    if data.standby:
        kept["standby"] = data.standby
    return json.dumps({**kept, "version": data.version}, sort_keys=True, separators=(",", ":"))


def _canonical(script: str) -> str:
    """A script that makes a database, with its indexes in the order of their names."""
    lines = script.splitlines()
    made = [line for line in lines if line.startswith(("CREATE INDEX", "CREATE UNIQUE INDEX"))]
    return "\n".join([*(line for line in lines if line not in made), *sorted(made)])
