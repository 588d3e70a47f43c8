"""`sregym export telemetry`: an episode is played again and written down."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import compute, parquet
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PROBLEM = "missing_service_hotel_reservation"


@pytest.fixture(scope="module")
def played(module_project: SregymProject) -> SregymProject:
    """A run of the agent that repairs everything."""
    words = ("run", PROBLEM, "--agent", "expert", "--seed", "3", "--out", "played")
    module_project.run(*words).assert_success()
    return module_project


def rows(file: Path, *filters: tuple[str, str, Any]) -> list[dict[str, Any]]:
    """Rows of a table in Parquet, their moment in Unix seconds."""
    found = parquet.read_table(file, filters=list(filters) or None).to_pylist()
    return [{**row, "ts": row["ts"].timestamp()} for row in found]


def test_an_episode(played: SregymProject) -> None:
    words = ("export", "telemetry", "played/e0001", "--out", "out", "--json")
    told = played.run(*words).assert_success().json()
    files = {name: played.folder / f"out/{name}.parquet" for name in ("metrics", "logs", "traces")}
    assert told["tables"] == {
        name: {"file": f"out/{name}.parquet", "rows": parquet.read_metadata(file).num_rows}
        for name, file in files.items()
    }
    for file in files.values():
        times = parquet.read_table(file, columns=["ts"])["ts"]
        first, last = (at.as_py().timestamp() for at in compute.min_max(times).values())
        assert told["span"]["start"] <= first < last <= told["span"]["end"]
    record = json.loads((played.folder / "played/episodes/e0001/record.json").read_text())
    stopped = next(e["at_s"] for e in record["timeline"] if e["event"] == "AgentStopped")
    injected = next(e["at_s"] for e in record["timeline"] if e["event"] == "FaultInjected")
    # The export ends where the agent stopped: the Service was away from one moment to the other.
    began = told["span"]["end"] - stopped
    services = [
        row["ts"]
        for row in rows(files["metrics"], ("metric", "=", "kube_service_info"))
        if json.loads(row["labels"])["service"] == "mongodb-rate"
    ]
    assert any(at < began + injected for at in services)
    failed = rows(files["traces"], ("failed", "=", True))
    late = [row for row in failed if row["ts"] > began + injected]
    assert {row["service"] for row in late} >= {"frontend", "search"}
    panics = [
        row
        for row in rows(files["logs"])
        if "no reachable servers" in row["line"] and row["ts"] > began
    ]
    assert {json.loads(row["labels"])["app"] for row in panics} >= {"rate"}


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param(("reactive",), marks=pytest.mark.thorough),
        ("proactive", "--start-before", "200"),
    ],
)
def test_an_episode_of_another_mode(played: SregymProject, mode: tuple[str, ...]) -> None:
    """The world of a replay waits for alerts and breaks as that of the episode did."""
    name = f"out-{mode[0]}"
    words = ("run", PROBLEM, "--agent", "expert", "--out", f"run-{name}", "--mode", *mode)
    played.run(*words).assert_success()
    export = ("export", "telemetry", f"run-{name}/e0001", "--format", "csv", "--out", name)
    # It is played again whatever is exported; lines of logs are written soonest.
    done = played.run(*export, "--only", "logs", "--json").assert_success()
    with (played.folder / name / "logs.csv").open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    told = done.json()
    assert told["tables"] == {"logs": {"file": f"{name}/logs.csv", "rows": len(lines)}}
    assert {tuple(line) for line in lines} == {("ts", "labels", "line")}
    assert all(told["span"]["start"] <= float(line["ts"]) <= told["span"]["end"] for line in lines)


def test_what_was_recorded_decides(played: SregymProject, tmp_path: Path) -> None:
    """A command that prints something else shows that the world is another one."""
    file = played.folder / "played/episodes/e0001/record.json"
    record: dict[str, Any] = json.loads(file.read_text())
    record["transcript"][0]["digest"] = "0" * 32
    other = tmp_path / "e0001"
    other.mkdir()
    (other / "record.json").write_text(json.dumps(record))
    done = played.run("export", "telemetry", str(other), "--format", "csv")
    assert (done.exit_code, done.out, done.err) == (
        ExitCode.USAGE,
        "",
        "sregym: episode 'e0001' cannot be played again: call 1 (kubectl get pods -n "
        "hotel-reservation) prints something else than recorded; the run's record, which is older, "
        "does not say with which options its cluster ran\n",
    )


@pytest.mark.parametrize("hour", ["healthy", "broken"])
def test_an_hour(played: SregymProject, hour: str) -> None:
    # Of the formats the fastest: an hour has millions of values.
    words = ("--hour", hour, "--seed", "5", "--out", hour, "--json")
    done = played.run("export", "telemetry", PROBLEM, *words, "--only", "metrics").assert_success()
    told = done.json()
    assert list(told["tables"]) == ["metrics"]
    assert 3600 < told["span"]["end"] - told["span"]["start"] < 4800
    table = played.folder / told["tables"]["metrics"]["file"]
    scraped = parquet.read_table(table, columns=["ts"], filters=[("metric", "=", "up")])
    up = [at.timestamp() for at in scraped["ts"].to_pylist()]
    assert (min(up) - told["span"]["start"] <= 15, told["span"]["end"] - max(up) <= 15) == (
        True,
        True,
    )
    wanted = [("metric", "=", "kube_deployment_status_replicas_ready")]
    ready = [
        row["value"]
        for row in parquet.read_table(table, filters=wanted).to_pylist()
        if json.loads(row["labels"])["deployment"] == "rate"
    ]
    assert ready[-1] == (1.0 if hour == "healthy" else 0.0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("nowhere/e0001",),
            "'nowhere/e0001' is no episode: it has no record.json; give a folder like "
            "RUN/episodes/e0001",
        ),
        (
            ("played/e0001", "--seed", "5"),
            "--seed goes with --hour: an episode has its own seed",
        ),
        (
            ("played/e0001", "--out", "played/run.json"),
            "folder 'played/run.json' cannot be written: File exists; choose another with --out",
        ),
    ],
)
def test_refusals(played: SregymProject, words: tuple[str, ...], message: str) -> None:
    done = played.run("export", "telemetry", *words, "--format", "csv")
    assert (done.exit_code, done.out, done.err) == (ExitCode.USAGE, "", f"sregym: {message}\n")
