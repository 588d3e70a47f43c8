"""Tables that programs fill when they start, and the columns that they have."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sregym_apps.model import Client, expand
from sregym_cluster_embedded.sdk.servers import Process, Refusal, StoreKind

from sregym_server_sql.data import SqlData, load, store
from sregym_server_sql.engine import StatementContext, columns_of, filled, run, tables_of
from sregym_server_sql.tables import enlarged, examined

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import World

_TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE PRECISION", str: "VARCHAR(255)"}


class FilledTables(StoreKind):
    """Base of servers in which programs make tables and fill them."""

    # Rows lie in the buffers, several millions of them are looked at in a second.
    examining_ms = 0.0004

    def seed(
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        documents: int,
        record: str = "",
    ) -> None:
        """Make a table and fill it, where it has no rows."""
        storage, database = process.settings["sql.storage"], client.database or client.user
        before = load(world, storage)
        after = seeded(before, database, collection, documents, record)
        if after.databases != before.databases:
            store(world, storage, after)

    def enlarge(
        self, world: World, process: Process, client: Client, collection: str, total: int,
        indexes: tuple[str, ...],
    ) -> None:  # fmt: skip
        """Count more rows of a table that was filled for the first time, and index it."""
        storage, database = process.settings["sql.storage"], client.database or client.user
        before = load(world, storage)
        after = enlarged(before, database, collection, total, indexes)
        if after is not before:
            store(world, storage, after)

    def examined(
        self, world: World, process: Process, client: Client, collection: str, by: tuple[str, ...]
    ) -> int:
        """All rows where no index serves."""
        data = load(world, process.settings["sql.storage"])
        return examined(data, client.database or client.user, collection, by)

    # What a statement is answered that names a column which is not there.
    unknown_column = ""

    def lacks(
        self,
        world: World,
        process: Process,
        client: Client,
        collection: str,
        columns: tuple[str, ...],
    ) -> Refusal | None:
        """Whether a table that is there has not all these columns."""
        data = load(world, process.settings["sql.storage"])
        found = missing_column(data, client.database or client.user, collection, columns)
        return Refusal("server", self.unknown_column.format(found)) if found else None


def seeded(data: SqlData, database: str, table: str, rows: int, record: str) -> SqlData:
    """The data with a table that is made and filled where it has no rows yet.

    Args:
        data: As they are.
        database: Where the table is.
        table: Its name.
        rows: How many it gets.
        record: One of them as JSON, with `${n}` for its number; its fields are the columns.
    """
    if database not in data.databases or not rows or data.misses(database, table):
        return data
    image = _filled(data.databases[database], table, rows, record)
    return data.with_database(database, image)


@lru_cache(maxsize=256)
def _filled(image: bytes, table: str, rows: int, record: str) -> bytes:
    """The image of a database with the table; that of many instances of a program is the same."""
    records = _records(record, rows)
    columns = list(records[0])
    if table not in tables_of(image):
        counted_out = _counted_out(record)
        kinds = (
            f'"{name}" {"INTEGER PRIMARY KEY" if name == counted_out else _kind(value)}'
            for name, value in records[0].items()
        )
        _, image = run(image, f'CREATE TABLE "{table}" ({", ".join(kinds)})', StatementContext())
    counted, _ = run(image, f'SELECT count(*) FROM "{table}"', StatementContext())  # noqa: S608 - a name of the model
    known = {name for name, *_ in columns_of(image, table)}
    if counted.rows[0][0] or not known.issuperset(columns):
        return image
    return filled(image, table, columns, [tuple(map(_stored, one.values())) for one in records])


def missing_column(data: SqlData, database: str, table: str, columns: tuple[str, ...]) -> str:
    """The first of the columns that a table does not have; empty when there is none.

    What is a column can only be said of tables that are there.
    """
    image = data.databases.get(database, b"")
    known = {name.lower() for name, *_ in columns_of(image, table)} if image else set()
    return next((name for name in columns if known and name.lower() not in known), "")


def _records(text: str, rows: int) -> list[dict[str, Any]]:
    """Rows, by their columns: read as one text, which takes half as long as one by one."""
    numbers = range(1, rows + 1)
    parts = text.split("${n}")
    if text and not any("${" in part for part in parts):
        written = [str(number).join(parts) for number in numbers]
    else:
        written = [expand(text, {"n": str(number)}) for number in numbers]
    try:
        found = json.loads(f"[{','.join(written)}]")
    except ValueError:
        found = []
    if len(found) == rows and all(isinstance(one, dict) and one for one in found):
        return list(found)
    return [_record(one, number) for number, one in zip(numbers, written, strict=True)]


def _record(text: str, number: int) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) and found else {"id": number}


def _counted_out(record: str) -> str:
    """The column that is the number of the row: the key, whose numbers the server gives out."""
    found = re.match(r'\s*\{\s*"(\w+)"\s*:\s*\$\{n\}\s*[,}]', record)
    return "" if found is None else found.group(1)


def _kind(value: Any) -> str:
    return _TYPES.get(type(value), "TEXT")


def _stored(value: Any) -> str | int | float | None:
    """What SQLite keeps of a value."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return float(value)
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value)
