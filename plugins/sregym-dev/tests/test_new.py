"""`sregym new` writes packages that install alone and pass their contract tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sregym_core.errors import ExitCode, UsageError
from sregym_core.testing import FreshEnvironment, same_as_here
from sregym_dev.package import KINDS, Package

HOOKS = {
    "app": "sregym_register_applications",
    "injector": "sregym_register_injectors",
    "noise": "sregym_register_noise_sources",
    "oracle": "sregym_register_oracles",
    "agent": "sregym_register_agents",
}
COMPONENTS = {
    "app": "application acme-dns",
    "injector": "fault acme-dns",
    "noise": "noise source acme-dns",
    "oracle": "oracle acme-dns",
    "agent": "agent acme-dns",
}


@pytest.mark.parametrize("kind", KINDS)
def test_generated_package_holds_its_contract_alone(kind: str, tmp_path: Path) -> None:
    folder = Package(kind, "acme-dns").write(tmp_path)
    environment = FreshEnvironment.create(tmp_path / "venv")
    toolkit = same_as_here("sregym-apps") if kind == "app" else []
    core = same_as_here("sregym-core", "testing")
    # Older versions of pip find a folder with extras for those only that come after it.
    environment.install(*core, *toolkit, "--editable", str(folder))
    tests = environment.run("-m", "pytest", "-q", ".", folder=folder)
    assert tests.returncode == 0, tests.stdout
    assert "skipped" not in tests.stdout
    listed = environment.run("-m", "sregym_core", "plugins", "--json", folder=tmp_path)
    assert json.loads(listed.stdout) == [
        {
            "name": f"{kind}-acme-dns",
            "distribution": f"sregym-{kind}-acme-dns",
            "version": "0.1.0",
            "state": "ok",
            "reason": "",
            "hooks": [HOOKS[kind]],
            "components": [COMPONENTS[kind]],
        }
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_files_of_a_plugin(kind: str) -> None:
    names = {name for name, _ in Package(kind, "acme-dns").files()}
    module = f"src/sregym_{kind}_acme_dns"
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
            " Known: app, injector, noise, oracle, agent",
        ),
        (
            "xyz",
            "acme-dns",
            "no kind of plugin named 'xyz'. Known: app, injector, noise, oracle, agent",
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
