"""Labels are told without samples, and are those of the series that have some."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.telemetry.promql import Matcher
from sregym_cluster_embedded.telemetry.promql.data import is_stale, value_of

EVERYTHING = [Matcher("__name__", "=~", ".+")]


@pytest.mark.parametrize("begin_s", [-20.0, 20.0])
def test_labels_of_a_span_are_those_of_its_series(booth: Any, begin_s: float) -> None:
    moment = booth.world.now
    booth.edit("Deployment", "web", lambda obj: obj["spec"].update(replicas=3))
    booth.run(12)
    for pod in booth.pods("stock"):
        booth.delete("pods", pod)
    booth.run(60)
    start = round((booth.world.epoch + moment + begin_s) * 1000)
    for length_s in (2, 31):
        end = start + length_s * 1000
        survey = Survey(booth.world, start, end)
        expected = {
            series.labels
            for series in WorldStorage(booth.world).select(EVERYTHING, start, end)
            if not is_stale(series.values).all()
        }
        assert survey.labels(EVERYTHING) == expected
        assert survey.label_names([]) == {name for one in expected for name, _ in one}
        assert survey.metrics() == {value_of(one, "__name__") for one in expected}
        for name in ("pod", "namespace", "le", "nothing"):
            assert survey.values(name, []) == {value_of(one, name) for one in expected}
        web = [Matcher("namespace", "=", "booth"), Matcher("pod", "=~", "web.*")]
        of_web = {one for one in expected if value_of(one, "pod").startswith("web")}
        assert survey.labels(web) == {
            one for one in of_web if value_of(one, "namespace") == "booth"
        }
