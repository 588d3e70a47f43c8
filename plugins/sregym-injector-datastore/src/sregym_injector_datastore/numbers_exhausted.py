"""No number is left for the keys of new rows: the integers of a column or sequence are used up."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode, TableUse
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mysql, psql
from sregym_injector_datastore.store_fault import StoreChange, StoreFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_GREATEST = 2**31 - 1
# So many numbers are room enough to call a table well.
_ROOM = 1_000_000


class NumbersExhausted(StoreFault):
    """Sets what counts out the keys of a table to the end of the type INT."""

    name: ClassVar[str] = "numbers-exhausted"
    title: ClassVar[str] = "No number is left for new rows of a table"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.POSTGRES, Family.MYSQL)
    mechanism = "key-numbers-exhausted"
    phrases = (
        "integer overflow", "integer key is exhausted", "primary key is exhausted",
        "sequence is exhausted", "sequence reached its maximum", "reached maximum value of sequence",
        "ran out of ids", "out of ids", "ran out of integers", "auto_increment reached its maximum",
        "auto increment is exhausted", "AUTO_INCREMENT at 2147483647", "ran out of primary keys",
        "integer out of range", "INT column overflow", "int4 overflow", "no number left for new rows",
    )  # fmt: skip
    symptoms = (
        "inserts fail",
        "writes fail",
        "new records cannot be saved",
        "duplicate key errors",
    )

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            table: Which; empty: the first whose keys the server is known to count out.
        """

        restart_clients: bool | None = False
        table: str = Field(default="", pattern=r"[\w.]*")

    @override
    def lacking(self, component: Component) -> str:
        if any(table.key for table in component.tables):
            return ""
        return "of none of its tables it is known that the server counts out the keys"

    @override
    def change(self, context: FaultContext) -> StoreChange:
        table = _chosen(self.name, context)
        in_mysql = family_of(context.component) is Family.MYSQL
        return _in_mysql(table) if in_mysql else _in_postgres(table)


def _chosen(fault: str, context: FaultContext) -> TableUse:
    """The table that the parameters name, else the first.

    Raises:
        UsageError: The server is not known to count out its keys.
    """
    wanted, known = context.parameters.table, [t for t in context.component.tables if t.key]
    for table in known:
        if wanted in ("", table.name):
            return table
    names = ", ".join(table.name for table in known)
    raise UsageError(
        f"parameter 'table' of fault {fault!r}: component {context.component.name!r} has no table "
        f"{wanted!r} whose keys the server is known to count out; it has {names}"
    )


def _told(what: str) -> dict[str, str]:
    after = f"at its end, {_GREATEST}, the greatest INT"
    return {"what": what, "before": "far below the greatest number of its type", "after": after}


def _in_mysql(table: TableUse) -> StoreChange:
    name, key = table.name, table.key
    # What programs have got the last number for goes, or nothing could be counted on from elsewhere.
    undo = (
        f"DELETE FROM {name} WHERE {key} >= {_GREATEST - 1}; "  # noqa: S608 - of the application
        f"ALTER TABLE {name} MODIFY {key} INT NOT NULL AUTO_INCREMENT; "
        f"ALTER TABLE {name} AUTO_INCREMENT = 1"
    )
    of_table = f"table_schema = database() AND table_name = '{name}'"
    kind = f"SELECT data_type FROM information_schema.columns WHERE {of_table} AND column_name = '{key}'"  # noqa: S608 - of the application
    following = f"SELECT auto_increment FROM information_schema.tables WHERE {of_table}"  # noqa: S608 - of the application
    left = f"SELECT (({kind}) = 'bigint') OR (({following}) < {_GREATEST - _ROOM})"
    return StoreChange(
        **_told(f"AUTO_INCREMENT of {name}.{key}"),
        breaks=mysql(f"ALTER TABLE {name} AUTO_INCREMENT = {_GREATEST}"),
        mends=mysql(f"ALTER TABLE {name} MODIFY {key} BIGINT NOT NULL AUTO_INCREMENT"),
        undoes=mysql(undo),
        asks=mysql(left),
        healthy="1",
    )


def _in_postgres(table: TableUse) -> StoreChange:
    name, key = table.name, table.key
    schema, _, bare = name.rpartition(".")
    sequence = f"{name}_{key}_seq"
    own = f"pg_get_serial_sequence('{name}', '{key}')"
    rows = f"(SELECT coalesce(max({key}), 1) FROM {name})"  # noqa: S608 - of the application
    of_it = f"schemaname = '{schema or 'public'}' AND sequencename = '{bare}_{key}_seq'"
    left = (
        f"SELECT coalesce(max_value - coalesce(last_value, 0), 0) > {_ROOM} "  # noqa: S608 - of the application
        f"FROM pg_sequences WHERE {of_it}"
    )
    narrow = (
        f"ALTER SEQUENCE {sequence} AS integer",
        f"ALTER TABLE {name} ALTER COLUMN {key} TYPE integer",
    )
    return StoreChange(
        **_told(f"sequence {sequence}"),
        breaks=psql(f"SELECT setval({own}, {_GREATEST})"),
        mends=psql(
            f"ALTER TABLE {name} ALTER COLUMN {key} TYPE bigint",
            f"ALTER SEQUENCE {sequence} AS bigint",
        ),
        undoes=psql(f"SELECT setval({own}, {rows})", *narrow),
        asks=psql(left),
        healthy="t|1",
    )
