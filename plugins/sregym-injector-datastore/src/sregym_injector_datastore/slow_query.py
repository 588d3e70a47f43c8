"""An index is gone: what was looked up by it reads all that a store has, each time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode, TableUse
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mongo, mysql, psql, unless
from sregym_injector_datastore.store_fault import StoreChange, StoreFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_MYSQL = 'mysql -uroot -p"$MYSQL_ROOT_PASSWORD" -N "$MYSQL_DATABASE"'
_PSQL = 'psql -U "${POSTGRES_USER:-postgres}" -d "${POSTGRES_DB:-postgres}" -tA'


class SlowQuery(StoreFault):
    """Drops an index by which programs look things up in a table that is large."""

    name: ClassVar[str] = "slow-query"
    title: ClassVar[str] = "An index is gone, and look-ups read the whole table"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.SLOW, FailureMode.GRAY)
    families = (Family.MONGODB, Family.POSTGRES, Family.MYSQL)
    mechanism = "index-missing"
    phrases = (
        "missing index", "index is missing", "index was dropped", "dropped index", "index is gone",
        "index was deleted", "no index on", "lacks an index", "full table scan", "full collection scan",
        "sequential scan", "COLLSCAN", "Seq Scan", "query without an index", "unindexed query",
        "query reads all rows", "query plan changed to a full scan",
    )  # fmt: skip
    symptoms = (
        "latency rises",
        "slow queries",
        "requests time out",
        "processor of the store is busy",
    )

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            table: Table or collection; empty: the first that is known to have an index.
            field: Which of its indexes, by the field; empty: the first.
        """

        restart_clients: bool | None = False
        table: str = Field(default="", pattern=r"[\w.]*")
        field: str = Field(default="", pattern=r"\w*")

    @override
    def lacking(self, component: Component) -> str:
        if any(table.indexes for table in component.tables):
            return ""
        return "nothing is known of indexes of its tables"

    @override
    def change(self, context: FaultContext) -> StoreChange:
        component = context.component
        table, field = _chosen(self.name, context)
        family = family_of(component)
        if family is Family.MONGODB:
            return _in_mongodb(component, table, field)
        return (_in_mysql if family is Family.MYSQL else _in_postgres)(table, field)


def _chosen(fault: str, context: FaultContext) -> tuple[TableUse, str]:
    """The table and the field that the parameters name, else the first.

    Raises:
        UsageError: There is no such index.
    """
    given, known = context.parameters, [t for t in context.component.tables if t.indexes]
    for table in known:
        if given.table in ("", table.name) and given.field in ("", *table.indexes):
            return table, given.field or table.indexes[0]
    names = ", ".join(f"{table.name} by {field}" for table in known for field in table.indexes)
    raise UsageError(
        f"fault {fault!r} on component {context.component.name!r}: no index of table "
        f"{given.table or 'any'!r} by field {given.field or 'any'!r} is known; it has {names}"
    )


def _told(table: TableUse, field: str) -> tuple[str, str, str]:
    return f"index of {table.name} on {field}", "there", "dropped"


def _in_mongodb(component: Component, table: TableUse, field: str) -> StoreChange:
    database = json.dumps(table.database)
    place = f"db.getSiblingDB({database}).getCollection({json.dumps(table.name)})"
    keys = json.dumps({field: 1})
    what, before, after = _told(table, field)
    return StoreChange(
        what=what,
        before=before,
        after=after,
        breaks=mongo(component, f"{place}.dropIndex({keys})"),
        mends=mongo(component, f"{place}.createIndex({keys})"),
        asks=mongo(component, f"{place}.getIndexes().forEach(i => printjson(i.key))"),
        healthy=rf'.*\{{\s*"?{field}"?\s*:\s*-?1\b.*',
    )


def _in_mysql(table: TableUse, field: str) -> StoreChange:
    name = f"idx_{table.name}_{field}"
    where = (
        f"table_schema = database() AND table_name = '{table.name}' "
        f"AND column_name = '{field}' AND seq_in_index = 1"
    )
    statements = f"SELECT CONCAT('DROP INDEX ', index_name, ' ON {table.name};') FROM information_schema.statistics WHERE {where}"  # noqa: S608 - of the application
    asks = mysql(f"SELECT count(*) FROM information_schema.statistics WHERE {where}")  # noqa: S608 - of the application
    mends = mysql(f"CREATE INDEX {name} ON {table.name} ({field})")
    what, before, after = _told(table, field)
    return StoreChange(
        what=what,
        before=before,
        after=after,
        breaks=("sh", "-c", f'{_MYSQL} -e "$0" | {_MYSQL}', statements),
        mends=mends,
        undoes=unless("1", asks, mends),
        asks=asks,
        healthy="[1-9][0-9]*",
    )


def _in_postgres(table: TableUse, field: str) -> StoreChange:
    schema, _, bare = table.name.rpartition(".")
    schema = schema or "public"
    name = f"idx_{bare}_{field}"
    where = f"schemaname = '{schema}' AND tablename = '{bare}' AND indexdef LIKE '%({field}%'"
    listed = f"SELECT indexname FROM pg_indexes WHERE {where}"  # noqa: S608 - of the application
    drop = f'for name in $({_PSQL} -c "$0"); do {_PSQL} -c "DROP INDEX {schema}.$name"; done'
    asks = psql(f"SELECT count(*) FROM pg_indexes WHERE {where}")  # noqa: S608 - of the application
    mends = psql(f"CREATE INDEX {name} ON {table.name} ({field})")
    what, before, after = _told(table, field)
    return StoreChange(
        what=what,
        before=before,
        after=after,
        breaks=("sh", "-c", drop, listed),
        mends=mends,
        undoes=unless("1", asks, mends),
        asks=asks,
        healthy="[1-9][0-9]*",
    )
