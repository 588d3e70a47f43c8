"""A fixture for tests that interrupt processes."""

from __future__ import annotations

import signal

import pytest


@pytest.fixture(scope="session", autouse=True)
def signals_are_heard() -> None:
    """In the background (`tox &`, `nohup tox`) all that tests start would ignore signals."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
