"""Members of roles in PostgreSQL: GRANT role TO role, REVOKE role FROM role, and roles that go."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.data import PREDEFINED_ROLES
from sregym_server_sql.engine import Result
from sregym_server_sql.postgres_errors import PostgresError

if TYPE_CHECKING:
    from sregym_server_sql.data import SqlData
    from sregym_server_sql.postgres_server import PostgresConnection

_MEMBERS = re.compile(
    r"^\w+\s+(?:admin\s+option\s+for\s+)?(.*?)\s+(?:to|from)\s+(.*?)(?:\s+(?:with|granted|cascade|restrict)\b.*)?;?\s*$",
    re.I | re.S,
)


def done(tag: str) -> Result:
    """The result of a statement that only says that it is done."""
    return Result((), (), 0, tag)


def made_members(client: PostgresConnection, statement: str, *, give: bool) -> Result:
    """GRANT and REVOKE of roles: what a role may do its members may do, too.

    Raises:
        PostgresError: There is no such role, it may not be given away, or members would go in a circle.
    """
    tag = "GRANT ROLE" if give else "REVOKE ROLE"
    found = _MEMBERS.match(statement.strip())
    if found is None:
        return done(tag)
    roles, members = (
        [word.strip().strip('"') for word in part.split(",")] for part in found.groups()
    )
    data = client.data
    for name in (*roles, *members):
        if name not in data.accounts and not (name in roles and name in PREDEFINED_ROLES):
            raise PostgresError(f'ERROR:  role "{name}" does not exist')
    for role in roles:
        _demand_grantor(client, role)
        for member in members:
            data = _changed(client, data, role, member, give=give)
    client.keep(data)
    return done(tag)


def _demand_grantor(client: PostgresConnection, role: str) -> None:
    held = client.data.accounts.get(role)
    if "createrole" in client.account.attributes and not (held is not None and held.superuser):
        return
    client.demand_super(f'must have admin option on role "{role}"')


def _changed(
    client: PostgresConnection, data: SqlData, role: str, member: str, *, give: bool
) -> SqlData:
    account = data.accounts[member]
    if give and (role == member or member in data.roles_of(role)):
        raise PostgresError(f'ERROR:  role "{role}" is a member of role "{member}"')
    if give and role in account.roles:
        client.notices.append(f'NOTICE:  role "{member}" is already a member of role "{role}"')
    if not give and role not in account.roles:
        client.notices.append(f'WARNING:  role "{member}" is not a member of role "{role}"')
    kept = {*account.roles} - {role} | ({role} if give else set())
    return data.with_account(member, replace(account, roles=tuple(sorted(kept))))


def renamed(data: SqlData, name: str, fresh: str) -> SqlData:
    """The data after a role has got another name, or is gone: members of it follow."""
    account = data.accounts[name]
    data = data.with_account(name, None)
    data = data.with_account(fresh, account) if fresh else data
    for member, held in list(data.accounts.items()):
        if name in held.roles:
            kept = {*held.roles} - {name} | ({fresh} if fresh else set())
            data = data.with_account(member, replace(held, roles=tuple(sorted(kept))))
    return data
