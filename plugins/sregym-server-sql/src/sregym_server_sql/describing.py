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
    if roles := {name: role for name in data.accounts if (role := _role(data, name))}:
        kept["roles"] = roles
    if data.follows:
        kept["follows"] = dict(data.follows)
    if data.numbers:
        kept["numbers"] = dict(data.numbers)
    if data.standby:
        kept["standby"] = data.standby
    return json.dumps({**kept, "version": data.version}, sort_keys=True, separators=(",", ":"))


def _role(data: SqlData, name: str) -> dict[str, Any]:
    """What else an account is and may become; empty for nothing. A superuser is all of it."""
    account = data.accounts[name]
    above = [] if account.superuser else data.roles_of(name)
    superusers = [one for one in above if (held := data.accounts.get(one)) and held.superuser]
    found = {
        "attributes": [] if account.superuser else list(account.attributes),
        "member of": list(account.roles),
        "settings": dict(account.settings),
        "superuser by": superusers,
    }
    return {title: held for title, held in found.items() if held}


def _canonical(script: str) -> str:
    """A script that makes a database, with its indexes in the order of their names."""
    lines = script.splitlines()
    made = [line for line in lines if line.startswith(("CREATE INDEX", "CREATE UNIQUE INDEX"))]
    return "\n".join([*(line for line in lines if line not in made), *sorted(made)])
