"""Probes by command: run when something may have changed that they see, not each period for months."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.store import Key


def probed(make_market: Any, script: str) -> Any:
    probe = {"exec": {"command": ["sh", "-c", script]}, "periodSeconds": 5, "failureThreshold": 1}
    return make_market(limits={"web": {"readinessProbe": probe}}, tools=("busybox", "nc"))


def ready(market: Any) -> int:
    found = market.world.store.get(Key("deployments.apps", "default", "web"))
    return int(found["status"].get("readyReplicas", 0))


def processes_so_far(market: Any) -> int:
    """The number that the next process in the container gets."""
    return int(market.shell("web", "echo $$")[1])


@pytest.fixture(scope="module")
def market(make_market: Any) -> Any:
    return probed(make_market, "test ! -e /tmp/away")


def test_what_changes_nothing_is_not_looked_at_again(market: Any) -> None:
    own = market.fork()
    before = processes_so_far(own)
    own.run(3600)
    assert ready(own) == 1
    assert processes_so_far(own) - before < 40  # of 720 periods


def test_a_file_that_a_command_writes_is_seen_within_a_period(market: Any) -> None:
    own = market.fork()
    own.run(600)
    own.shell("web", "touch /tmp/away")
    own.run(11)
    assert ready(own) == 0
    own.shell("web", "rm /tmp/away")
    own.run(11)
    assert ready(own) == 1


def test_what_looks_at_others_is_looked_at_each_period(make_market: Any) -> None:
    own = probed(make_market, "nc -z -w 1 stock 8080")
    assert ready(own) == 1
    own.run(600)
    own.scale("stock", 0)
    own.run(45)
    assert ready(own) == 0
