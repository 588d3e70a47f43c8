"""A plugin of pytest: what has not begun some seconds after the first test is left out, and counted."""

from __future__ import annotations

import time

import pytest

BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seconds", type=float, help="after which no test begins")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Say that a test was dealt with when the time is over."""
    seconds = item.config.getoption("--seconds")
    now = time.monotonic()
    began = item.config.stash.setdefault(BEGAN, now)
    return True if seconds is not None and now > began + seconds else None


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
