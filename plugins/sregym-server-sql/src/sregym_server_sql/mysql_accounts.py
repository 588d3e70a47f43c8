"""Users and rights of MySQL: CREATE, ALTER and DROP USER, GRANT and REVOKE."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.data import Account
from sregym_server_sql.engine import Result
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
    client.keep(data.with_account(name, Account(found.group(1) if found is not None else "")))
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
    client.keep(data.with_account(name, account))
    return _NOTHING


def granted(client: MysqlConnection, statement: str, *, give: bool) -> Result:
    """GRANT and REVOKE, on whole databases."""
    found = re.search(
        r"^\w+\s+(.*?)\s+on\s+`?([\w*]+)`?\.\S+\s+(?:to|from)\s+['\"`]?([\w.-]+)",
        statement,
        re.I | re.S,
    )
    data = client.data
    if found is not None:
        client.demand_all(found.group(2))
    if found is None or found.group(3) not in data.accounts:
        if found is not None and not give:
            name = found.group(3)
            text = f"There is no such grant defined for user '{name}' on host '%'"
            raise MysqlError(1141, "42000", text)
        raise MysqlError(1410, "42000", "You are not allowed to create a user with GRANT")
    rights, database, name = found.groups()
    account = data.accounts[name]
    only_reads = rights.strip().lower() == "select"
    held = account.reads if only_reads else account.databases
    if not give and only_reads and database not in held:
        text = f"There is no such grant defined for user '{name}' on host '%'"
        raise MysqlError(1141, "42000", text)
    others = tuple(one for one in held if one != database)
    changed = (*others, database) if give else others
    account = replace(account, reads=changed) if only_reads else replace(account, databases=changed)
    client.keep(data.with_account(name, account))
    return _NOTHING


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
    return Result((f"Grants for {name}@{host}",), tuple((line,) for line in lines), 0, "show")
