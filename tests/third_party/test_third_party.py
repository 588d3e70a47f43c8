"""Extensions, an operator and a kind of cluster of third parties: built, installed, tested, played.

Each package is a folder that could stand in a repository of its own. It is installed from a wheel
beside what it requires and what an episode needs; nothing of it is on the path but what the wheel
brought. Its own tests are its contract.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from fresh import fresh_environment

HERE = Path(__file__).parent
PACKAGES = sorted(folder.name for folder in HERE.glob("acme-*"))
# What an episode needs besides: agents, oracles, what is shown.
FOR_EPISODES = (
    *("sregym-testing", "sregym-apps", "sregym-injectors", "sregym-oracles", "sregym-agents"),
    *("sregym-cluster-embedded", "sregym-agent-baselines", "sregym-oracle-checklist"),
    *("sregym-oracle-state", "sregym-reporter-console", "sregym-server-memcached"),
    *("sregym-cel", "sregym-kubernetes", "sregym-logql", "sregym-promql", "sregym-regex"),
)
PROBLEMS = ("gardener_release_orchard", "larder_limit_pantry")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """A fresh environment with all packages, as wheels."""
    folder = tmp_path_factory.mktemp("third-party")
    # Copies: a build leaves nothing in the tree.
    copies = [str(shutil.copytree(HERE / name, folder / name)) for name in PACKAGES]
    extras = {"sregym-core": "[testing]"}
    return fresh_environment(folder, ("sregym-core", *FOR_EPISODES), extras, *copies)


def test_they_are_found(installed: FreshEnvironment, tmp_path: Path) -> None:
    listed = installed.run("-m", "sregym_core", "plugins", "--json", folder=tmp_path)
    found = [one for one in json.loads(listed.stdout) if one["distribution"].startswith("acme-")]
    assert [one["state"] for one in found] == ["ok"] * 6
    assert {(one["distribution"], *one["components"]) for one in found} == {
        ("acme-audit", "cluster audited"),
        ("acme-gardener", "application orchard", "fault gardener-release"),
        ("acme-gardener", "controller subsystem"),
        ("acme-larder", "application pantry", "fault larder-limit"),
        (
            "acme-larder",
            *("container command larderctl", "log format larder", "protocol larder"),
            *("rules rules.yaml", "server kind larder"),
        ),
        (
            "acme-toolbox",
            *("container command whoasks", "exporter EXPORTER", "protocol parcel"),
            *("rules rules.yaml", "tool set acme-toolbox"),
        ),
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_it_holds_its_contracts(installed: FreshEnvironment, package: str, tmp_path: Path) -> None:
    tests = shutil.copytree(HERE / package / "tests", tmp_path / "tests")
    shutil.copy(HERE / package / "pyproject.toml", tmp_path)
    done = installed.run("-m", "pytest", "-q", str(tests), folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "skipped" not in done.stdout


@pytest.mark.parametrize("problem", PROBLEMS)
def test_its_problem_is_proved(installed: FreshEnvironment, problem: str, tmp_path: Path) -> None:
    done = installed.run("-m", "sregym_core", "verify", problem, folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"{problem}: proved" in done.stdout


def test_episodes_are_played_on_a_cluster_of_somebody_else(
    installed: FreshEnvironment, tmp_path: Path
) -> None:
    agents = ("--agent", "expert", "--agent", "noop")
    cluster = ("--cluster", "audited:file=audit.jsonl")
    words = ("run", "larder_limit_pantry", *agents, *cluster, "--out", "run", "--json")
    done = installed.run("-m", "sregym_core", *words, folder=tmp_path)
    assert done.returncode == 1, done.stdout
    records = map(json.loads, (tmp_path / "run/episodes.jsonl").read_text().splitlines())
    outcomes = {one["agent"]: one["outcome"] for one in records}
    assert outcomes == {"expert": "pass", "noop": "fail"}
    entries = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert any(one["who"] == "larderctl limit 100" for one in entries)
    assert any(one["who"] == "agent" and "limit 100000" in one["what"] for one in entries)
