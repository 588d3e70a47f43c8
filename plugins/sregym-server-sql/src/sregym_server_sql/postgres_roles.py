"""Roles and rights of PostgreSQL: CREATE, ALTER and DROP ROLE, GRANT and REVOKE."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_server_sql.data import RIGHTS, Account
from sregym_server_sql.engine import tables_of
from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.postgres_members import done, made_members, renamed

if TYPE_CHECKING:
    from sregym_server_sql.engine import Result
    from sregym_server_sql.postgres_server import PostgresConnection


_ATTRIBUTES = ("bypassrls", "createdb", "createrole", "replication")
# What everybody may change of itself.
_OWN = ("password", "set", "reset", "encrypted", "with")


def _options(account: Account, statement: str) -> Account:
    """An account after the options of CREATE or ALTER ROLE."""
    changed: dict[str, Any] = {}
    password = re.search(r"password\s+(?:'([^']*)'|null)", statement, re.I)
    if password is not None:
        changed["password"] = password.group(1) or ""
    bare = re.sub(r"'[^']*'", "''", statement)
    for word, name, value in (
        (r"\bsuperuser\b", "superuser", True), (r"\bnosuperuser\b", "superuser", False),
        (r"\blogin\b", "login", True), (r"\bnologin\b", "login", False),
    ):  # fmt: skip
        if re.search(word, bare, re.I):
            changed[name] = value
    held = {
        name
        for name in _ATTRIBUTES
        if re.search(rf"\b{name}\b", bare, re.I)
        or (name in account.attributes and not re.search(rf"\bno{name}\b", bare, re.I))
    }
    changed["attributes"] = tuple(sorted(held))
    limit = re.search(r"connection\s+limit\s+(-?\d+)", bare, re.I)
    if limit is not None:
        changed["limit"] = int(limit.group(1))
    until = re.search(r"valid\s+until\s+'([^']*)'", statement, re.I)
    if until is not None:
        changed["until"] = "" if until.group(1) == "infinity" else until.group(1)
    return replace(account, **changed)


def create_role(client: PostgresConnection, statement: str, words: list[str]) -> Result:
    """CREATE ROLE and CREATE USER."""
    data, name = client.data, words[2].strip('";')
    if "createrole" not in client.account.attributes or re.search(
        r"\bsuperuser\b", statement, re.I
    ):
        client.demand_super("permission denied to create role")
    if name in data.accounts:
        raise PostgresError(f'ERROR:  role "{name}" already exists')
    account = _options(Account(login=words[1].lower() == "user"), statement)
    client.keep(data.with_account(name, account))
    return done("CREATE ROLE")


def alter_role(client: PostgresConnection, statement: str, words: list[str]) -> Result:
    """ALTER ROLE and ALTER USER."""
    data, name = client.data, words[2].strip('";')
    found = data.accounts.get(name)
    if found is None:
        raise PostgresError(f'ERROR:  role "{name}" does not exist')
    changes = found.superuser or re.search(r"\b(no)?superuser\b", statement, re.I)
    manages = "createrole" in client.account.attributes and not changes
    own = name == client.user and len(words) > 3 and words[3].lower() in _OWN
    if not (own or manages or client.account.superuser):
        text = "permission denied"
        if changes:
            text = "must be superuser to alter superuser roles or change superuser attribute"
        raise PostgresError(f"ERROR:  {text}")
    if words[3:5] and words[3].lower() == "rename":
        fresh = words[-1].strip('";')
        if fresh in data.accounts:
            raise PostgresError(f'ERROR:  role "{fresh}" already exists')
        client.keep(renamed(data, name, fresh))
    elif words[3:] and words[3].lower() in ("set", "reset"):
        client.keep(data.with_account(name, _with_setting(found, statement)))
    else:
        client.keep(data.with_account(name, _options(found, statement)))
    return done("ALTER ROLE")


def _with_setting(account: Account, statement: str) -> Account:
    """An account after ALTER ROLE SET and RESET."""
    given = re.search(r"\bset\s+([\w.]+)\s*(?:=|\bto\b)\s*'?([^';]*)", statement, re.I)
    taken = re.search(r"\breset\s+([\w.]+)", statement, re.I)
    settings = dict(account.settings)
    if given is not None and given[2].strip().lower() != "default":
        settings[given[1].lower()] = given[2].strip()
    elif (name := (given or taken)) is not None:
        settings.pop(name[1].lower(), None)
        if name[1].lower() == "all":
            settings.clear()
    return replace(account, settings=settings)


def drop_role(client: PostgresConnection, statement: str, words: list[str]) -> Result:
    """DROP ROLE and DROP USER."""
    data, name = client.data, words[-1].strip('";')
    client.demand_super("permission denied to drop role")
    if name not in data.accounts:
        if "exists" in statement.lower():
            client.notices.append(f'NOTICE:  role "{name}" does not exist, skipping')
            return done("DROP ROLE")
        raise PostgresError(f'ERROR:  role "{name}" does not exist')
    if name == client.user:
        raise PostgresError("ERROR:  current user cannot be dropped")
    held = {key: rights for key, rights in data.accounts[name].tables.items() if rights}
    for database in sorted({key.partition("/")[0] for key in held}):
        count = sum(key.startswith(f"{database}/") for key in held)
        detail = f"{count} object{'' if count == 1 else 's'} in database {database}"
        if database == client.database:
            detail = "\nDETAIL:  ".join(
                f"privileges for table {key.partition('/')[2]}" for key in sorted(held)
            )
        raise PostgresError(
            f'ERROR:  role "{name}" cannot be dropped because some objects depend on it\n'
            f"DETAIL:  {detail}"
        )
    client.keep(renamed(data, name, ""))
    return done("DROP ROLE")


def granted(client: PostgresConnection, statement: str, *, give: bool) -> Result:
    """GRANT and REVOKE, on tables, schemas and databases."""
    tag = "GRANT" if give else "REVOKE"
    found = re.search(r"^\w+\s+(.*?)\s+on\s+(.*?)\s+(?:to|from)\s+\"?(\w+)", statement, re.I | re.S)
    if found is None:
        return made_members(client, statement, give=give)
    rights, target, name = found.groups()
    data = client.data
    account = data.accounts.get(name)
    if account is None and name.lower() != "public":
        raise PostgresError(f'ERROR:  role "{name}" does not exist')
    if account is None:
        return done(tag)
    words = target.split()
    kind = words[0].lower()
    if kind in ("database", "schema", "sequence", "function") or kind == "all":
        if kind == "all" and "tables" in target.lower():
            schema = words[-1].strip('"')
            prefix = "" if schema == "public" else f"{schema}."
            names = [
                t for t in client.tables() if t.startswith(prefix) and (prefix or "." not in t)
            ]
            if not give and rights.lower().startswith("all"):
                account = _without(account, client.database)
            return _on_tables(client, name, account, rights, names, give=give, tag=tag)
        if kind not in ("database", "schema"):
            # Nothing here needs rights on sequences and functions.
            return done(tag)
        return _on_place(client, name, account, rights, words, give=give, tag=tag)
    bare = [word.strip().strip('"').removeprefix("public.") for word in re.sub(r"^table\s+", "", target, flags=re.I).split(",")]  # fmt: skip
    for one in bare:
        if one not in tables_of(data.databases.get(client.database, b"")):
            raise PostgresError(f'ERROR:  relation "{one}" does not exist')
    client.demand_super(f"permission denied for table {bare[0]}")
    return _on_tables(client, name, account, rights, bare, give=give, tag=tag)


def _on_tables(
    client: PostgresConnection, name: str, account: Account, rights: str, names: list[str],
    *, give: bool, tag: str,
) -> Result:  # fmt: skip
    client.demand_super("permission denied")
    asked = [right.strip().upper() for right in rights.split(",")]
    asked = list(RIGHTS) if asked[0].startswith("ALL") else asked
    tables = dict(account.tables)
    for table in names:
        key = f"{client.database}/{table}"
        held = account.rights(client.database, table)
        fresh = {*held, *asked} if give else {*held} - {*asked}
        tables.pop(key, None)
        if fresh or account.may(client.database, write=False):
            # Without an entry of its own the table would be open as the whole database is.
            tables[key] = tuple(right for right in RIGHTS if right in fresh)
    account = replace(account, tables=tables)
    client.keep(client.data.with_account(name, account))
    return done(tag)


def _without(account: Account, database: str) -> Account:
    """An account that has lost what it may do in a whole database."""
    others = tuple(one for one in account.databases if one != database)
    return replace(
        account, databases=others, reads=tuple(one for one in account.reads if one != database)
    )


def _on_place(
    client: PostgresConnection, name: str, account: Account, rights: str, words: list[str],
    *, give: bool, tag: str,
) -> Result:  # fmt: skip
    client.demand_super("permission denied")
    where = words[-1].strip('"') if words[0].lower() == "database" else client.database
    if words[0].lower() == "schema":
        key = f"{client.database}/{words[-1]}."
        tables = {k: held for k, held in account.tables.items() if k != key}
        account = replace(account, tables={**tables, key: ("USAGE",)} if give else tables)
    elif rights.strip().lower() not in ("connect", "temp", "temporary"):
        held = [one for one in account.databases if one != where]
        account = replace(account, databases=tuple([*held, where] if give else held))
    client.keep(client.data.with_account(name, account))
    return done(tag)
