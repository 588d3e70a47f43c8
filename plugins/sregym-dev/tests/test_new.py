"""`sregym new` writes packages that install alone and pass their contract tests."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sregym_core.errors import ExitCode, UsageError
from sregym_dev.package import KINDS, Package
from sregym_testing import FreshEnvironment, install_arguments

HOOKS = {
    "app": "sregym_register_applications",
    "injector": "sregym_register_injectors",
    "noise": "sregym_register_noise_sources",
    "oracle": "sregym_register_oracles",
    "agent": "sregym_register_agents",
    "mode": "sregym_register_modes",
    "cluster": "sregym_register_clusters",
    "reporter": "sregym_register_reporters",
    "reward": "sregym_register_rewards",
    "runner": "sregym_register_runners",
    "observer": "sregym_episode_event",
    "command": "sregym_register_commands",
    "problems": "sregym_register_problems",
}
COMPONENTS = {
    "app": "application acme-dns",
    "injector": "fault acme-dns",
    "noise": "noise source acme-dns",
    "oracle": "oracle acme-dns",
    "agent": "agent acme-dns",
    "mode": "mode acme-dns",
    "cluster": "cluster acme-dns",
    "reporter": "reporter acme-dns",
    "reward": "reward acme-dns",
    "runner": "runner acme-dns",
    "command": "command acme-dns",
}
# What is added to simulated clusters has no hooks, and several components.
EXTENSIONS = {
    "server": [
        "container command acme-dns-cli",
        "protocol acme-dns",
        "server kind acme-dns",
    ],
    "operator": ["controller subsystem"],
    "container-command": ["container command acme-dns"],
    "exporter": ["exporter EXPORTER", "rules rules.yaml"],
    "protocol": ["protocol acme-dns"],
}
# What the embedded cluster is made of besides.
LIBRARIES = ("sregym-cel", "sregym-logql", "sregym-promql", "sregym-regex")
# What a package of this kind requires beside the core.
NEEDS = {
    "app": ("sregym-apps",),
    "injector": ("sregym-oracles", "sregym-oracle-checklist"),
    "problems": (
        *("sregym-apps", "sregym-injectors", "sregym-oracles", "sregym-app-deathstarbench"),
        *("sregym-injector-kubernetes", "sregym-oracle-checklist", "sregym-oracle-state"),
    ),
    "runner": (
        *("sregym-agent-baselines", "sregym-app-deathstarbench", "sregym-cluster-embedded"),
        *("sregym-injector-kubernetes", "sregym-oracle-checklist", "sregym-oracle-state"),
        *("sregym-server-consul", "sregym-server-memcached", "sregym-server-mongodb"),
        *LIBRARIES,
    ),
    **dict.fromkeys(EXTENSIONS, ("sregym-apps", "sregym-cluster-embedded", *LIBRARIES)),
}


@pytest.fixture(scope="module")
def environments(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[tuple[str, ...]], FreshEnvironment]:
    """One for each set of what is needed beside the core."""

    @cache
    def made(needs: tuple[str, ...]) -> FreshEnvironment:
        environment = FreshEnvironment.create(tmp_path_factory.mktemp("environment") / "venv")
        toolkit = [word for name in needs for word in install_arguments(name)]
        core = [*install_arguments("sregym-core", "testing"), *install_arguments("sregym-testing")]
        core += [*install_arguments("sregym-kubernetes"), *install_arguments("sregym-lint")]
        # Older versions of pip find a folder with extras for those only that come after it.
        environment.install(*core, *toolkit)
        return environment

    return made


def _of_same_needs() -> dict[tuple[str, ...], list[str]]:
    """The kinds by what their packages need: those of one set share an environment and a run.

    But those that are added to simulated clusters: a cluster has all that are installed.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for kind in KINDS:
        apart = (kind,) if kind in EXTENSIONS else ()
        found.setdefault((*NEEDS.get(kind, ()), *apart), []).append(kind)
    return found


def _name(kind: str) -> str:
    """Two kinds of components may not offer one name in one environment."""
    return "acme-dns" if kind in EXTENSIONS else f"acme-{kind}"


def _settings(folder: Path) -> Any:
    return tomllib.loads((folder / "pyproject.toml").read_text())["tool"]["pytest"]


