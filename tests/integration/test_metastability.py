"""The benchmark of metastability shows what the page about it tells."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def metastability() -> ModuleType:
    path = ROOT / "benchmarks" / "metastability.py"
    spec = importlib.util.spec_from_file_location("metastability", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["metastability"] = module
    spec.loader.exec_module(module)
    return module


def test_eager_retries_stay_down_and_patient_ones_recover(metastability: ModuleType) -> None:
    eager = metastability.run(metastability.EAGER)
    patient = metastability.run(metastability.PATIENT)
    # Two hundred a second, as chance has it.
    for before in (eager[:55], patient[:55]):
        assert sum(seen.requests for seen in before) == pytest.approx(55 * 200, rel=0.04)
        assert [seen.ok for seen in before] == [seen.requests for seen in before]
    assert sum(seen.ok for seen in eager[120:]) < 480 * 200 * 0.001
    assert [seen.ok for seen in patient[120:]] == [seen.requests for seen in patient[120:]]
    assert sum(seen.ok for seen in patient[120:]) == pytest.approx(480 * 200, rel=0.02)


def test_the_picture_of_the_page_is_that_of_the_command(metastability: ModuleType) -> None:
    runs = {
        str(policy): metastability.run(policy)
        for policy in (metastability.EAGER, metastability.PATIENT)
    }
    page = ROOT / "docs" / "explanation" / "images" / "metastability.svg"
    assert page.read_text() == metastability.picture(runs)
