"""Labels are told without samples, and are those of the series that have some."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.series_cache import targets
from sregym_cluster_embedded.telemetry.metrics.storage import WorldStorage
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.telemetry.metrics.view import view_of
from sregym_cluster_embedded.userland.kinds import with_in_tree
from sregym_promql import Matcher
from sregym_promql.storage import is_stale, value_of

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


def test_series_that_are_alike_have_the_same_labels(booth: Any) -> None:
    view = view_of(booth.world)
    for sample, exporter in Catalogue(with_in_tree()).by_sample.items():
        if exporter.alike(sample):
            rows = [
                row
                for target in targets(view, exporter)
                for part in exporter.parts(view, target, sample)
                for row in part.rows()
            ]
            assert len({frozenset(name for name, _ in row.labels) for row in rows}) <= 1, sample
    alike = {
        sample for sample, one in Catalogue(with_in_tree()).by_sample.items() if one.alike(sample)
    }
    assert {"kube_pod_info", "apiserver_request_total", "node_cpu_seconds_total"} <= alike
    assert alike.isdisjoint({"kube_pod_labels", "container_cpu_usage_seconds_total"})
