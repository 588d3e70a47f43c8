"""What `sregym new` writes has the style of this repository."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sregym_dev.package import KINDS, Package
from workspace import ROOT


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", [("check",), ("format", "--check")], ids=" ".join)
def test_generated_packages_are_clean(kind: str, words: tuple[str, ...], tmp_path: Path) -> None:
    folder = Package(kind, "acme-dns").write(tmp_path / "plugins")
    config = ROOT / "pyproject.toml"
    command = [sys.executable, "-m", "ruff", *words, "--no-cache", "--config", str(config)]
    done = subprocess.run(
        [*command, str(folder)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_page_of_promised_names_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "simulation_page.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
