"""Functions that PostgreSQL has and SQLite has not."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_cluster_embedded.sdk.servers import perl

from sregym_server_sql.engine import SqlError, first_of, last_of, outside
from sregym_server_sql.postgres_sequences import sequence_functions
from sregym_server_sql.postgres_times import time_functions
from sregym_server_sql.replication_views import replication_functions
from sregym_server_sql.sessions import blockers, ended

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_server_sql.postgres_server import PostgresConnection

# What an empty database takes on the disk, and an empty table with its key.
_DATABASE_BYTES, _PAGE = 7_517_231, 8192
# Arguments of a function about rights when it is told whose.
_WITH_ROLE = 3
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_FORM = "%Y-%m-%d %H:%M:%S"


def pretty(size: int) -> str:
    """A size as people read it (pg_size_pretty)."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if abs(amount) < 10_240 or unit == "TB":
            return f"{int(amount + 0.5)} {unit}"
        amount /= 1024
    return ""


def duration(seconds: float) -> str:
    """A length of time as it is shown and compared."""
    whole = int(seconds)
    days, rest = divmod(whole, 86_400)
    clock = f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    micro = round((seconds - whole) * 1e6)
    shown = clock + (f".{micro:06}".rstrip("0") if micro else "")
    return f"{days} day{'' if days == 1 else 's'} {shown}" if days else shown


def _seconds(text: str) -> float:
    """Seconds of an interval: `5 minutes`, `1 hour`, `00:05:00`."""
    clock = re.fullmatch(r"(?:(\d+) days? )?(\d+):(\d+):([\d.]+)", text.strip())
    if clock is not None:
        days, hours, minutes, rest = clock.groups()
        return int(days or 0) * 86_400 + int(hours) * 3600 + int(minutes) * 60 + float(rest)
    found = re.findall(r"([\d.]+)\s*([a-z])", text.lower())
    return sum(float(count) * _UNITS.get(unit, 1) for count, unit in found)


def _instant(text: str) -> datetime:
    bare = re.sub(r"(\+00(:00)?|Z)$", "", text).replace("T", " ")
    form = _FORM if " " in bare else "%Y-%m-%d"
    return datetime.strptime(bare.partition(".")[0], form) + timedelta(  # noqa: DTZ007 - all in UTC
        seconds=float(f"0.{bare.partition('.')[2] or 0}")
    )


@lru_cache(maxsize=128)
def rewritten(statement: str) -> str:
    """A statement with PostgreSQL's notations for times and sets as calls of functions."""

    def intervals(text: str) -> str:
        return re.sub(r"(?<!')\binterval\s*'([^']*)'", lambda m: f"'{duration(_seconds(m.group(1)))}'", text, flags=re.I)  # fmt: skip

    now = r"(?:now\(\)|current_timestamp|clock_timestamp\(\))"
    text = intervals(statement)
    text = re.sub(rf"{now}\s*-\s*('(?:\d+ days? )?[\d:.]+')", r"pg_ago(\1)", text, flags=re.I)
    text = re.sub(rf"{now}\s*-\s*((?:\w+\.)?[a-z_]\w*)(?![\w(])", r"pg_since(\1)", text, flags=re.I)
    text = re.sub(rf"\bage\(\s*{now}\s*,\s*([\w.]+)\s*\)", r"pg_since(\1)", text, flags=re.I)
    text = re.sub(r"\bage\(\s*([\w.]+)\s*\)", r"pg_since(\1)", text, flags=re.I)
    text = re.sub(r"\bextract\s*\(\s*epoch\s+from\s+", "pg_epoch(", text, flags=re.I)
    text = re.sub(
        r"\bextract\s*\(\s*(\w+)\s+from\s+(?:timestamp\s+)?", r"pg_part('\1', ", text, flags=re.I
    )

    def plain(part: str) -> str:
        part = re.sub(r"(\w+)\s*!~\*?\s*$", r"NOT \1 REGEXP ", part)
        part = re.sub(r"~\*?\s*$", " REGEXP ", part)
        part = re.sub(r"\bpg_catalog\.", "", part, flags=re.I)
        part = re.sub(r"\b(left|right)\s*\(", r'"\1"(', part, flags=re.I)
        part = re.sub(r"\binformation_schema\.(\w+)", r"information_schema_\1", part, flags=re.I)
        return re.sub(r"\b(current_user|session_user|current_role)\b(?!\()", "pg_user_name()", part, flags=re.I)  # fmt: skip

    return _nulls_last(outside(text, plain))


