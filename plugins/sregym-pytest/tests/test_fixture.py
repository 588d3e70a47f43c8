"""pytest with the plugin: the fixture plays problems with the options of the marker."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest
from sregym_core.api import EnvironmentClosedError

PROBLEM = "wrong_service_selector_hotel_reservation"
LEFT = []


def idle(session):
    session.submit("Nothing.")


@pytest.mark.sregym(seed=5, mode="diagnosis-only")
def test_options_of_the_marker_count_and_those_of_a_call_more(sregym):
    records = sregym.play(PROBLEM, idle), sregym.play(PROBLEM, idle, seed=6)
    assert [(one.problem, one.seed, one.mode, one.outcome.value) for one in records] == [
        (PROBLEM, 5, "diagnosis-only", "fail"),
        (PROBLEM, 6, "diagnosis-only", "fail"),
    ]


def test_one_is_left_open(sregym):
    LEFT.append(sregym.environment(PROBLEM, seed=5))
    LEFT[0].reset()


def test_it_is_closed_by_now():
    with pytest.raises(EnvironmentClosedError):
        LEFT[0].reset()
"""


def test_episodes_in_tests_of_other_products(tmp_path: Path) -> None:
    (tmp_path / "test_product.py").write_text(TESTS)
    words = ("-p", "sregym_pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", ".")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1].split(" in ")[0] == "3 passed", done.stdout


def test_it_loads_by_itself_where_it_is_installed(tmp_path: Path) -> None:
    environment = {key: text for key, text in os.environ.items() if not key.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--markers"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert [line for line in done.stdout.splitlines() if "sregym" in line] == [
        "@pytest.mark.sregym(**options): options of the episodes of a test, as of "
        "sregym_core.api.Environment: seed, mode, cluster, noise, budget ..."
    ]
