"""Records that are damaged, other places for them, and another campaign's folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_campaign.plan import Plan
from sregym_campaign.store import Damaged, Store
from sregym_campaign.tries import Try, TryKind
from sregym_core.errors import UsageError
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
Damage = Callable[[Path], None]
Campaign = Callable[..., SregymProject]


def test_a_damaged_record_is_named_set_aside_and_played_again(
    campaign: Callable[..., SregymProject], kept: Callable[..., Any], damage: Damage
) -> None:
    project = campaign(seeds=[0, 1, 2])
    project.run("campaign", "run", "campaign.yaml").assert_success()
    folder = project.folder / "campaigns" / "small"
    damage(folder / "records" / "e00001-1")
    forged = folder / "records" / "e00002-1"
    forged.write_text(forged.read_text().replace('"outcome": "fail"', '"outcome": "pass"'))
    cut = "it is cut off or overwritten"
    changed = "its content is not what was written"
    reported = project.run("campaign", "report", "campaigns/small", "--json").assert_success()
    assert reported.json()["damaged"] == [
        {"file": "e00001-1", "why": cut},
        {"file": "e00002-1", "why": changed},
    ]
    assert (reported.json()["episodes"], reported.json()["missing"]) == (1, 2)
    assert reported.err == "".join(
        f"warning: record {name!r} is left out: {why}; `sregym campaign run` sets it aside and "
        "plays it again\n"
        for name, why in (("e00001-1", cut), ("e00002-1", changed))
    )
    done = project.run("campaign", "run", "campaign.yaml", "--json").assert_success()
    assert done.json()["set_aside"] == reported.json()["damaged"]
    assert done.err.endswith(
        f"warning: record 'e00001-1' was set aside: {cut}\n"
        f"warning: record 'e00002-1' was set aside: {changed}\n"
    )
    assert sorted(kept(project)) == ["e00001-1", "e00002-1", "e00003-1"]
    assert sorted(path.name for path in (folder / "aside").iterdir()) == ["e00001-1", "e00002-1"]


def test_a_folder_of_another_campaign(campaign: Campaign) -> None:
    project = campaign()
    store = Store(str(project.folder / "campaigns" / "small"))
    store.claim()
    store.reveal(_plan().model_copy(update={"finished": True}))
    store.release()
    other = project.run("campaign", "run", "campaign.yaml")
    assert (other.exit_code, other.out) == (4, "")
    assert other.err == (
        "sregym: 'campaigns/small' holds another campaign, 'far'; choose another place with --out, "
        "or go on with the file that it was begun with\n"
    )
    head = project.folder / "campaigns" / "small" / "campaign.json"
    content = json.loads(head.read_text())
    del content["cells"]
    head.write_text(json.dumps(content))
    with pytest.raises(UsageError) as refused:
        Store(str(head.parent)).plan()
    assert str(refused.value) == f"'{head}' is damaged: field 'cells': missing"


def test_a_folder_without_records(sregym_project: Callable[..., SregymProject]) -> None:
    done = sregym_project().run("campaign", "report", "nothing")
    assert (done.exit_code, done.out) == (4, "")
    assert done.err == (
        "sregym: 'nothing' holds no campaign and no run: give what `sregym campaign run` or "
        "`sregym run` named\n"
    )


def test_a_place_that_is_none(campaign: Callable[..., SregymProject]) -> None:
    done = campaign().run("campaign", "run", "campaign.yaml", "--out", "nosuch://place")
    assert (done.exit_code, done.out) == (4, "")
    assert done.err == (
        "sregym: records cannot go to 'nosuch://place': Protocol not known: nosuch\n"
    )
    taken = campaign()
    (taken.folder / "file").write_text("")
    done = taken.run("campaign", "run", "campaign.yaml", "--out", "file")
    assert (done.exit_code, done.out) == (4, "")
    assert done.err == "sregym: records cannot be written to 'file': Not a directory\n"


def _plan() -> Plan:
    return Plan.model_validate(
        {
            "name": "far",
            "digest": "d",
            "salt": "s",
            "cells": [],
            "problems": {},
            "agents": {},
            "baselines": [],
            "noise": {},
            "cluster": "embedded",
            "limits": {},
        }
    )


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"memory://{request.node.name}" if request.param == "memory" else str(tmp_path / "far")


@pytest.mark.parametrize("place", ["memory", "local"], indirect=True)
def test_any_place_that_fsspec_knows(place: str, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    store = Store(place)
    store.claim()
    assert store.plan() is None
    store.write_plan(_plan())
    one = Try(cell="e00001", number=1, kind=TryKind.LOST, why="gone", tokens=3)
    store.add(one)
    store.note_begun("e00002-1")
    later = Store(place)
    assert (later.plan(), [*later.tries()], later.begun()) == (_plan(), [one], {"e00002-1"})
    store.reveal(_plan().model_copy(update={"finished": True}))
    store.release()
    assert later.plan() == _plan().model_copy(update={"finished": True})
    assert [*later.tries()] == [one]
    assert list((tmp_path / ".local" / "state" / "sregym").iterdir()) == []
    # More is played: until that is over nobody reads what is known already.
    assert later.redact(_plan().model_copy(update={"finished": True})) == _plan()
    again = Store(place)
    assert (again.plan(), [*again.tries()]) == (_plan(), [one])
    assert len([*(tmp_path / ".local" / "state" / "sregym").iterdir()]) == 1
    later.set_aside(Damaged("e00001-1", "for a trial"))
    assert [*later.tries()] == []


def test_one_writer_far_away(monkeypatch: Any) -> None:
    first, second = Store("memory://writers"), Store("memory://writers")
    first.claim()
    with pytest.raises(UsageError) as refused:
        second.claim()
    assert str(refused.value) == (
        "another process writes to 'memory://writers'; wait until it has ended"
    )
    # One that gives no sign any more is dead.
    monkeypatch.setattr("sregym_campaign.store._now", lambda: 1e12)
    second.claim()
    # Whoever was taken for dead, or began in the same moment, stops with its next sign of life.
    monkeypatch.setattr(first, "_beaten", -1e12)
    with pytest.raises(UsageError) as refused:
        first.beat()
    assert str(refused.value) == (
        "another process writes to 'memory://writers'; wait until it has ended"
    )
    first.release()
    second.beat()
    second.release()
    first.claim()
