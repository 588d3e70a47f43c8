"""One small campaign for all tests: played once, changed in copies."""

from __future__ import annotations

import argparse
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.api import Workspace
from sregym_core.cli import Console
from sregym_core.settings import Settings
from sregym_leaderboard.command import Leaderboard
from sregym_testing import ForkServer, RunOutcome, SregymProject

PROBLEM = "wrong_service_selector_hotel_reservation"
FILE = f"""\
name: small
problems: [{PROBLEM}]
agents: [restart-loop]
baselines: [expert, noop]
noise: {{none: [], pods: [pod-restart]}}
"""
SIGN = ("sign", "campaigns/small", "--contamination", "none: <b>a script</b>")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Path:
    """The folder of a finished campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "campaign.yaml").write_text(FILE)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    project = SregymProject(folder, environment, fork_server)
    # Each job makes a world of its own, which takes longer than these episodes.
    project.run("campaign", "run", "campaign.yaml", "--jobs", "1").assert_success()
    return folder / "campaigns" / "small"


@pytest.fixture
def project(played: Path, sregym_project: Callable[..., SregymProject]) -> SregymProject:
    """A project with a copy of that campaign."""
    made = sregym_project()
    shutil.copytree(played, made.folder / "campaigns" / "small")
    return made


@pytest.fixture(scope="session")
def workspace() -> Workspace:
    """Plugins and worlds of all tests: what is played again has one world."""
    return Workspace(Settings())


class _Here(Leaderboard):
    """The command with plugins and worlds that there are already."""

    def __init__(self, workspace: Workspace, console: Console) -> None:
        super().__init__(workspace.factory.settings, console)
        self._shared = workspace

    def workspace(self) -> Workspace:
        """Those that were given."""
        return self._shared


@pytest.fixture
def leaderboard(
    project: SregymProject, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., RunOutcome]:
    """Runs `sregym leaderboard` in the project's folder, in this process."""

    def run(*words: str) -> RunOutcome:
        out, err = io.StringIO(), io.StringIO()
        command = _Here(workspace, Console(out, err))
        parser = argparse.ArgumentParser()
        command.arguments(parser)
        monkeypatch.chdir(project.folder)
        code = command.run(parser.parse_args(words))
        return RunOutcome(words, project.folder, code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture
def signed(project: SregymProject, leaderboard: Callable[..., RunOutcome]) -> Callable[..., Path]:
    """Signs the project's campaign; gives the submission."""

    def sign(name: str = "mine", agent: str = "restart-loop") -> Path:
        words = ("--name", name, "--agent", agent, "--key", "key.pem", "--out", "board")
        leaderboard(*SIGN, *words).assert_success()
        return project.folder / "board" / f"{name}.submission.gz"

    return sign
