"""One case, played once and read by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.api import Workspace
from sregym_core.settings import Settings
from sregym_dataset.folder import write_case, write_head
from sregym_dataset.loading import Case, load
from sregym_dataset.playing import Played, play_case

PROBLEM = "missing_service_hotel_reservation"


@pytest.fixture(scope="session")
def played() -> Played:
    """What is known of a case in which an agent repaired the system."""
    workspace = Workspace(Settings())
    agent = workspace.agent("expert")
    return play_case(workspace, workspace.problem(PROBLEM), 3, agent=agent, normal_s=60.0)


@pytest.fixture(scope="session")
def dataset(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set with this case."""
    root = tmp_path_factory.mktemp("dataset")
    write_case(root, "one", played, "parquet")
    write_head(root, {"problems": [PROBLEM], "cluster": "embedded", "plugins": []}, ["one"])
    return root


@pytest.fixture
def case(dataset: Path) -> Case:
    """The case."""
    (found,) = load(dataset)
    return found
