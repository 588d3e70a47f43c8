"""A table is gone, with all that stood in it; the script that made it is the backup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field
from sregym_core.errors import UsageError
from sregym_core.model import FailureMode
from sregym_injectors.restarts import ClientParameters
from typing_extensions import override

from sregym_injector_datastore.accounts import schema_condition, scripts_of, table_of, without_table
from sregym_injector_datastore.families import Family, family_of
from sregym_injector_datastore.shells import mysql, psql, unless
from sregym_injector_datastore.store_fault import StoreChange, StoreFault

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_STATEMENT = re.compile(r";[ \t]*\n")


class DataLost(StoreFault):
    """Drops a table."""

    name: ClassVar[str] = "data-lost"
    title: ClassVar[str] = "A table was dropped, with all that stood in it"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.POSTGRES, Family.MYSQL)
    mechanism = "data-lost"
    phrases = (
        "table was dropped", "dropped table", "table is missing", "missing table", "data loss",
        "table does not exist", "relation does not exist", "DROP TABLE", "table was deleted",
        "data was deleted", "rows are gone", "lost data", "table has to be restored",
    )  # fmt: skip
    symptoms = ("queries fail", "relation does not exist", "database errors")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            table: Which; empty: the one for which an account is declared.
        """

        restart_clients: bool | None = False
        table: str = Field(default="", pattern=r"[\w.]*")

    @override
    def lacking(self, component: Component) -> str:
        return without_table(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        table = context.parameters.table or table_of(context.component)
        schema, _, bare = table.rpartition(".")
        postgres = family_of(context.component) is Family.POSTGRES
        inside = (
            f"{schema_condition(table, family_of(context.component))} AND table_name = '{bare}'"
        )
        counted = f"SELECT count(*) FROM information_schema.tables WHERE {inside}"  # noqa: S608 - of the application
        made = _statements(context, table, schema)
        shell = psql if postgres else mysql
        back = psql(*made) if postgres else mysql("; ".join(made))
        return StoreChange(
            what=f"table {table}",
            before="there",
            after="dropped",
            breaks=shell(f"DROP TABLE {table}"),
            mends=back,
            undoes=unless("1", shell(counted), back),
            asks=shell(counted),
            healthy="1",
        )


def _statements(context: FaultContext, table: str, schema: str) -> tuple[str, ...]:
    """What of a store's scripts makes a table, fills it, and says who may read it.

    Raises:
        UsageError: No script makes it.
    """
    name = re.escape(table)
    wanted = [
        rf"create\s+table\s+(if\s+not\s+exists\s+)?{name}\b",
        rf"insert\s+into\s+{name}\b",
        rf"grant\s.*\son\s+(table\s+)?{name}\b",
    ]
    if schema:
        wanted.append(rf"grant\s.*\son\s+all\s+tables\s+in\s+schema\s+{re.escape(schema)}\b")
    pattern = re.compile(rf"\s*({'|'.join(wanted)})", re.I | re.S)
    found = tuple(
        text.strip()
        for script in scripts_of(context)
        for text in _STATEMENT.split(f"{script}\n")
        if pattern.match(text)
    )
    if not any(re.match(r"create\s", text, re.I) for text in found):
        raise UsageError(
            f"fault 'data-lost' on component {context.component.name!r}: no script of it makes table "
            f"{table!r}; name one that a script makes"
        )
    return found
