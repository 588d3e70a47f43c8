"""Reads a data set."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from sregym_core.errors import UsageError

from sregym_dataset.folder import FORMAT, GRAPH, HEAD, LABELS, TRANSCRIPT
from sregym_dataset.schema import PERIODS, TABLES, TELEMETRY

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        folder: Where it stands.
    """

    folder: Path

    @property
    def id(self) -> str:
        """Its name."""
        return self.folder.name

    @cached_property
    def labels(self) -> dict[str, Any]:
        """The ground truth, moments and outcomes."""
        found: dict[str, Any] = _json(self.folder / LABELS)
        return found

    @cached_property
    def graph(self) -> dict[str, Any]:
        """The causal graph: `nodes` and `edges`."""
        found: dict[str, Any] = _json(self.folder / GRAPH)
        return found

    @cached_property
    def transcript(self) -> dict[str, Any] | None:
        """What an agent did, in ATIF; None where no agent acted."""
        path = self.folder / TRANSCRIPT
        return _json(path) if path.is_file() else None

    def table(self, name: str, period: str = "abnormal") -> pa.Table:
        """A table of the case.

        Args:
            name: `metrics`, `logs`, `traces`, `events` or `objects`.
            period: Of the first three: `normal` or `abnormal`.

        Raises:
            UsageError: There is no such table, or its file is damaged.
        """
        if name not in TABLES or period not in PERIODS:
            known = f"{', '.join(TABLES)}; periods {', '.join(PERIODS)}"
            msg = f"case {self.id!r} has no table {name!r} of period {period!r}; there are: {known}"
            raise UsageError(msg)
        stem = f"{period}_{name}" if name in TELEMETRY else name
        for ending, read in (("parquet", _parquet), ("csv", _csv)):
            path = self.folder / f"{stem}.{ending}"
            if path.is_file():
                try:
                    return read(path, TABLES[name])
                except (pa.ArrowInvalid, OSError) as error:
                    msg = f"{str(path)!r} is damaged: {error}"
                    raise UsageError(msg) from error
        msg = f"case {self.id!r} is damaged: it has no {stem}.parquet or {stem}.csv"
        raise UsageError(msg)


def load(folder: str | Path) -> Iterator[Case]:
    """The cases of a data set, in order.

    Raises:
        UsageError: The folder holds none, or one of another format.
    """
    root = Path(folder)
    if not (root / HEAD).is_file():
        msg = f"{str(root)!r} is no data set: it has no {HEAD}"
        raise UsageError(msg)
    head = _json(root / HEAD)
    if head.get("format") != FORMAT:
        msg = f"{str(root)!r} has format {head.get('format')!r}; this version reads {FORMAT}"
        raise UsageError(msg)
    return (Case(root / "cases" / name) for name in head["cases"])


def _parquet(path: Path, schema: pa.Schema) -> pa.Table:
    return pyarrow.parquet.read_table(path).cast(schema)


def _csv(path: Path, schema: pa.Schema) -> pa.Table:
    types = {
        one.name: one.type.value_type if pa.types.is_dictionary(one.type) else one.type
        for one in schema
    }
    options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    parsing = pyarrow.csv.ParseOptions(newlines_in_values=True)
    return pyarrow.csv.read_csv(path, parse_options=parsing, convert_options=options).cast(schema)


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{str(path)!r} is damaged: {error}"
        raise UsageError(msg) from error
