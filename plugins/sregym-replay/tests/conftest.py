"""One episode, played once and rebuilt by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.api import Workspace, play
from sregym_core.settings import Settings
from sregym_replay.story import Story
from sregym_runs import read_recorded

PROBLEM = "missing_service_hotel_reservation"


@pytest.fixture(scope="session")
def workspace() -> Workspace:
    """Loaded plugins and warm worlds of all tests."""
    return Workspace(Settings())


@pytest.fixture(scope="session")
def episode(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an episode that was solved."""
    folder = tmp_path_factory.mktemp("played") / "e0001"
    folder.mkdir()
    record = play(PROBLEM, "expert", seed=3, folder=folder, workspace=workspace, episode="e0001")
    assert record.outcome == "pass"
    return folder


@pytest.fixture
def story(episode: Path, workspace: Workspace) -> Story:
    """The episode to be told."""
    return Story(read_recorded(episode), None, workspace)
