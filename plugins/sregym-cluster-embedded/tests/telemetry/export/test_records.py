"""Records of episodes, and recorded commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sregym_cluster_embedded.export.records import find
from sregym_cluster_embedded.export.replay import replayed
from sregym_core.api import Workspace
from sregym_core.errors import UsageError
from sregym_core.model import EpisodeRecord, Outcome, TimelineEntry
from sregym_core.settings import Settings
from sregym_runs import Recorded

RECORD = EpisodeRecord(
    episode="e0001",
    problem="p",
    agent="someone",
    seed=3,
    cluster="embedded",
    outcome=Outcome.ERROR,
    reason="it did not get ready",
)
# What the head of a run says at least.
HEAD = {"problems": ["p"], "agents": ["someone"], "seeds": [3], "cluster": "embedded"}


def run_folder(folder: Path, head: dict[str, Any] | None) -> Path:
    episode = folder / "episodes" / "e0001"
    episode.mkdir(parents=True)
    (episode / "record.json").write_text(RECORD.model_dump_json())
    if head is not None:
        (folder / "run.json").write_text(json.dumps(head))
    return episode


def test_a_record_is_found_by_its_folder_and_for_short(tmp_path: Path) -> None:
    episode = run_folder(tmp_path, {**HEAD, "cluster_options": {"metrics-server": "true"}})
    expected = Recorded(RECORD, episode / "record.json", {"metrics-server": "true"})
    assert find(str(episode)) == expected
    assert find(str(tmp_path / "e0001")) == expected
    assert find(str(tmp_path / "e0002")) is None


@pytest.mark.parametrize("head", [None, HEAD])
def test_an_older_run_does_not_say_its_options(tmp_path: Path, head: dict[str, Any]) -> None:
    episode = run_folder(tmp_path, head)
    assert find(str(episode)) == Recorded(RECORD, episode / "record.json")


def test_damaged_files(tmp_path: Path) -> None:
    episode = run_folder(tmp_path, {})
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(UsageError) as damaged:
        find(str(episode))
    assert str(damaged.value) == (
        f"'{tmp_path}/run.json' is damaged: Expecting property name enclosed in double quotes: "
        "line 1 column 2 (char 1)"
    )
    (episode / "record.json").write_text(
        json.dumps({**RECORD.model_dump(mode="json"), "seed": "x"})
    )
    with pytest.raises(UsageError) as damaged:
        find(str(episode))
    assert str(damaged.value) == (
        f"'{episode}/record.json' is damaged: field 'seed': must be a whole number, not 'x'"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"cluster": "kubeconfig"},
            "episode 'e0001' was played on cluster 'kubeconfig': its telemetry is where that "
            "cluster keeps it; only episodes of cluster 'embedded' can be played again",
        ),
        (
            {"timeline": (TimelineEntry(at_s=0.0, wall_s=0.0, event="SessionOpened"),)},
            "episode 'e0001' was open to processes outside, and its record does not hold what they "
            "did to the API; it cannot be played again (--hour exports an hour of its problem)",
        ),
        (
            {},
            "episode 'e0001' ended before its agent began: it did not get ready; there is nothing "
            "to replay",
        ),
    ],
)
def test_what_cannot_be_played_again(changes: dict[str, Any], message: str) -> None:
    record = RECORD.model_copy(update=changes)
    with pytest.raises(UsageError) as refused:
        replayed(Workspace(Settings()), Recorded(record, Path("record.json")))
    assert str(refused.value) == message
