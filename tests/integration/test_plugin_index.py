"""Results of contracts that the index of plugins tells are those that the tests of the plugins give."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest
from sregym_index.contract import held
from sregym_index.index_reader import Reader

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
TOLD = {
    entry.distribution: entry.contract
    for entry in Reader(None, print).read("")[0].plugins
    if entry.contract is not None and (PLUGINS / entry.distribution).is_dir()
}
# The cheapest of them; the others take from some seconds to a minute each.
FIRST = "sregym-observer-log"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == FIRST else [pytest.mark.thorough])
        for name in sorted({*TOLD, FIRST})
    ],
)
def test_the_result_of_a_contract_is_what_its_tests_give(name: str) -> None:
    result, end = held(name, version(name), PLUGINS / name / "tests", None)
    assert result == TOLD.get(name), end
