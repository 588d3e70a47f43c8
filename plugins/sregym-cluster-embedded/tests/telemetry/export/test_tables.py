"""Rows of a world are what its metrics and logs are elsewhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.export.tables import TABLES, Period
from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.world import World
from sregym_promql import Engine, instant_data

METRICS, LOGS, TRACES = TABLES


@pytest.fixture(scope="module")
def world() -> World:
    """Five minutes of a cluster that nothing was deployed to."""
    built = build(Blueprint(seed=5))
    built.run_until(built.now + 300)
    return built


def test_each_table_has_its_columns(world: World) -> None:
    for table in TABLES:
        for batch in table.rows(world, Period(0.0, world.now)):
            assert len(batch) == len(table.columns)
            assert len({len(values) for values in batch}) == 1


def test_metrics_are_the_samples_of_scrapes(world: World) -> None:
    until = world.epoch + world.now
    batches = list(METRICS.rows(world, Period(0.0, world.now)))
    for times, *_ in batches:
        assert {later - earlier for earlier, later in pairwise(times)} <= {15_000_000_000}
        assert world.epoch * 10**9 <= times[0] <= times[-1] <= until * 10**9
    told = Engine(WorldStorage(world)).instant("count({__name__=~'.+'})", until)
    (row,) = instant_data(told, round(until * 1000))["result"]
    fresh = [times for times, *_ in batches if times[-1] > (until - 15) * 10**9]
    # Of series that have ended nothing is told any more.
    assert str(len(fresh)) == row["value"][1]


def test_a_period_is_a_part_of_the_whole(world: World) -> None:
    whole = sum(len(batch[0]) for batch in METRICS.rows(world, Period(0.0, world.now)))
    half = world.now / 2
    first = sum(len(batch[0]) for batch in METRICS.rows(world, Period(0.0, half)))
    second = sum(len(batch[0]) for batch in METRICS.rows(world, Period(half + 0.001, world.now)))
    assert whole == first + second


def test_logs_are_all_lines(world: World) -> None:
    streams = WorldLogs(world).select([], *WorldLogs(world).span_ns())
    assert list(LOGS.rows(world, Period(0.0, world.now))) == [
        [
            [entry.at_ns for entry in stream.entries],
            [dict(stream.labels)] * len(stream.entries),
            [entry.line for entry in stream.entries],
        ]
        for stream in streams
    ]


def test_no_collector_no_traces(world: World) -> None:
    assert list(TRACES.rows(world, Period(0.0, world.now))) == []
