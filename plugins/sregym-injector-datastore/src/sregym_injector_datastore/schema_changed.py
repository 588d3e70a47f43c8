"""A migration that its programs do not know: a column of a table has another name."""

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
    from collections.abc import Callable

    from sregym_core.interfaces import FaultContext
    from sregym_core.model import Component

_PLACE = r"[\w.]*"


class SchemaChanged(StoreFault):
    """Gives a column another name, of which the statements of programs know nothing."""

    name: ClassVar[str] = "schema-changed"
    title: ClassVar[str] = "Column was renamed, and programs still name it as before"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    families = (Family.POSTGRES, Family.MYSQL)
    mechanism = "schema-changed"
    phrases = (
        "column was renamed", "renamed column", "column does not exist", "schema change",
        "schema was changed", "schema mismatch", "schema drift", "incompatible migration",
        "bad migration", "database migration renamed a column", "unknown column", "missing column",
        "column name mismatch", "ALTER TABLE", "column has another name",
    )  # fmt: skip
    symptoms = ("queries fail", "column does not exist", "database errors")

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            table: Which; empty: the one for which an account is declared.
            column: Which; empty: the first that is no primary key, by the script that makes the
                table.
            renamed_to: What it is called then; empty: its name with `_v2`.
        """

        restart_clients: bool | None = False
        table: str = Field(default="", pattern=_PLACE)
        column: str = Field(default="", pattern=r"\w*")
        renamed_to: str = Field(default="", pattern=r"\w*")

    @override
    def lacking(self, component: Component) -> str:
        return without_table(component)

    @override
    def change(self, context: FaultContext) -> StoreChange:
        given, component = context.parameters, context.component
        table = given.table or table_of(component)
        column = given.column or _column(context, table)
        other = given.renamed_to or f"{column}_v2"
        bare = table.rpartition(".")[2]
        postgres = family_of(component) is Family.POSTGRES
        shell: Callable[[str], tuple[str, ...]] = psql if postgres else mysql
        quote = '"' if postgres else "`"
        inside = schema_condition(table, family_of(component))

        def renaming(old: str, new: str) -> str:
            return f"ALTER TABLE {table} RENAME COLUMN {quote}{old}{quote} TO {quote}{new}{quote}"

        def counted(name: str) -> str:
            where = f"{inside} AND table_name = '{bare}' AND column_name = '{name}'"
            return f"SELECT count(*) FROM information_schema.columns WHERE {where}"  # noqa: S608 - of the application

        back = renaming(other, column)
        return StoreChange(
            what=f"column {column} of {table}",
            before=f"called {column}",
            after=f"called {other}",
            breaks=shell(renaming(column, other)),
            mends=shell(back),
            undoes=unless("0", shell(counted(other)), shell(back)),
            asks=shell(counted(column)),
            healthy="1",
        )


def _column(context: FaultContext, table: str) -> str:
    """The first column of a table that is no primary key, as the component's scripts make it."""
    name = context.component.name
    for text in scripts_of(context):
        made = re.search(
            rf"(?is)create\s+table\s+(?:if\s+not\s+exists\s+)?{re.escape(table)}\s*\((.*?)\)\s*;",
            text,
        )
        for line in (made.group(1) if made is not None else "").splitlines():
            found = re.match(r"\s*[\"`]?(\w+)[\"`]?\s+\w", line)
            if found is not None and not re.search(r"primary\s+key", line, re.I):
                return found.group(1)
    raise UsageError(
        f"parameter 'column' of fault 'schema-changed' on component {name!r}: no script of it makes "
        f"table {table!r}; say which column is renamed"
    )
