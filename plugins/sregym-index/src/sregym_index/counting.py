"""A pytest plugin: counts tests of contracts, and writes what came of them.

Loaded by name in the process that runs a plugin's tests (`-p sregym_index.counting`); the file to
write to is an option of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

_SUFFIX = "Contract"
_KIT = ("sregym_core.", "sregym_testing.", "sregym_cluster_embedded.")


class Counting:
    """Which tests belong to a contract, and which of them passed."""

    def __init__(self) -> None:
        self.contracts: set[str] = set()
        self.distributions: set[str] = set()
        self.outcomes: dict[str, str] = {}

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Look at the class of a test."""
        found = contracts_of(getattr(item, "cls", None))
        if found:
            self.contracts |= found
            self.outcomes[item.nodeid] = "missing"
            self.distributions.add(str(getattr(item.cls, "distribution", "")))  # type: ignore[attr-defined]

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Other tests of the plugin are left out."""
        others = [item for item in items if item.nodeid not in self.outcomes]
        items[:] = [item for item in items if item.nodeid in self.outcomes]
        if others:
            config.hook.pytest_deselected(items=others)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test passed when its call did, and neither set-up nor tear-down failed."""
        if report.nodeid in self.outcomes and (report.when == "call" or not report.passed):
            self.outcomes[report.nodeid] = report.outcome

    def as_json(self) -> str:
        """For the process that asked."""
        passed = sum(outcome == "passed" for outcome in self.outcomes.values())
        return json.dumps(
            {
                "contracts": sorted(self.contracts),
                "distributions": sorted(self.distributions - {""}),
                "passed": passed,
                "failed": len(self.outcomes) - passed,
            }
        )


def contracts_of(cls: Any) -> set[str]:
    """Names of the contracts of the kits that a class of tests derives from."""
    return {
        base.__name__
        for base in getattr(cls, "__mro__", ())
        if base.__name__.endswith(_SUFFIX) and base.__module__.startswith(_KIT)
    }


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where to write."""
    parser.addoption("--contract-result", metavar="FILE", help="what came of tests of contracts")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to count."""
    config.pluginmanager.register(Counting(), "sregym-index-counting-results")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write what was counted."""
    counted = config.pluginmanager.get_plugin("sregym-index-counting-results")
    file = config.getoption("--contract-result", default=None)
    if file and isinstance(counted, Counting):
        Path(file).write_text(counted.as_json(), encoding="utf-8")
