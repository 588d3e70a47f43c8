"""A data set as a folder: a case is there once its labels are; what was half written is played again."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sregym_core.cli import counted

from sregym_dataset.schema import TABLES, write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sregym_dataset.playing import Played

FORMAT = 1
HEAD, LABELS, GRAPH, TRANSCRIPT = (
    "dataset.json",
    "labels.json",
    "causal_graph.json",
    "transcript.json",
)


def case_folder(root: Path, case: str) -> Path:
    """Where a case stands."""
    return root / "cases" / case


def is_there(root: Path, case: str) -> bool:
    """Whether a case was written as a whole."""
    return (case_folder(root, case) / LABELS).is_file()


def write_case(root: Path, case: str, played: Played, ending: str) -> dict[str, int]:
    """Write a case; returns the number of rows of each table."""
    folder = case_folder(root, case)
    folder.mkdir(parents=True, exist_ok=True)
    rows = {
        name: write(folder / f"{name}.{ending}", _table_of(name), found)
        for name, found in played.tables.items()
    }
    write_json(folder / GRAPH, played.graph)
    if played.transcript is not None:
        write_json(folder / TRANSCRIPT, played.transcript)
    write_json(folder / LABELS, {"case": case, **played.labels, "rows": rows})
    return rows


def write_head(root: Path, about: Mapping[str, Any], cases: Sequence[str]) -> None:
    """Write what the whole data set is, with its datasheet."""
    write_json(root / HEAD, {"format": FORMAT, **about, "cases": list(cases)})
    sheet = files("sregym_dataset").joinpath("datasheet.md").read_text(encoding="utf-8")
    columns = "\n".join(
        f"| `{name}` | {', '.join(f'`{one.name}` {one.type}' for one in schema)} |"
        for name, schema in TABLES.items()
    )
    counts = f"{counted(len(cases), 'case')} of {counted(len(set(about['problems'])), 'problem')}"
    (root / "README.md").write_text(
        sheet.replace("{columns}", columns).replace("{counts}", counts), encoding="utf-8"
    )


def write_json(path: Path, content: Any) -> None:
    """Write a file so that readers see the whole of it or nothing."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    part.replace(path)


def _table_of(name: str) -> str:
    return name.removeprefix("normal_").removeprefix("abnormal_")
