"""Nothing that is measured stays exactly where it is, and no two of a kind are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sregym_cluster_embedded.clock import jitter
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.jitter import About, Unsteady, drift
from sregym_promql import is_stale

MOMENTS = np.arange(0.0, 3600.0, 15.0)


def test_one_moment_and_many_deviate_alike() -> None:
    begin = jitter.place("memory", "web-1")
    many = drift(begin, MOMENTS, 47.0).tolist()
    assert many == [jitter.drift(begin, second, 47.0) for second in MOMENTS.tolist()]
    assert -1 <= min(many) < -0.5
    assert 0.5 < max(many) < 1
    assert abs(sum(many) / len(many)) < 0.2
    assert drift(jitter.place("memory", "web-2"), MOMENTS, 47.0).tolist() != many


def test_an_unsteady_counter_keeps_its_mean_and_never_goes_back() -> None:
    counter = Unsteady(Integral([0.0], [0.4], 3000.0), "cpu", "web-1")
    seconds = np.arange(0.0, 3600.0, 0.5)
    values = counter(seconds)
    assert (np.diff(values) >= 0).all()
    assert values[-1] == 0.4 * 3000
    steps = np.diff(counter(MOMENTS[:200]))
    assert steps.mean() == pytest.approx(0.4 * 15, rel=0.01)
    assert 0.02 < steps.std() / steps.mean() < 0.1
    assert (np.abs(values - 0.4 * np.minimum(seconds, 3000)) <= 0.4 * 2.0).all()


def test_what_is_measured_again_is_about_the_same() -> None:
    took = About(0.002, 0.3, "scrape")(MOMENTS)
    assert 0.0013 < took.min() < 0.0016
    assert 0.0026 < took.max() < 0.004
    assert np.median(took) == pytest.approx(0.002, rel=0.1)
    assert abs(np.corrcoef(took[:-1], took[1:])[0, 1]) < 0.2


def values(booth: Any, name: str, **labels: str) -> list[tuple[float, ...]]:
    return [
        tuple(one.values[~is_stale(one.values)].tolist()) for one in booth.series(name, **labels)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "container_memory_working_set_bytes",
        "node_memory_MemAvailable_bytes",
        "node_memory_Cached_bytes",
        "node_timex_offset_seconds",
        "scrape_duration_seconds",
        "probe_duration_seconds",
    ],
)
def test_gauges_wander_each_in_its_own_way(booth: Any, name: str) -> None:
    labels = {"container": "web"} if name.startswith("container") else {}
    found = [series for series in values(booth, name, **labels) if len(series) >= 10]
    assert len(found) >= 2
    assert len({*found}) == len(found)
    assert all(len({*series}) > len(series) / 2 for series in found)


def test_replicas_use_processors_each_in_its_own_way(booth: Any) -> None:
    booth.run(300)
    found = booth.series("container_cpu_usage_seconds_total", container="web")
    rates = [np.diff(one.values)[-15:] for one in found]
    assert len(rates) == 2
    assert all(0.01 < rate.std() / rate.mean() < 0.15 for rate in rates)
    assert abs(np.corrcoef(*rates)[0, 1]) < 0.9


def test_a_container_at_its_limit_uses_no_more(booth: Any) -> None:
    def tighten(deployment: Any) -> None:
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        container["resources"]["limits"]["cpu"] = "10m"

    booth.edit("Deployment", "web", tighten)
    booth.run(300)
    for pod in booth.pods("web"):
        (series,) = booth.series("container_cpu_usage_seconds_total", pod=pod, container="web")
        (throttled,) = booth.series("container_cpu_cfs_throttled_periods_total", pod=pod)
        rates = np.diff(series.values)[-8:] / 15
        assert (rates <= 0.01 + 1e-9).all()
        assert (rates > 0.0098).all()
        assert (np.diff(throttled.values)[-8:] > 100).all()
