"""One small campaign for all tests: played once, changed in copies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_testing import SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
FILE = f"""\
name: small
problems: [{PROBLEM}]
agents: [restart-loop]
baselines: [expert, noop]
noise: {{none: [], pods: [pod-restart]}}
"""
SIGN = ("leaderboard", "sign", "campaigns/small", "--contamination", "none: <b>a script</b>")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished campaign."""
    import os

    folder = tmp_path_factory.mktemp("campaign")
    (folder / "campaign.yaml").write_text(FILE)
    environment = {**os.environ, "HOME": str(folder)}
    SregymProject(folder, environment).run("campaign", "run", "campaign.yaml").assert_success()
    return folder / "campaigns" / "small"


@pytest.fixture
def project(played: Path, sregym_project: Callable[..., SregymProject]) -> SregymProject:
    """A project with a copy of that campaign."""
    made = sregym_project()
    shutil.copytree(played, made.folder / "campaigns" / "small")
    return made


@pytest.fixture
def signed(project: SregymProject) -> Callable[..., Path]:
    """Signs the project's campaign; gives the submission."""

    def sign(name: str = "mine", agent: str = "restart-loop") -> Path:
        words = ("--name", name, "--agent", agent, "--key", "key.pem", "--out", "board")
        project.run(*SIGN, *words).assert_success()
        return project.folder / "board" / f"{name}.submission.gz"

    return sign