def _nulls_last(statement: str) -> str:
    """An order in which what is NULL comes last, unless it goes down."""

    def ordered(found: re.Match[str]) -> str:
        parts = re.findall(r"(?:\([^()]*\)|[^,()])+", found.group(2))
        shown = []
        for part in parts:
            bare = part.strip()
            if " nulls " not in f" {bare.lower()} ":
                bare += " NULLS FIRST" if bare.lower().endswith(" desc") else " NULLS LAST"
            shown.append(bare)
        return f"{found.group(1)} {', '.join(shown)} {found.group(3)}"

    form = r"(\border\s+by)\s+((?:\([^()]*\)|[^()])+?)\s*(\blimit\b|\boffset\b|\bfor\s+update\b|\)|;|$)"
    found = re.sub(form, ordered, statement, flags=re.I | re.S)
    return re.sub(r"\bfor\s+(update|share)\b.*$", "", found, flags=re.I)


class _Joined:
    """string_agg and array_agg."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.between = ","

    def step(self, value: object, between: object = ",") -> None:
        if value is not None:
            self.parts.append(str(value))
        self.between = str(between)

    def finalize(self) -> str | None:
        return self.between.join(self.parts) if self.parts else None


class _AsJson(_Joined):
    """json_agg."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[object] = []

    def step(self, value: object, between: object = ",") -> None:
        del between
        self.values.append(value)

    def finalize(self) -> str | None:
        return json.dumps(self.values) if self.values else None


class _AsArray(_Joined):
    """array_agg."""

    def finalize(self) -> str | None:
        return "{" + ",".join(self.parts) + "}" if self.parts else None


# By name: how many arguments, and what works them out.
_Functions: TypeAlias = "Mapping[str, tuple[int, Callable[..., Any]]]"
AGGREGATES: Mapping[str, type] = {
    "string_agg": _Joined, "json_agg": _AsJson, "array_agg": _AsArray,
}  # fmt: skip


