"""A third party's package: built as a wheel, installed beside those of core and kit, found, and run.

Nothing of this repository is on the path there but what these wheels brought.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sregym_testing import FreshEnvironment

ROOT = Path(__file__).resolve().parents[2]
KITS = ("sregym-lint", "sregym-mode-basic", "sregym-testing")
OURS = (
    ROOT / "sregym_core",
    ROOT / "sregym_kubernetes",
    *(ROOT / "plugins" / name for name in KITS),
)
PACKAGE = Path(__file__).parent / "acme-sregym-dns"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> FreshEnvironment:
    """A fresh environment with the wheels and what they require."""
    folder = tmp_path_factory.mktemp("third-party")
    wheels = [build(source, folder / "wheels") for source in (*OURS, PACKAGE)]
    environment = FreshEnvironment.create(folder / "venv")
    core, *others = map(str, wheels)
    environment.install(f"sregym-core[testing] @ file://{core}", *others)
    return environment


def build(source: Path, target: Path) -> Path:
    """Build a wheel from a copy, so that no build leaves anything in the tree."""
    copy = target / "source" / source.name
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__", "dist"))
    before = set(target.glob("*.whl"))
    command = [sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--out-dir", str(target)]
    done = subprocess.run(
        [*command, str(copy)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    (wheel,) = set(target.glob("*.whl")) - before
    return wheel


def test_only_what_is_declared_is_installed(installed: FreshEnvironment) -> None:
    code = "from importlib.metadata import distributions as d; print(*sorted(x.name for x in d()))"
    names = installed.run("-c", code).stdout.split()
    assert [name for name in names if "sregym" in name] == [
        "acme-sregym-dns",
        "sregym-core",
        "sregym-kubernetes",
        "sregym-lint",
        "sregym-mode-basic",
        "sregym-testing",
    ]


def test_is_discovered(installed: FreshEnvironment, tmp_path: Path) -> None:
    listed = installed.run("-m", "sregym_core", "plugins", "--json", folder=tmp_path)
    found = [one for one in json.loads(listed.stdout) if one["name"] != "mode-basic"]
    assert found == [
        {
            "name": "acme-dns",
            "distribution": "acme-sregym-dns",
            "version": "2.4.1",
            "state": "ok",
            "reason": "",
            "hooks": ["sregym_register_injectors", "sregym_register_oracles"],
            "components": ["fault acme-service-alias", "oracle acme-names-inside"],
        }
    ]


def test_its_fault_is_listed(installed: FreshEnvironment, tmp_path: Path) -> None:
    code = "from sregym_core.api import Workspace; registry = Workspace().factory.registry; "
    code += (
        "print(*((name, registry.load('fault', name).layer) for name in registry.names('fault')))"
    )
    listed = installed.run("-c", code, folder=tmp_path)
    assert listed.stdout == "('acme-service-alias', 'network')\n"


def test_it_holds_its_contract(installed: FreshEnvironment, tmp_path: Path) -> None:
    tests = shutil.copytree(PACKAGE / "tests", tmp_path / "tests")
    shutil.copy(PACKAGE / "pyproject.toml", tmp_path)
    done = installed.run("-m", "pytest", str(tests), folder=tmp_path)
    assert done.returncode == 0, done.stdout
    # Without a judge of diagnoses nobody tells what its truths are worth.
    assert done.stdout.splitlines()[-1].split(" in ")[0].strip("= ") == "43 passed, 4 skipped"
