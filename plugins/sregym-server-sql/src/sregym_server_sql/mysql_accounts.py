"""Users and rights of MySQL: CREATE, ALTER and DROP USER, GRANT and REVOKE."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.data import RIGHTS, Account
from sregym_server_sql.engine import Result, tables_of
from sregym_server_sql.mysql_errors import MysqlError

if TYPE_CHECKING:
    from sregym_server_sql.mysql_server import MysqlConnection

_NAMED = re.compile(
    r"user\s+(?:if\s+(?:not\s+)?exists\s+)?['\"`]?([\w.-]+)['\"`]?(?:\s*@\s*['\"`]?[^'\"`\s;]+['\"`]?)?",
    re.I,
)
_PASSWORD = re.compile(r"identified\s+(?:with\s+\S+\s+)?by\s+'([^']*)'", re.I)
_NOTHING = Result((), (), 0, "create")


def _name(statement: str) -> str:
    found = _NAMED.search(statement)
    return found.group(1) if found is not None else ""


def create_user(client: MysqlConnection, statement: str) -> Result:
    """CREATE USER."""
    client.demand("CREATE USER")
    name, data = _name(statement), client.data
    if name in data.accounts:
        if "not exists" in statement.lower():
            return _NOTHING
        raise MysqlError(1396, "HY000", f"Operation CREATE USER failed for '{name}'@'%'")
    found = _PASSWORD.search(statement)
    account = Account(found.group(1) if found is not None else "")
    client.keep(data.with_account(name, _limited(account, statement)))
    return _NOTHING


def drop_user(client: MysqlConnection, statement: str) -> Result:
    """DROP USER."""
    client.demand("CREATE USER")
    name, data = _name(statement), client.data
    if name in data.accounts:
        client.keep(data.with_account(name, None))
    elif "if exists" not in statement.lower():
        raise MysqlError(1396, "HY000", f"Operation DROP USER failed for '{name}'@'%'")
    return _NOTHING


def alter_user(client: MysqlConnection, statement: str) -> Result:
    """ALTER USER."""
    name, data = _name(statement), client.data
    if name != client.user:
        client.demand("CREATE USER")
    if name not in data.accounts:
        raise MysqlError(1396, "HY000", f"Operation ALTER USER failed for '{name}'@'%'")
    account, found = data.accounts[name], _PASSWORD.search(statement)
    if found is not None:
        account = replace(account, password=found.group(1))
    if re.search(r"account\s+(un)?lock", statement, re.I):
        account = replace(account, login="unlock" in statement.lower())
    client.keep(data.with_account(name, _limited(account, statement)))
    return _NOTHING


def _limited(account: Account, statement: str) -> Account:
    """An account with the connections that a statement gives it; 0 is as the server has it."""
    found = re.search(r"\bmax_user_connections\s+(\d+)", statement, re.I)
    return account if found is None else replace(account, limit=int(found.group(1)) or -1)


def rights_on(account: Account, database: str, table: str) -> frozenset[str]:
    """What an account may do with a table: by its database, and by what it was granted on it."""
    found: set[str] = set()
    if account.may(database, write=True):
        found |= {*RIGHTS}
    elif account.may(database, write=False):
        found.add("SELECT")
    for place in dict.fromkeys(("*", table)):
        found |= {*account.tables.get(f"{database}/{place}", ())}
    return frozenset(found)


def granted(client: MysqlConnection, statement: str, *, give: bool) -> Result:
    """GRANT and REVOKE, on whole databases and on tables."""
    found = re.search(
        r"^\w+\s+(.*?)\s+on\s+(?:table\s+)?(?:`?([\w*]+)`?\s*\.\s*)?`?([\w*]+)`?\s+(?:to|from)\s+"
        r"['\"`]?([\w.-]+)",
        statement,
        re.I | re.S,
    )
    data = client.data
    database = "" if found is None else found.group(2) or client.database
    if found is not None:
        client.demand_all(database)
    if found is None or found.group(4) not in data.accounts:
        if found is not None and not give:
            raise _no_grant(found.group(4))
        raise MysqlError(1410, "42000", "You are not allowed to create a user with GRANT")
    words, _, table, name = found.groups()
    asked = [word.strip().upper() for word in re.sub(r"\([^)]*\)", "", words).split(",")]
    rights = {*RIGHTS} if asked[0].startswith("ALL") else {*asked}
    account = data.accounts[name]
    if table == "*":
        account = _in_database(account, database, rights, name, give=give)
    else:
        if table not in tables_of(data.databases.get(database, b"")):
            raise MysqlError(1146, "42S02", f"Table '{database}.{table}' doesn't exist")
        held = {*account.tables.get(f"{database}/{table}", ())}
        if not give and not held & rights:
            raise _no_grant(name, f" on table '{table}'")
        account = _changed(account, database, table, held | rights if give else held - rights)
    client.keep(data.with_account(name, account))
    return _NOTHING


def _no_grant(name: str, where: str = "") -> MysqlError:
    number = 1147 if where else 1141
    text = f"There is no such grant defined for user '{name}' on host '%'{where}"
    return MysqlError(number, "42000", text)


def _in_database(
    account: Account, database: str, rights: set[str], name: str, *, give: bool
) -> Account:
    """An account with other rights on all tables of a database, or without some of them."""
    held = {*account.tables.get(f"{database}/*", ())}
    if database in account.databases:
        held |= {*RIGHTS}
    if database in account.reads:
        held.add("SELECT")
    whole = {*RIGHTS} <= rights
    if not give and not whole and not held & rights:
        raise _no_grant(name)
    fresh = held | rights if give else held - rights
    databases = tuple(one for one in account.databases if one != database)
    reads = tuple(one for one in account.reads if one != database)
    if {*RIGHTS} <= fresh:
        databases, fresh = (*databases, database), set()
    elif fresh == {"SELECT"}:
        reads, fresh = (*reads, database), set()
    return _changed(replace(account, databases=databases, reads=reads), database, "*", fresh)


def _changed(account: Account, database: str, table: str, rights: set[str]) -> Account:
    """An account with other rights on a table."""
    key = f"{database}/{table}"
    rest = {place: held for place, held in account.tables.items() if place != key}
    own = [right for right in RIGHTS if right in rights]
    held = (*own, *sorted(rights - {*RIGHTS}))
    return replace(account, tables={**rest, key: held} if held else rest)


def grants_of(client: MysqlConnection, statement: str) -> Result:
    """SHOW GRANTS."""
    named = re.search(r"\bfor\s+['\"`]?([\w.-]+)['\"`]?", statement, re.I)
    own = named is None or named.group(1).lower() == "current_user"
    name = client.user if own or named is None else named.group(1)
    account = client.data.accounts.get(name)
    if account is None:
        text = f"There is no such grant defined for user '{name}' on host '%'"
        raise MysqlError(1141, "42000", text)
    host = client.account_host if own else "%"
    who = f"`{name}`@`{host}`"
    if account.superuser:
        lines = [f"GRANT ALL PRIVILEGES ON *.* TO {who} WITH GRANT OPTION"]
    else:
        lines = [f"GRANT USAGE ON *.* TO {who}"]
        lines += [f"GRANT SELECT ON `{one}`.* TO {who}" for one in account.reads]
        lines += [f"GRANT ALL PRIVILEGES ON `{one}`.* TO {who}" for one in account.databases]
        for place, rights in account.tables.items():
            base, _, table = place.partition("/")
            where = f"`{base}`.*" if table == "*" else f"`{base}`.`{table}`"
            lines.append(f"GRANT {', '.join(rights)} ON {where} TO {who}")
    return Result((f"Grants for {name}@{host}",), tuple((line,) for line in lines), 0, "show")
