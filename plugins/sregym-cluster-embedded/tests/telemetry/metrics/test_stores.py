"""Exporters of datastores: what they count is what callers asked, under all the usual names."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.userland.life import end


def test_operations_have_both_names_and_add_up(booth: Any) -> None:
    new = booth.ask("sum(mongodb_ss_opcounters)")[()]
    assert new > 1000
    assert booth.ask("sum(mongodb_op_counters_total)")[()] == new
    assert booth.ask("sum(mongodb_ss_opLatencies_ops)")[()] == new
    assert booth.ask("sum(mongodb_ss_network_numRequests)")[()] == new
    assert booth.ask('sum(mongodb_ss_opcounters{legacy_op_type="query"})')[()] == new
    assert booth.ask("sum(mongodb_network_bytes_total)")[()] == new * (180 + 420)


def test_latencies_are_those_of_the_history(booth: Any) -> None:
    took = "rate(mongodb_ss_opLatencies_latency[2m])"
    found = booth.ask(f'sum({took}) / sum(rate(mongodb_ss_opLatencies_ops{{op_type="reads"}}[2m]))')
    (flow,) = booth.instances("mongodb")[-1].served[-1].flows
    assert list(found.values()) == [pytest.approx(flow.time.mean_ms * 1000, rel=0.01)]


def test_connections_are_those_that_callers_hold(booth: Any) -> None:
    current = booth.ask('mongodb_ss_connections{conn_type="current"}')
    available = booth.ask('mongodb_ss_connections{conn_type="available"}')
    assert list(current.values()) == [3.0]
    assert list(available.values()) == [838_860 - 3.0]
    assert list(booth.ask('mongodb_ss_connections{conn_type="totalCreated"}').values()) == [3.0]


def test_figures_of_a_server_that_ends_go_with_it(booth: Any) -> None:
    ref = booth.ref("mongodb")
    before = booth.ask("mongodb_ss_uptime")
    end(booth.world, ref, 1)
    booth.run(45)
    assert before
    after = booth.ask("sum(mongodb_ss_opcounters) / sum(mongodb_ss_uptime)")
    assert booth.ask("sum(mongodb_ss_uptime)")[()] < next(iter(before.values()))
    assert all(value < 80 for value in after.values())
