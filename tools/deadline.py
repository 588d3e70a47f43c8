"""A plugin of pytest: what has not begun at some moment is left out, and counted.

However long it took to read the tests, some seconds are left for the nearest of them.
"""

from __future__ import annotations

import time

import pytest

BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=float, help="no test begins after it, in seconds of the epoch")
    parser.addoption("--least", type=float, default=0, help="seconds for tests all the same (0)")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Say that a test was dealt with when the time is over."""
    until, least = item.config.getoption("--until"), item.config.getoption("--least")
    now = time.time()
    began = item.config.stash.setdefault(BEGAN, now)
    return True if until is not None and now > max(until, began + least) else None


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Counting(), "counting of tests that ran")


class Counting:
    """Counts tests that ran, in whatever process."""

    def __init__(self) -> None:
        self._ran: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._ran.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._left = session.testscollected - len(self._ran)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._left > 0:
            word = f"{self._left} of {self._left + len(self._ran)} tests left out: no time left"
            terminalreporter.write_line(f"{word}; `tox` runs them")
