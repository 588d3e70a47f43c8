"""Statements of PostgreSQL that are about more than rows: databases, settings, transactions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_server_sql.engine import Result
from sregym_server_sql.postgres_errors import PostgresError, place_of, pointed
from sregym_server_sql.postgres_members import done
from sregym_server_sql.postgres_roles import alter_role, create_role, drop_role, granted
from sregym_server_sql.postgres_sequences import (
    alter_sequence,
    alter_type,
    drop_index,
    index_plan,
)
from sregym_server_sql.postgres_settings import SETTINGS, canonical
from sregym_server_sql.sleeping import keeps_from_reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_server_sql.postgres_server import PostgresConnection

_DESCRIBED = {
    "max_connections": "Sets the maximum number of concurrent connections.",
    "work_mem": "Sets the maximum memory to be used for query workspaces.",
    "shared_buffers": "Sets the number of shared memory buffers used by the server.",
}


def _show(client: PostgresConnection, _statement: str, words: list[str]) -> Result:
    name = words[1].strip(";").lower()
    if name == "all":
        rows = tuple((n, client.shown(n), _DESCRIBED.get(n, "")) for n in SETTINGS)
        return Result(("name", "setting", "description"), rows, 0, "show")
    value = client.shown(name)
    if value is None:
        raise PostgresError(f'ERROR:  unrecognized configuration parameter "{name}"')
    known = canonical(name) or name
    return Result((known,), ((value,),), 0, "show")


def _create(client: PostgresConnection, statement: str, words: list[str]) -> Result | None:
    what, data = words[1].lower(), client.data
    name = words[2].strip('";') if len(words) > 2 else ""
    if what == "database":
        client.demand_super("permission denied to create database")
        if name in data.databases:
            raise PostgresError(f'ERROR:  database "{name}" already exists')
        client.keep(data.with_database(name, b""))
        return done("CREATE DATABASE")
    if what in ("user", "role"):
        return create_role(client, statement, words)
    if what == "schema":
        name = words[-1].strip('";')
        client.demand_super(f"permission denied for database {client.database}")
        if name in (*client.schemas(), "public"):
            if "exists" not in statement.lower():
                raise PostgresError(f'ERROR:  schema "{name}" already exists')
            client.notices.append(f'NOTICE:  schema "{name}" already exists, skipping')
        else:
            client.keep(replace(data, schemas=(*data.schemas, f"{client.database}/{name}")))
        return done("CREATE SCHEMA")
    if what == "extension":
        raise PostgresError(_no_extension(name, words))
    table = re.match(r"create\s+table\s+if\s+not\s+exists\s+(?:public\.)?([\w.]+)", statement, re.I)
    if table is not None and table.group(1) in client.tables():
        text = f'relation "{table.group(1).rpartition(".")[2]}" already exists, skipping'
        client.notices.append(f"NOTICE:  {text}")
        return done("CREATE TABLE")
    schema = re.match(r"create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)\.", statement, re.I)
    if schema is not None and schema.group(1) not in (*client.schemas(), "public"):
        at = place_of(schema.group(1), client.said)
        text = f'ERROR:  schema "{schema.group(1)}" does not exist'
        raise PostgresError(text + pointed(client.said, at))
    return None


def _no_extension(name: str, words: list[str]) -> str:
    name = words[-1].strip('";') if "exists" in [word.lower() for word in words] else name
    return (
        f'ERROR:  extension "{name}" is not available\n'
        f'DETAIL:  Could not open extension control file "/usr/share/postgresql/extension/{name}.control": No such file or directory.\n'
        "HINT:  The extension must first be installed on the system where PostgreSQL is running."
    )


def _drop(client: PostgresConnection, statement: str, words: list[str]) -> Result | None:
    what, data = words[1].lower(), client.data
    name = words[-1].strip('";')
    if what == "index":
        return drop_index(client, statement)
    lenient = "if exists" in " ".join(words).lower()
    if what == "database":
        client.demand_super(f"must be owner of database {name}")
        if name not in data.databases:
            if not lenient:
                raise PostgresError(f'ERROR:  database "{name}" does not exist')
            client.notices.append(f'NOTICE:  database "{name}" does not exist, skipping')
            return done("DROP DATABASE")
        if name == client.database:
            raise PostgresError("ERROR:  cannot drop the currently open database")
        client.keep(data.with_database(name, None))
        return done("DROP DATABASE")
    if what in ("user", "role"):
        return drop_role(client, statement, words)
    if what == "schema":
        name = name if name.lower() not in ("cascade", "restrict") else words[-2].strip('"')
        if name not in client.schemas():
            raise PostgresError(f'ERROR:  schema "{name}" does not exist')
        kept = tuple(one for one in data.schemas if one != f"{client.database}/{name}")
        client.keep(replace(data, schemas=kept))
        return done("DROP SCHEMA")
    if what == "table" and lenient and name.removeprefix("public.") not in client.tables():
        client.notices.append(f'NOTICE:  table "{name}" does not exist, skipping')
        return done("DROP TABLE")
    return None


def _alter(client: PostgresConnection, statement: str, words: list[str]) -> Result | None:
    what = words[1].lower()
    if what in ("user", "role"):
        return alter_role(client, statement, words)
    if what in ("table", "schema", "sequence", "index") and re.search(
        r"\bowner\s+to\b", statement, re.I
    ):
        return done(f"ALTER {what.upper()}")
    changed = alter_sequence(client, statement) or alter_type(client, statement)
    if changed is not None:
        return changed
    added = re.match(
        r"alter\s+table\s+(?:only\s+)?([\w.]+)\s+add\s+constraint\s+(\w+)\s+(?:primary\s+key|unique)\s*\(([^)]*)\)",
        statement, re.I,
    )  # fmt: skip
    if added is not None:
        table, name, columns = added.groups()
        client.execute(f"CREATE UNIQUE INDEX {name} ON {table} ({columns})")
        return done("ALTER TABLE")
    if what not in ("system", "database"):
        return None
    found = re.search(r"\b(re)?set\s+(\w+)(?:\s*(?:=|\bto\b)\s*'?([^';]+)'?)?", statement, re.I)
    if found is None:
        return None
    name, data = found.group(2).lower(), client.data
    known = canonical(name)
    if not client.account.superuser:
        raise PostgresError(f'ERROR:  permission denied to set parameter "{name}"')
    tag = done(f"ALTER {what.upper()}")
    if name == "all" and found.group(1):
        client.keep(replace(data, settings={}))
        return tag
    if known is None:
        raise PostgresError(f'ERROR:  unrecognized configuration parameter "{name}"')
    rest = {key: value for key, value in data.settings.items() if key != known}
    if not found.group(1):
        rest[known] = (found.group(3) or "").strip()
    client.keep(replace(data, settings=rest))
    return tag


def _set(client: PostgresConnection, statement: str, words: list[str]) -> Result:
    found = re.search(
        r"^set\s+(?:session\s+|local\s+)?(\w+)\s*(?:=|\bto\b)\s*'?([^';]*)'?", statement, re.I
    )
    if found is None or words[1].lower() in ("time", "names", "role", "transaction"):
        return done("SET")
    name = canonical(found.group(1))
    if name is None and "." not in statement.partition("=")[0]:
        raise PostgresError(f'ERROR:  unrecognized configuration parameter "{found.group(1)}"')
    if name is not None:
        context = SETTINGS[name].context
        if context == "postmaster":
            text = f'parameter "{name}" cannot be changed without restarting the server'
            raise PostgresError(f"ERROR:  {text}")
        if context == "sighup":
            raise PostgresError(f'ERROR:  parameter "{name}" cannot be changed now')
        if context == "internal":
            raise PostgresError(f'ERROR:  parameter "{name}" cannot be changed')
        client.own_settings[name] = found.group(2).strip()
    return done("SET")


def _begin(client: PostgresConnection, _statement: str, words: list[str]) -> Result:
    if client.before is not None:
        client.notices.append("WARNING:  there is already a transaction in progress")
    else:
        client.before = client.data
    return done("START TRANSACTION" if words[0].lower() == "start" else "BEGIN")


def _commit(client: PostgresConnection, _statement: str, _words: list[str]) -> Result:
    if client.before is None:
        client.notices.append("WARNING:  there is no transaction in progress")
        return done("COMMIT")
    if client.aborted:
        return _rollback(client, "", [])
    client.before = None
    client.locked.clear()
    return done("COMMIT")


def _rollback(client: PostgresConnection, _statement: str, _words: list[str]) -> Result:
    if client.before is None:
        client.notices.append("WARNING:  there is no transaction in progress")
    else:
        client.keep(client.before)
    client.before, client.aborted = None, False
    client.locked.clear()
    return done("ROLLBACK")


def _lock(client: PostgresConnection, statement: str, words: list[str]) -> Result:
    if client.before is None:
        raise PostgresError("ERROR:  LOCK TABLE can only be used in transaction blocks")
    place = 2 if words[1].lower() == "table" else 1
    name = words[place].strip('";').removeprefix("public.")
    if name not in client.tables():
        raise PostgresError(f'ERROR:  relation "{name}" does not exist')
    client.locked[name] = keeps_from_reading(statement)
    return done("LOCK TABLE")


def _tag(tag: str) -> Callable[[PostgresConnection, str, list[str]], Result]:
    return lambda _client, _statement, _words: done(tag)


def _upkeep(tag: str) -> Callable[[PostgresConnection, str, list[str]], Result]:
    """VACUUM, ANALYZE and REINDEX: of one table, or of all."""

    def handler(client: PostgresConnection, _statement: str, words: list[str]) -> Result:
        name = words[-1].strip('";')
        plain = re.sub(r"[(),]", "", name).lower()
        skip = ("vacuum", "analyze", "full", "verbose", "freeze", client.database, "concurrently")
        if (
            plain not in skip
            and "=" not in name
            and name.removeprefix("public.") not in client.tables()
        ):
            raise PostgresError(f'ERROR:  relation "{name}" does not exist')
        return done(tag)

    return handler


def _explain(client: PostgresConnection, statement: str, _words: list[str]) -> Result:
    asked = re.sub(
        r"^explain\s+(\([^)]*\)\s*|analyze\s+|verbose\s+|analyse\s+)*", "", statement, flags=re.I
    )
    found = client.execute(asked)
    table = re.search(r"\b(?:from|into|update)\s+(?:public\.)?([\w.]+)", asked, re.I)
    plan = ["Result  (cost=0.00..0.01 rows=1 width=4)"]
    if table is not None:
        rows = (
            client.rows_of(table.group(1)) if table.group(1) in client.tables() else len(found.rows)
        )
        condition = re.search(
            r"\bwhere\s+(.*?)(?:\s+order\b|\s+limit\b|\s+group\b|;|$)", asked, re.I | re.S
        )
        cost = 1 + rows / 100
        where = "" if condition is None else condition.group(1)
        name = table.group(1)
        indexed = name in client.tables() and index_plan(client, name, where, len(found.rows))
        bare = table.group(1).rpartition(".")[2]
        number = max(1, len(found.rows)) if condition is not None else max(1, rows)
        plan = [
            f"Seq Scan on {bare}  (cost=0.00..{cost + 0.01 * bool(condition):.2f} rows={number} width=36)"
        ]
        if indexed:
            plan = indexed
        elif condition is not None:
            plan.append(f"  Filter: ({condition.group(1).strip()})")
    if "analy" in statement[: len(statement) - len(asked)].lower():
        plan[0] += f" (actual time=0.009..0.011 rows={len(found.rows)} loops=1)"
        plan += ["Planning Time: 0.062 ms", "Execution Time: 0.021 ms"]
    return Result(("QUERY PLAN",), tuple((line,) for line in plan), 0, "explain")


def _grant(client: PostgresConnection, statement: str, _words: list[str]) -> Result:
    return granted(client, statement, give=True)


def _revoke(client: PostgresConnection, statement: str, _words: list[str]) -> Result:
    return granted(client, statement, give=False)


STATEMENTS: dict[str, Callable[[PostgresConnection, str, list[str]], Result | None]] = {
    "show": _show, "create": _create, "drop": _drop, "alter": _alter, "set": _set,
    "reset": _tag("RESET"), "begin": _begin, "start": _begin, "commit": _commit, "end": _commit,
    "rollback": _rollback, "abort": _rollback, "lock": _lock, "vacuum": _upkeep("VACUUM"),
    "analyze": _upkeep("ANALYZE"), "reindex": _upkeep("REINDEX"), "checkpoint": _tag("CHECKPOINT"),
    "explain": _explain, "grant": _grant, "revoke": _revoke, "comment": _tag("COMMENT"),
    "discard": _tag("DISCARD ALL"), "listen": _tag("LISTEN"), "notify": _tag("NOTIFY"),
}  # fmt: skip
