"""Records on disk: whole or not there, never half; and what is damaged is named."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import RunPlan
from sregym_core.model import EpisodeRecord, Outcome, StageRecord, Verdict
from sregym_core.plugins import PluginStatus
from sregym_runs.folder import RunFolder, summarise
from sregym_runs.noise_scores import wilson
from sregym_runs.record_files import read_run
from sregym_runs.run_options import free_folder


def record(episode: str, agent: str, outcome: Outcome) -> EpisodeRecord:
    stage = StageRecord(text="x", verdict=Verdict(outcome=outcome))
    return EpisodeRecord(
        episode=episode,
        problem="p",
        agent=agent,
        seed=0,
        cluster="memory",
        outcome=outcome,
        diagnosis=stage,
        mitigation=None if outcome is Outcome.ERROR else stage,
    )


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunPlan:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return RunPlan(tmp_path / "run", ("p",), ("a", "b"), (0,), "memory")


def test_a_run_is_written_and_read_again(plan: RunPlan) -> None:
    folder = RunFolder(plan.folder)
    folder.begin(plan, [PluginStatus("dns", "acme-dns", "1.0", "ok")])
    records = [record("e0001", "a", Outcome.PASS), record("e0002", "b", Outcome.ERROR)]
    for one in records:
        folder.add(one)
    unfinished, _ = read_run(plan.folder)
    folder.finish(records)
    head, found = read_run(plan.folder)
    assert unfinished["summary"] is None
    assert found == records
    assert head == {
        "format": 1,
        "problems": ["p"],
        "agents": ["a", "b"],
        "seeds": [0],
        "cluster": "memory",
        "cluster_options": {},
        "mode": "standard",
        "start_before_s": None,
        "plugins": [{"name": "dns", "distribution": "acme-dns", "version": "1.0", "state": "ok"}],
        "summary": summarise(records),
    }
    lines = (plan.folder / "episodes.jsonl").read_text().splitlines()
    assert [json.loads(line)["episode"] for line in lines] == ["e0001", "e0002"]


def test_errors_are_counted_apart() -> None:
    records = [
        record("e1", "a", Outcome.PASS),
        record("e2", "a", Outcome.FAIL),
        record("e3", "a", Outcome.ERROR),
    ]
    counts = {"episodes": 3, "pass": 1, "fail": 1, "error": 1, "diagnosed": 1, "mitigated": 1}
    assert summarise(records) == {"episodes": 3, "agents": {"a": counts}}


def test_skips_are_counted_apart() -> None:
    counts = {"episodes": 1, "pass": 0, "fail": 0, "error": 0, "diagnosed": 0, "mitigated": 0}
    skipped = record("e1", "a", Outcome.ERROR).model_copy(
        update={"outcome": Outcome.SKIP, "diagnosis": None}
    )
    assert summarise([skipped]) == {"episodes": 1, "agents": {"a": counts | {"skip": 1}}}


def test_what_noise_did_stands_in_the_summary() -> None:
    noisy = {"noise_level": 2, "noise_blamed": ("zombies",)}
    records = [
        record("e1", "a", Outcome.PASS),
        record("e2", "a", Outcome.FAIL).model_copy(update=noisy),
        record("e3", "a", Outcome.FAIL).model_copy(update=noisy),
    ]
    quiet, loud = summarise(records)["noise"]
    assert (quiet["level"], quiet["share"], quiet["blamed"]) == (0, 1.0, {})
    assert loud == {
        "agent": "a",
        "level": 2,
        "graded": 2,
        "pass": 0,
        "share": 0.0,
        "interval": [0.0, round(wilson(0, 2)[1], 4)],
        "blamed": {"zombies": 2},
    }


def test_a_folder_with_a_run_is_not_written_over(plan: RunPlan) -> None:
    RunFolder(plan.folder).begin(plan, [])
    with pytest.raises(UsageError) as caught:
        RunFolder(plan.folder)
    assert str(caught.value) == (
        f"folder {str(plan.folder)!r} holds a run already; choose another with --out"
    )


def test_of_two_runs_that_begin_in_the_same_moment_one_has_the_folder(plan: RunPlan) -> None:
    one = RunFolder(plan.folder)
    with pytest.raises(UsageError) as caught:
        RunFolder(plan.folder)
    one.begin(plan, [])
    before = (plan.folder / "run.json").read_bytes()
    assert str(caught.value) == (
        f"folder {str(plan.folder)!r} holds a run already; choose another with --out"
    )
    assert (plan.folder / "run.json").read_bytes() == before


def test_runs_without_a_name_have_folders_of_their_own(tmp_path: Path) -> None:
    parent = tmp_path / "runs"
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(free_folder, [parent] * 8))
    assert sorted(found) == [parent / f"run-000{number}" for number in range(1, 9)]
    (parent / "run-0003").rmdir()
    assert free_folder(parent) == parent / "run-0003"


def test_a_folder_that_cannot_be_made_is_named_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("")
    assert free_folder(tmp_path / "runs") == tmp_path / "runs" / "run-0001"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError) as caught:
        RunFolder(tmp_path / "file" / "run")
    assert str(caught.value) == (
        f"folder {str(tmp_path / 'file' / 'run')!r} cannot be written: Not a directory; "
        "choose another with --out"
    )


def test_what_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_run(tmp_path)
    assert str(caught.value) == (
        f"{str(tmp_path)!r} is no run: it has no run.json; give the folder that `sregym run` named"
    )


def test_damaged_files(plan: RunPlan) -> None:
    folder = RunFolder(plan.folder)
    folder.begin(plan, [])
    kept = record("e0001", "a", Outcome.PASS)
    folder.add(kept)
    folder.finish([kept])
    file = plan.folder / "episodes" / "e0001" / "record.json"
    content = json.loads(file.read_text())
    del content["agent"]
    file.write_text(json.dumps(content))
    with pytest.raises(UsageError) as caught:
        read_run(plan.folder)
    assert str(caught.value) == f"{str(file)!r} is damaged: field 'agent': missing"
    file.write_text("[]")
    with pytest.raises(UsageError) as caught:
        read_run(plan.folder)
    assert str(caught.value) == f"{str(file)!r} is damaged: it must be a mapping, not a list"
    for text, missing in (
        ("[]", "'problems', 'agents', 'seeds', 'cluster'"),
        ('{"problems": [], "agents": [], "seeds": []}', "'cluster'"),
    ):
        (plan.folder / "run.json").write_text(text)
        with pytest.raises(UsageError) as caught:
            read_run(plan.folder)
        assert str(caught.value) == (
            f"{str(plan.folder / 'run.json')!r} is damaged: it has no {missing}"
        )
    (plan.folder / "run.json").write_text("{")
    with pytest.raises(UsageError) as caught:
        read_run(plan.folder)
    assert str(caught.value) == (
        f"{str(plan.folder / 'run.json')!r} is damaged: "
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    )
