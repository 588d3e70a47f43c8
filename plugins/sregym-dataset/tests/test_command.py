"""`sregym export dataset` as people call it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

Project = Callable[..., SregymProject]
PROBLEM = "missing_service_hotel_reservation"


def test_cases_that_are_there_are_left_as_they_are(sregym_project: Project) -> None:
    labels = f"dataset/cases/{PROBLEM}-s0/labels.json"
    project = sregym_project({labels: "{}"})
    done = project.run("export", "dataset", PROBLEM, "--json").assert_success()
    assert done.json() == {
        "dataset": "dataset",
        "written": [f"{PROBLEM}-s0"],
        "failed": {},
        "cases": 1,
    }
    assert (project.folder / labels).read_text() == "{}"
    sheet = (project.folder / "dataset/README.md").read_text()
    assert "1 case of 1 problem" in sheet
    assert "{columns}" not in sheet


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (PROBLEM, "--out", "file"),
            "folder 'file' cannot be written: Not a directory; choose another with --out",
        ),
        (
            (PROBLEM, "--minutes", "0"),
            "argument --minutes: a number of minutes above 0 is needed, not '0' (see: sregym "
            "export dataset --help)",
        ),
    ],
)
def test_refusals(sregym_project: Project, words: tuple[str, ...], message: str) -> None:
    done = sregym_project({"file": ""}).run("export", "dataset", *words)
    assert (done.exit_code, done.out, done.err) == (ExitCode.USAGE, "", f"sregym: {message}\n")
