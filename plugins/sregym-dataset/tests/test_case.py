"""What stands in a case, and how it is read."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_dataset.fields import ITBENCH, OPENRCA
from sregym_dataset.folder import write_case
from sregym_dataset.loading import Case, load
from sregym_dataset.playing import Played
from sregym_dataset.schema import TABLES


def test_labels_are_the_ground_truth(case: Case) -> None:
    labels = case.labels
    (cause,) = labels["root_causes"]
    assert (cause["component"], cause["kind"], cause["reason"]) == (
        "mongodb-rate",
        "Service",
        "service-missing",
    )
    assert (labels["outcome"], labels["diagnosis"], labels["mitigation"]) == ("pass",) * 3
    periods = labels["periods"]
    assert periods["normal"]["end"] == periods["abnormal"]["start"] == labels["injected_at"]
    assert periods["normal"]["end"] - periods["normal"]["start"] == 60.0


@pytest.mark.parametrize("table", ["metrics", "logs"])
def test_telemetry_is_divided_by_the_injection(case: Case, table: str) -> None:
    border = case.labels["injected_at"]
    before = [at.timestamp() for at in case.table(table, "normal")["timestamp"].to_pylist()]
    after = [at.timestamp() for at in case.table(table, "abnormal")["timestamp"].to_pylist()]
    assert before == sorted(before)
    assert border - 60 <= before[0] < before[-1] < border <= after[0] + 1e-6
    assert max(after) <= case.labels["periods"]["abnormal"]["end"]


def test_the_repair_is_seen_in_objects(case: Case) -> None:
    """The Service goes with the injection and is back with the repair."""
    rows = case.table("objects").to_pylist()
    service = [row for row in rows if (row["kind"], row["name"]) == ("Service", "mongodb-rate")]
    assert [row["change"] for row in service] == ["ADDED", "DELETED", "ADDED"]
    assert service[1]["timestamp"].timestamp() == pytest.approx(case.labels["injected_at"], abs=1)
    assert {row["component"] for row in service} == {"mongodb-rate"}
    assert not {row["kind"] for row in rows} & {"Secret"}


def test_the_graph_leads_from_the_cause_to_the_users(case: Case) -> None:
    assert case.graph["derived"] is True
    edges = [edge for edge in case.graph["edges"] if edge["faults"]]
    assert [(edge["cause"], edge["effect"]) for edge in edges] == [
        ("mongodb-rate", "rate"),
        ("rate", "search"),
        ("search", "frontend"),
    ]
    assert {edge["why"] for edge in edges} == {"calls to it fail"}
    assert edges[0]["failed_starts_abnormal"] > edges[0]["failed_starts_normal"] == 0
    last = edges[-1]
    assert last["failed_requests_abnormal"] > 100 > 1 > last["failed_requests_normal"]
    assert last["failed_abnormal"] / last["calls_abnormal"] > 0.5
    roles = {node["component"]: node["role"] for node in case.graph["nodes"]}
    assert (roles["mongodb-rate"], roles["rate"], roles["geo"]) == (
        "root cause",
        "affected",
        "healthy",
    )
    onset = {node["component"]: node["first_failed_span_s"] for node in case.graph["nodes"]}
    assert 0 < onset["frontend"] < 120


def test_the_transcript_is_a_trajectory(case: Case) -> None:
    assert case.transcript is not None
    assert case.transcript["schema_version"] == "ATIF-v1.8"
    names = [
        call["function_name"] for s in case.transcript["steps"] for call in s.get("tool_calls", ())
    ]
    assert names.count("submit") == 2


@pytest.mark.parametrize("others", [OPENRCA, ITBENCH], ids=["openrca", "itbench"])
def test_fields_of_others_have_their_place(case: Case, others: Mapping[str, Any]) -> None:
    for fields in others.values():
        for place in fields.values():
            if ":" not in place:
                table, column = place.split(".")
                assert column in case.table(table).column_names
                continue
            where, path = place.split(":")
            found: Any = case.labels if where == "labels" else case.graph
            for name in path.split("."):
                found = found[0] if isinstance(found, list) else found
                assert name in found, place
                found = found[name]


def test_csv_holds_the_same(case: Case, played: Played, tmp_path: Path) -> None:
    few = {name: rows[:200] for name, rows in played.tables.items()}
    write_case(tmp_path, "one", replace(played, tables=few), "csv")
    other = Case(tmp_path / "cases" / "one")
    for table in TABLES:
        assert other.table(table).to_pylist() == case.table(table).slice(0, 200).to_pylist()
    assert {**other.labels, "rows": None} == {**case.labels, "rows": None}


def test_damage_is_told(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        load(tmp_path)
    assert str(refused.value) == f"'{tmp_path}' is no data set: it has no dataset.json"
    copied = tmp_path / "copied"
    shutil.copytree(dataset, copied)
    (case,) = load(copied)
    with pytest.raises(UsageError) as refused:
        case.table("spans")
    assert str(refused.value) == (
        "case 'one' has no table 'spans' of period 'abnormal'; there are: metrics, logs, traces, "
        "events, objects; periods normal, abnormal"
    )
    (case.folder / "events.parquet").unlink()
    with pytest.raises(UsageError) as refused:
        case.table("events")
    assert str(refused.value) == "case 'one' is damaged: it has no events.parquet or events.csv"
    (case.folder / "abnormal_logs.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError) as refused:
        case.table("logs")
    assert str(refused.value).startswith(f"'{case.folder}/abnormal_logs.parquet' is damaged: Could")
    (copied / "dataset.json").write_text('{"format": 9}')
    with pytest.raises(UsageError) as refused:
        load(copied)
    assert str(refused.value) == f"'{copied}' has format 9; this version reads 1"
    (copied / "dataset.json").write_text("{")
    with pytest.raises(UsageError) as refused:
        load(copied)
    assert str(refused.value) == (
        f"'{copied}/dataset.json' is damaged: Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)"
    )