def functions(client: PostgresConnection) -> _Functions:
    """Functions that a statement of a client may call."""
    world, server = client.world, client.server

    def end(session: object) -> str:
        known = str(session).isdecimal() and ended(world, server, int(str(session)))
        if not known:
            client.notices.append(f"WARNING:  PID {session} is not a PostgreSQL backend process")
        return "t" if known else "f"

    def size_of(name: object) -> int:
        data = client.data.databases.get(str(name))
        if data is None:
            client.failure = SqlError("own", "", f'database "{name}" does not exist')
            raise client.failure
        return _DATABASE_BYTES + (len(data) // 4096) * _PAGE

    def relation(name: object) -> int:
        return client.size_of(str(name).removeprefix("public."))

    def setting(name: object, missing: object = None) -> str | None:
        found = client.shown(str(name).lower())
        if found is None and not missing:
            text = f'unrecognized configuration parameter "{name}"'
            client.failure = SqlError("own", "", text)
            raise client.failure
        return found

    def sleep(seconds: float) -> str:
        client.sleep(float(seconds))
        return ""

    def failed(error: SqlError) -> None:
        client.failure = error

    def blocked_by(session: object) -> str:
        return "{" + ",".join(map(str, blockers(world, server, int(str(session))))) + "}"

    def privileged(*asked: object) -> str:
        """Whether a role, or the present one, has one of some rights on a table."""
        user, table, rights = asked if len(asked) == _WITH_ROLE else (client.user, *asked)
        account = client.data.acting(str(user))
        wrong = f'role "{user}" does not exist' if account is None else ""
        name = str(table).removeprefix("public.")
        if account is not None and name not in client.tables():
            wrong = f'relation "{table}" does not exist'
        if account is None or wrong:
            client.failure = SqlError("own", "", wrong)
            raise client.failure
        held = account.rights(client.database, name)
        return "t" if any(r.strip().upper() in held for r in str(rights).split(",")) else "f"

    return {
        **replication_functions(client), **sequence_functions(client), **_PLAIN, **_of_time(client.now()), **time_functions(client.now(), failed),
        "version": (0, client.build), "current_database": (0, lambda: client.database),
        "current_schema": (0, lambda: "public"), "pg_user_name": (0, lambda: client.user),
        "pg_backend_pid": (0, lambda: client.pid),
        "inet_server_addr": (0, lambda: client.address), "pg_sleep": (1, sleep),
        "inet_server_port": (0, lambda: 5432 if client.address else None),
        "inet_client_addr": (0, lambda: client.address), "pg_reload_conf": (0, lambda: "t"),
        "pg_postmaster_start_time": (0, lambda: client.instant(server.started_at)),
        "pg_terminate_backend": (1, end), "pg_cancel_backend": (1, end),
        "pg_blocking_pids": (1, blocked_by),
        "pg_size_pretty": (1, pretty), "pg_database_size": (1, size_of),
        "pg_relation_size": (1, relation), "pg_total_relation_size": (1, lambda n: relation(n) * 2 + _PAGE * 6),
        "pg_table_size": (1, relation), "pg_indexes_size": (1, lambda _n: 2 * _PAGE),
        "current_setting": (-1, setting), "has_table_privilege": (-1, privileged),
    }  # fmt: skip


def _truncated(unit: str, at: str) -> str:
    kept = {"second": 19, "minute": 16, "hour": 13, "day": 10, "month": 7, "year": 4}.get(unit, 19)
    whole = "0000-01-01 00:00:00"
    return f"{at[:kept]}{whole[kept:]}+00"


def _of_time(now: str) -> _Functions:
    def since(at: object) -> str | None:
        if at is None:
            return None
        return duration(max(0.0, (_instant(now) - _instant(str(at))).total_seconds()))

    def ago(span: object) -> str:
        return f"{_instant(now) - timedelta(seconds=_seconds(str(span))):{_FORM}}+00"

    def part(name: object, at: object) -> int | None:
        return None if at is None else int(getattr(_instant(str(at)), str(name).lower()))

    def epoch(text: object) -> str | None:
        return None if text is None else f"{_seconds(str(text)):.6f}"

    return {
        "pg_since": (1, since), "pg_ago": (1, ago), "pg_epoch": (1, epoch), "pg_part": (2, part),
        "date_trunc": (2, lambda unit, at: _truncated(str(unit), str(at))),
    }  # fmt: skip


def _many(items: object) -> int:
    return len([one for one in str(items).strip("{}").split(",") if one])


# Functions that know nothing but what they are given.
_PLAIN: _Functions = {
    "cardinality": (1, _many), "array_length": (2, lambda items, _dimension: _many(items)),
    "set_config": (3, lambda _name, value, _local: value), "to_regclass": (1, lambda name: name),
    "regexp": (2, lambda form, text: perl.found(str(form), str(text or "")) is not None),
    "md5": (1, lambda text: hashlib.md5(str(text).encode(), usedforsecurity=False).hexdigest()),
    "left": (2, first_of), "right": (2, last_of),
    "concat": (-1, lambda *parts: "".join(str(p) for p in parts if p is not None)),
    "obj_description": (-1, lambda *_: None), "quote_ident": (1, str),
}  # fmt: skip
