"""The gate lets the cluster pass as it is, and stops one in which something is broken."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FLOOR = "98"


def gate(program: str, *arguments: str) -> tuple[int, int, int]:
    """Exit code, answers that match, and all."""
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments, "--at-least", FLOOR, "--json"],
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    counts = json.loads(done.stdout)
    return done.returncode, counts["matched"], counts["total"]


@pytest.mark.parametrize(
    ("scenario", "defect"),
    [
        ("endpoints-ready", "no-endpoints"),
        ("min-deployment", "no-deployments"),
        ("notfound", "misspelt"),
    ],
)
def test_a_defect_is_stopped(scenario: str, defect: str) -> None:
    code, matched, total = gate("run.py", "--scenario", scenario)
    assert (code, matched) == (0, total)
    code, fewer, same = gate("faulty.py", defect, "--scenario", scenario)
    assert (code, same) == (1, total)
    assert fewer < matched


def test_the_floor_is_that_of_the_default_run() -> None:
    settings = (HERE.parents[1] / "tox.ini").read_text(encoding="utf-8")
    assert f"run.py {{posargs:--at-least {FLOOR} --twins 3}}" in settings
    default = settings.partition("env_list = ")[2].partition("\n")[0]
    assert "conformance" in default.split(", ")
