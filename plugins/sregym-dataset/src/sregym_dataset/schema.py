"""The tables of a case: names and types of their columns."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_AT = pa.timestamp("us", tz="UTC")
_FEW = pa.dictionary(pa.int32(), pa.string())
# Those of telemetry are written twice: before the injection and after it.
TELEMETRY = ("metrics", "logs", "traces")
PERIODS = ("normal", "abnormal")
TABLES: Mapping[str, pa.Schema] = MappingProxyType(
    {
        "metrics": pa.schema(
            [
                ("timestamp", _AT),
                ("component", _FEW),
                ("metric", _FEW),
                ("value", pa.float64()),
                ("labels", _FEW),
            ]
        ),
        "logs": pa.schema(
            [
                ("timestamp", _AT),
                ("component", _FEW),
                ("namespace", _FEW),
                ("pod", _FEW),
                ("container", _FEW),
                ("stream", _FEW),
                ("line", pa.string()),
            ]
        ),
        "traces": pa.schema(
            [
                ("timestamp", _AT),
                ("duration_us", pa.int64()),
                ("trace_id", pa.string()),
                ("span_id", pa.string()),
                ("parent_id", pa.string()),
                ("component", _FEW),
                ("service", _FEW),
                ("operation", _FEW),
                ("failed", pa.bool_()),
                ("tags", pa.string()),
            ]
        ),
        "events": pa.schema(
            [
                ("timestamp", _AT),
                ("component", _FEW),
                ("namespace", _FEW),
                ("kind", _FEW),
                ("name", _FEW),
                ("type", _FEW),
                ("reason", _FEW),
                ("message", pa.string()),
                ("count", pa.int64()),
            ]
        ),
        "objects": pa.schema(
            [
                ("timestamp", _AT),
                ("change", _FEW),
                ("component", _FEW),
                ("kind", _FEW),
                ("namespace", _FEW),
                ("name", _FEW),
                ("resource_version", pa.string()),
                ("object", pa.string()),
            ]
        ),
    }
)


def write(path: Path, table: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Write rows of a table, `.parquet` or `.csv`; returns how many.

    Args:
        path: The file; it appears under its name once it is whole.
        table: Its name in `TABLES`.
        rows: By column; timestamps are whole nanoseconds since 1970.
    """
    schema = TABLES[table]
    arrays = [
        pa.array([row[one.name] // 1000 for row in rows], one.type)
        if one.type == _AT
        else pa.array([row[one.name] for row in rows], one.type)
        for one in schema
    ]
    made = pa.Table.from_arrays(arrays, schema=schema)
    part = path.with_suffix(f"{path.suffix}.part")
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(made, part)
    else:
        pyarrow.parquet.write_table(made, part, compression="zstd")
    part.replace(path)
    return len(rows)
