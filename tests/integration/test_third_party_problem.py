"""A problem file of somebody else's plugin with a mistake in it: file, line, field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sregym_core.errors import ExitCode
from sregym_testing import SregymProject

PLUGIN = """\
from __future__ import annotations

from pathlib import Path

from sregym_core import hookimpl


@hookimpl
def sregym_register_problems():
    return [Path(__file__).parent / "problems"]
"""
GOOD = """\
id: acme_port
title: A port of ours
application: hotel-reservation
layer: kubernetes
faults:
  - fault: service-target-port
    target: memcached-rate
oracles:
  diagnosis: [checklist]
  mitigation: [state]
"""


@pytest.fixture
def project(sregym_project: Callable[..., SregymProject]) -> SregymProject:
    """Beside what is installed, the distribution `acme-problems 1.2`, found by its metadata."""
    made = sregym_project(
        {
            "site/acme_problems/__init__.py": PLUGIN,
            "site/acme_problems/problems/port.yaml": GOOD,
            "site/acme_problems-1.2.dist-info/METADATA": (
                "Metadata-Version: 2.1\nName: acme-problems\nVersion: 1.2\n"
            ),
            "site/acme_problems-1.2.dist-info/entry_points.txt": (
                "[sregym]\nacme-problems = acme_problems\n"
            ),
        }
    )
    made.environment["PYTHONPATH"] = str(made.folder / "site")
    return made


def _file(project: SregymProject) -> Path:
    return project.folder / "site/acme_problems/problems/port.yaml"


def test_it_is_listed_beside_ours(project: SregymProject) -> None:
    listed = project.run("problems", "--json").assert_success().json()
    ours = project.run("problems", "--json", env={"PYTHONPATH": ""}).assert_success().json()
    assert listed[0]["id"] == "acme_port"
    assert listed[1:] == ours


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("title: A port of ours\n", ""), "line 1, field 'title': missing"),
        (
            ("    target: memcached-rate\n", "    targt: memcached-rate\n"),
            "line 6, field 'faults[0].target': missing; line 7, field 'faults[0].targt': "
            "unknown; did you mean 'target'?\n",
        ),
        (("id: acme_port", "id: [acme"), "line 2: not YAML: "),
        ((GOOD, "- a list\n"), "line 1: a problem is a mapping of fields; this is none"),
    ],
)
def test_mistakes_name_file_line_and_field(
    project: SregymProject, change: tuple[str, str], message: str
) -> None:
    file = _file(project)
    file.write_text(GOOD.replace(*change))
    done = project.run("problems").assert_success()
    assert "acme_port" not in done.out
    place = f"left out: {file} (acme-problems 1.2)"
    assert done.err.startswith(f"{place}, {message}")
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("memcached-rate", "memcached-rates"),
            "problem 'acme_port': no component named 'memcached-rates'; did you mean 'memcached-rate'",
        ),
        (
            ("memcached-rate", "hotel-load"),
            "problem 'acme_port': fault 'service-target-port' does not fit component 'hotel-load': "
            "it is the load generator, which stands for users; it fits consul, frontend, jaeger, memcached-profile, "
            "memcached-rate, memcached-reserve, mongodb-geo, mongodb-profile, mongodb-rate, "
            "mongodb-recommendation, mongodb-reservation, mongodb-user",
        ),
        (("service-target-port", "service-target-prot"), "no fault named 'service-target-prot'"),
        (("hotel-reservation", "hotel-reservations"), "no application named 'hotel-reservations'"),
    ],
)
def test_a_problem_that_cannot_be_played_is_refused_before_the_run(
    project: SregymProject, change: tuple[str, str], message: str
) -> None:
    _file(project).write_text(GOOD.replace(*change))
    done = project.run("run", "acme_port", "--agent", "noop", "--out", "run")
    assert (done.exit_code, done.out) == (ExitCode.USAGE, "")
    assert done.err.startswith(f"sregym: {message}")
    assert not (project.folder / "run").exists()


def test_a_file_is_shown_and_put_up_as_an_installed_problem_is(
    sregym_project: Callable[..., SregymProject],
) -> None:
    project = sregym_project({"port.yaml": GOOD})
    shown = project.run("show", "port.yaml", "--json").assert_success().json()
    assert (shown["id"], shown["plugin"]) == ("acme_port", None)
    words = ("up", "port.yaml", "--json", "--seed", "3", "--wall-seconds", "1")
    ready, verdict = project.run(*words).out.splitlines()
    assert "instruction" in json.loads(ready)
    assert json.loads(verdict)["outcome"] == "fail"


def test_problems_whose_packages_are_missing_are_told_with_what_to_install(
    project: SregymProject,
) -> None:
    _file(project).write_text(
        GOOD.replace("layer:", "suites: [acme]\nlayer:")
        .replace("service-target-port", "spike")
        .replace("memcached-rate", "hotel-load")
    )
    parts = "acme-problems,app-deathstarbench,cluster-embedded,oracle-checklist,oracle-state,catalogue,dev,runs"
    lacking = {**project.environment, "SREGYM_PLUGINS": parts}
    told = (
        "1 of 1 problems cannot be played without packages that are not installed: "
        "pip install sregym-injector-load"
    )
    listed = project.run("problems", "--suite", "acme", env=lacking).assert_success()
    assert listed.err == f"{told}\n"
    done = project.run("verify", "--suite", "acme", env=lacking)
    assert (done.exit_code, done.err) == (ExitCode.USAGE, f"sregym: suite 'acme': {told}\n")
    done = project.run("lint", "acme-problems", env=lacking)
    assert (done.exit_code, done.out, done.err) == (ExitCode.DONE, "", "1 place: no defects\n")