@pytest.mark.parametrize("kinds", _of_same_needs().values(), ids="-".join)
def test_generated_packages_hold_their_contracts_alone(
    environments: Callable[[tuple[str, ...]], FreshEnvironment],
    kinds: list[str],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    """Beside none but packages of other kinds that need the same."""
    folders = [Package(kind, _name(kind)).write(tmp_path) for kind in kinds]
    environment = environments(NEEDS.get(kinds[0], ()))
    environment.install(*(word for folder in folders for word in ("--editable", str(folder))))
    names = [folder.name for folder in folders]
    request.addfinalizer(lambda: environment.remove(*names))
    # pytest reads the settings of the first alone.
    assert [_settings(folder) for folder in folders] == [_settings(folders[0])] * len(folders)
    first = ("-c", str(folders[0] / "pyproject.toml"), "--rootdir", str(tmp_path))
    tests = environment.run("-m", "pytest", "-q", "-rA", *first, *names, folder=tmp_path)
    assert tests.returncode == 0, tests.stdout
    assert "skipped" not in tests.stdout
    passed = re.findall(r"^PASSED ([^/]+)/tests/", tests.stdout, re.MULTILINE)
    assert sorted(set(passed)) == sorted(names)
    listed = environment.run("-m", "sregym_core", "plugins", "--json", folder=tmp_path)
    mine = [one for one in json.loads(listed.stdout) if one["distribution"] in names]
    assert sorted(mine, key=lambda one: kinds.index(one["name"].partition("-acme-")[0])) == [
        {
            "name": f"{kind}-{_name(kind)}",
            "distribution": f"sregym-{kind}-{_name(kind)}",
            "version": "0.1.0",
            "state": "ok",
            "reason": "",
            "hooks": [HOOKS[kind]] if kind in HOOKS else [],
            "components": [
                words.replace("acme-dns", _name(kind))
                for words in EXTENSIONS.get(kind, [COMPONENTS[kind]] if kind in COMPONENTS else [])
            ],
        }
        for kind in kinds
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_files_of_a_plugin(kind: str) -> None:
    package = Package(kind, "acme-dns")
    names = {name for name, _ in package.files()}
    module = f"src/{package.module}"
    assert names >= {
        "README.md",
        "changelog.d/+first.added.md",
        "pyproject.toml",
        f"{module}/__init__.py",
        f"{module}/plugin.py",
        f"{module}/py.typed",
        "tests/test_contract.py",
    }


def test_command_says_what_comes_next(sregym_project) -> None:
    project = sregym_project()
    outcome = project.run("new", "agent", "acme-dns", "--folder", "made").assert_success()
    folder = "made/sregym-agent-acme-dns"
    assert outcome.out == (
        f"{folder}\n"
        "  README.md\n"
        "  changelog.d/+first.added.md\n"
        "  pyproject.toml\n"
        "  src/sregym_agent_acme_dns/__init__.py\n"
        "  src/sregym_agent_acme_dns/agent.py\n"
        "  src/sregym_agent_acme_dns/plugin.py\n"
        "  src/sregym_agent_acme_dns/py.typed\n"
        "  tests/test_agent.py\n"
        "  tests/test_contract.py\n"
        "\n"
        "Next:\n"
        f"  pip install -e {folder} 'sregym-core[testing]'\n"
        "  sregym plugins\n"
        f"  pytest {folder}\n"
    )


def test_existing_folder_is_left_alone(sregym_project) -> None:
    project = sregym_project({"sregym-agent-acme-dns/mine.txt": "precious"})
    outcome = project.run("new", "agent", "acme-dns").assert_exit(ExitCode.USAGE)
    assert (outcome.out, outcome.err) == (
        "",
        "sregym: sregym-agent-acme-dns is there already; choose another name or --folder\n",
    )


def test_folder_that_cannot_be_made(sregym_project) -> None:
    project = sregym_project({"file": ""})
    outcome = project.run("new", "agent", "acme-dns", "--folder", "file")
    outcome.assert_exit(ExitCode.USAGE)
    assert outcome.err == "sregym: file/sregym-agent-acme-dns cannot be made: Not a directory\n"


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (
            "injectr",
            "acme-dns",
            "no kind of plugin named 'injectr'; did you mean 'injector'?"
            " Known: app, injector, noise, oracle, agent, mode, cluster, reporter, reward, runner, "
            "observer, command, problems, server, operator, container-command, exporter, protocol",
        ),
        (
            "operater",
            "acme-dns",
            "no kind of plugin named 'operater'; did you mean 'operator'?"
            " Known: app, injector, noise, oracle, agent, mode, cluster, reporter, reward, runner, "
            "observer, command, problems, server, operator, container-command, exporter, protocol",
        ),
        (
            "xyz",
            "acme-dns",
            "no kind of plugin named 'xyz'. Known: app, injector, noise, oracle, agent, mode, cluster, "
            "reporter, reward, runner, observer, command, problems, server, operator, "
            "container-command, exporter, protocol",
        ),
        (
            "container-command",
            "yield",
            "'yield' is a word of Python; choose another name: acme-yield",
        ),
        (
            "agent",
            "Acme_DNS",
            "'Acme_DNS' cannot name a plugin; use lower-case words and hyphens: acme-dns",
        ),
    ],
)
def test_bad_input(kind: str, name: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Package(kind, name)
    assert str(caught.value) == message
