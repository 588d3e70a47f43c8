"""The page of all metrics is what the exporters say."""

from __future__ import annotations

from pathlib import Path

from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
from sregym_cluster_embedded.telemetry.metrics.describing import metadata
from sregym_cluster_embedded.telemetry.metrics.reference import page
from sregym_cluster_embedded.userland.kinds import with_in_tree

CATALOGUE = Catalogue(with_in_tree())
PAGE = Path(__file__).parents[5] / "docs" / "reference" / "metrics.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_no_family_is_exported_twice() -> None:
    names = [family.name for family in CATALOGUE.families()]
    assert sorted(set(names)) == sorted(names)


def test_types_are_those_of_prometheus() -> None:
    kinds = {family.type for family in CATALOGUE.families()}
    assert kinds == {"counter", "gauge", "histogram", "unknown"}
    # As node-exporter has what stands in /proc/vmstat.
    untyped = [family.name for family in CATALOGUE.families() if family.type == "unknown"]
    assert untyped == ["node_vmstat_oom_kill"]


def test_metadata_has_the_shape_of_the_http_api() -> None:
    assert metadata(CATALOGUE)["kube_pod_info"] == [
        {"type": "gauge", "help": "Information about pod.", "unit": ""}
    ]
    assert "up" not in metadata(CATALOGUE)
