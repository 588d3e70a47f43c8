"""Questions about more lines than a querier holds are refused before any line is rendered."""

from __future__ import annotations

import pytest
from sregym_apps.model import Line, ServiceProgram
from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, ContainerRef
from sregym_cluster_embedded.telemetry.loki.storage import WorldLogs
from sregym_cluster_embedded.traffic.segments import SERVED, LineStream, note
from sregym_cluster_embedded.userland.process import Process, save
from sregym_cluster_embedded.world import SimulationSpec, World
from sregym_logql import Engine, LogqlError

NS = 1_000_000_000


def chatty() -> World:
    """One container that writes 10,000 lines a second, for an hour."""
    world = World(SimulationSpec(), 0, 1_795_000_000)
    ref = ContainerRef("shop", "web", "uid", "main", 0)
    config = ContainerConfig(ref, "i", None, None, {}, None, {}, None, None, "n", "10.0.0.1", "web")
    save(world, Process(config, ("web",), {}, "/", "web", {}, 0.0, behaviour=ServiceProgram()))
    note(world, SERVED, ref, (), (LineStream("buy", 0, 10_000.0, Line(text="x"), ()),))
    world.run_until(3600.0)
    return world


def test_too_many_bytes() -> None:
    world = chatty()
    end = (world.epoch + 3600) * NS
    engine = Engine(WorldLogs(world))
    with pytest.raises(LogqlError) as caught:
        engine.instant('sum(count_over_time({app="web"}[1h]))', end)
    assert str(caught.value) == (
        "the query would read too many bytes (query: 7200 MB, limit: 400 MB); consider adding "
        "more specific stream selectors or reduce the time range of the query"
    )


def test_few_lines_of_many_are_found_all_the_same() -> None:
    world = chatty()
    end = (world.epoch + 3600) * NS
    answer = Engine(WorldLogs(world)).instant('sum(count_over_time({app="web"}[1s]))', end)
    assert [round(value / 10_000, 2) for _, value in answer.rows] == [1.0]
