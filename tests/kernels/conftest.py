"""Agents on this machine, stores from Debian, and what has to be there for them.

What cannot run here is skipped with its reason; the reasons are printed and counted at the end.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sregym_nodes.remote import NodeAgent
from sregym_nodes.transports import Local

sys.path.insert(0, str(Path(__file__).parent))

from real.needing import SYSTEM, leftovers, needs
from real.stores import Postgres, Redis, postgres_programs


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = Counter(
        str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", ())
    )
    for reason, count in sorted(skipped.items()):
        terminalreporter.write_line(f"not run here: {count} x {reason}")
    passed = len(terminalreporter.stats.get("passed", ()))
    terminalreporter.write_line(
        f"on real kernels: {passed} passed, {skipped.total()} could not run"
    )


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[NodeAgent]:
    """An agent on this machine with a journal of its own; nothing is left of it afterwards."""
    needs("strace")
    made = NodeAgent("here", Local(SYSTEM), "harness-1", folder=str(tmp_path / "nodectl"))
    yield made
    made.ask("undo", {"all": True})
    assert made.changes() == ()
    assert leftovers(str(tmp_path)) == []


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    needs("redis-server", "redis-cli")
    with Redis(tmp_path / "redis") as store:
        yield store


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `initdb` made, with a table of some megabytes."""
    needs()
    if postgres_programs() is None:
        pytest.skip("needs the program postgres")
    with Postgres(tmp_path_factory.mktemp("pg")) as store:
        rows = "select g as n, repeat('x', 500) as s from generate_series(1, 5000) g"
        store.ask(f"create table t as {rows}")
        store.ask("checkpoint")
    return store.data


@pytest.fixture
def postgres(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgres]:
    with Postgres(tmp_path_factory.mktemp("pg"), prepared) as store:
        yield store
