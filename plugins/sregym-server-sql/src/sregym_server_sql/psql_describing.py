"""Commands of psql that describe what is there: databases, tables, roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.commands import globs

from sregym_server_sql.engine import Result, columns_of, indexes_of
from sregym_server_sql.postgres_errors import PostgresError
from sregym_server_sql.postgres_views import split, type_name
from sregym_server_sql.psql_tables import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_sql.postgres_server import PostgresConnection
    from sregym_server_sql.psql_tables import TableStyle

_LOCALE = "en_US.utf8"


def _shown(columns: tuple[str, ...], rows: list[tuple[Any, ...]], look: TableStyle) -> str:
    return table(Result(columns, tuple(rows), 0, "show", tuple("text" for _ in columns)), look)


def _release(client: PostgresConnection) -> int:
    major = client.server.settings.get("sql.version", "16").partition(".")[0]
    return int(major) if major.isdecimal() else 16


def databases(client: PostgresConnection, _pattern: str, look: TableStyle) -> str:
    """The databases."""
    owner, release = client.owner, _release(client)
    rows: list[tuple[Any, ...]] = []
    for name in sorted(client.data.databases):
        fixed = f"=c/{owner}\n{owner}=CTc/{owner}" if name.startswith("template") else ""
        if release >= 16:
            rows.append((name, owner, "UTF8", "libc", _LOCALE, _LOCALE, "", "", fixed))
        elif release == 15:
            rows.append((name, owner, "UTF8", _LOCALE, _LOCALE, "", "libc", fixed))
        else:
            rows.append((name, owner, "UTF8", _LOCALE, _LOCALE, fixed))
    last = "Access privileges"
    columns: tuple[str, ...] = ("Name", "Owner", "Encoding", "Collate", "Ctype", last)
    if release >= 16:
        locale = "Locale" if release >= 17 else "ICU Locale"
        columns = (*columns[:3], "Locale Provider", "Collate", "Ctype", locale, "ICU Rules", last)
    elif release == 15:
        columns = (*columns[:5], "ICU Locale", "Locale Provider", last)
    return _shown(columns, rows, look.named("List of databases"))


def _chosen(client: PostgresConnection, pattern: str) -> list[str]:
    """Tables that a pattern names; those of `public` without one."""
    found = []
    form_schema, dot, form = pattern.lower().rpartition(".")
    for name in client.tables():
        schema, bare = split(name)
        fits = schema == "public" if not dot else globs.matches(schema, form_schema)
        if fits and globs.matches(bare, form or "*"):
            found.append(name)
    return found


def relations(client: PostgresConnection, pattern: str, look: TableStyle) -> str:
    """Tables that a pattern names."""
    rows = [(*split(name), "table", client.owner) for name in _chosen(client, pattern)]
    if not rows:
        what = f'any relation named "{pattern}".' if pattern else "any relations."
        client.notices.append(f"Did not find {what}")
        return ""
    return _shown(("Schema", "Name", "Type", "Owner"), rows, look.named("List of relations"))


def _indexes(client: PostgresConnection, pattern: str, look: TableStyle) -> str:
    rows = []
    for name in _chosen(client, pattern.rpartition(".")[0] + ".*" if "." in pattern else ""):
        schema, bare = split(name)
        for index, _, _ in indexes_of(client.image(), name):
            rows.append((schema, index, "index", client.owner, bare))
    if not rows:
        client.notices.append("Did not find any relations.")
        return ""
    columns = ("Schema", "Name", "Type", "Owner", "Table")
    return _shown(columns, sorted(rows), look.named("List of relations"))


def _default(value: Any) -> str:
    text = "" if value is None else str(value)
    return "now()" if "virtual_now" in text else text


def _described(client: PostgresConnection, pattern: str, look: TableStyle, *, more: bool) -> str:
    if not pattern:
        return relations(client, "", look)
    names = _chosen(client, pattern)
    if not names:
        raise PostgresError(f'Did not find any relation named "{pattern}".')
    return "".join(_one(client, name, look, more=more) for name in names)


def _one(client: PostgresConnection, name: str, look: TableStyle, *, more: bool) -> str:
    rows = []
    for column, kind, needed, default, key in columns_of(client.image(), name):
        shown = type_name(kind)
        row = (column, shown, "", "not null" if needed or key else "", _default(default))
        wide = shown.startswith(("text", "character", "json", "bytea"))
        storage = "extended" if wide else "main" if shown.startswith("numeric") else "plain"
        rows.append((*row, storage, "", "", "") if more else row)
    columns: tuple[str, ...] = ("Column", "Type", "Collation", "Nullable", "Default")
    if more:
        columns = (*columns, "Storage", "Compression", "Stats target", "Description")
    listed = ""
    for index, parts, unique in indexes_of(client.image(), name):
        word = (
            "PRIMARY KEY, " if index.endswith("_pkey") else "UNIQUE CONSTRAINT, " if unique else ""
        )
        listed += f'    "{index}" {word}btree ({", ".join(parts)})\n'
    footer = f"Indexes:\n{listed}" if listed else ""
    footer += "Access method: heap\n" if more else ""
    schema, bare = split(name)
    return _shown(columns, rows, look.named(f'Table "{schema}.{bare}"', footer))


def _schemas(client: PostgresConnection, _pattern: str, look: TableStyle) -> str:
    rows = [(name, client.owner) for name in client.schemas()] + [("public", "pg_database_owner")]
    return _shown(("Name", "Owner"), sorted(rows), look.named("List of schemas"))


_ATTRIBUTES = {
    "createrole": "Create role", "createdb": "Create DB", "replication": "Replication",
    "bypassrls": "Bypass RLS",
}  # fmt: skip


def _attributes(client: PostgresConnection, name: str) -> str:
    account = client.data.accounts[name]
    has = tuple(_ATTRIBUTES) if account.superuser else account.attributes
    said = [title for name, title in _ATTRIBUTES.items() if name in has]
    words = ", ".join([*(["Superuser"] if account.superuser else []), *said])
    words = words if account.login else ", ".join([*([words] if words else []), "Cannot login"])
    if account.limit >= 0:
        number = f"{account.limit} connection{'' if account.limit == 1 else 's'}"
        words += ("\n" if words else "") + (number if account.limit else "No connections")
    if account.until:
        words += ("\n" if words else "") + f"Password valid until {account.until}"
    return words


def _roles(client: PostgresConnection, _pattern: str, look: TableStyle) -> str:
    names = sorted(client.data.accounts)
    if _release(client) >= 16:
        plain: list[tuple[Any, ...]] = [(name, _attributes(client, name)) for name in names]
        return _shown(("Role name", "Attributes"), plain, look.named("List of roles"))
    rows: list[tuple[Any, ...]] = [
        (name, _attributes(client, name), f"{{{','.join(client.data.accounts[name].roles)}}}")
        for name in names
    ]
    return _shown(("Role name", "Attributes", "Member of"), rows, look.named("List of roles"))


_LETTERS = {"SELECT": "r", "INSERT": "a", "UPDATE": "w", "DELETE": "d", "TRUNCATE": "D",
            "REFERENCES": "x", "TRIGGER": "t"}  # fmt: skip


def _rights(client: PostgresConnection, pattern: str, look: TableStyle) -> str:
    rows = []
    for name in _chosen(client, pattern):
        key = f"{client.database}/{name}"
        holders = {
            role: held.tables[key]
            for role, held in client.data.accounts.items()
            if held.tables.get(key)
        }
        lines = [
            f"{role}={''.join(_LETTERS[right] for right in ('INSERT', 'SELECT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER') if right in rights)}/{client.owner}"
            for role, rights in holders.items()
        ]
        own = [f"{client.owner}=arwdDxt/{client.owner}"] if lines else []
        rows.append((*split(name), "table", "\n".join([*own, *lines]), "", ""))
    columns = ("Schema", "Name", "Type", "Access privileges", "Column privileges", "Policies")
    return _shown(columns, rows, look.named("Access privileges"))


def _functions(_client: PostgresConnection, _pattern: str, look: TableStyle) -> str:
    columns = ("Schema", "Name", "Result data type", "Argument data types", "Type")
    return _shown(columns, [], look.named("List of functions"))


def _extensions(_client: PostgresConnection, _pattern: str, look: TableStyle) -> str:
    rows = [("plpgsql", "1.0", "pg_catalog", "PL/pgSQL procedural language")]
    columns = ("Name", "Version", "Schema", "Description")
    return _shown(columns, rows, look.named("List of installed extensions"))


def _nothing(client: PostgresConnection, _pattern: str, _look: TableStyle) -> str:
    client.notices.append("Did not find any relations.")
    return ""


DESCRIBING: dict[str, Callable[[PostgresConnection, str, TableStyle], str]] = {
    "\\l": databases, "\\list": databases, "\\dt": relations, "\\di": _indexes, "\\dn": _schemas,
    "\\du": _roles, "\\dg": _roles, "\\dp": _rights, "\\z": _rights, "\\df": _functions,
    "\\dx": _extensions, "\\dv": _nothing, "\\ds": _nothing, "\\dm": _nothing,
    "\\d": lambda client, pattern, look: _described(client, pattern, look, more=False),
    "\\d+": lambda client, pattern, look: _described(client, pattern, look, more=True),
}  # fmt: skip
