"""Contract tests for every exporter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sregym_cluster_embedded.sdk.testing.cluster import ClusterTestbed

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter

_METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_TYPES = ("counter", "gauge", "histogram", "summary", "unknown")
_SCRAPED_S = 120.0


class ExporterContract:
    """Override `exporter`, and `cluster` with something on it that the exporter has figures of."""

    @pytest.fixture
    def exporter(self) -> Exporter:
        """The exporter under test."""
        raise NotImplementedError("override the fixture `exporter`")

    @pytest.fixture
    def cluster(self) -> ClusterTestbed:
        """A cluster with something to export; the contract lets two minutes pass."""
        return ClusterTestbed.of()

    def test_families_are_described(self, exporter: Exporter) -> None:
        """Each has a name that Prometheus takes, a type and a help text, and there once."""
        names = [family.name for family in exporter.families]
        assert names, "it exports nothing"
        assert sorted(set(names)) == sorted(names)
        assert [name for name in names if not _METRIC.fullmatch(name)] == []
        assert [one.name for one in exporter.families if one.type not in _TYPES] == []
        assert [one.name for one in exporter.families if not one.help.strip()] == []

    def test_counters_are_named_as_such(self, exporter: Exporter) -> None:
        """Names of counters end with `_total` or `_seconds`, those of gauges do not with `_total`."""
        wrong = [
            family.name
            for family in exporter.families
            if (family.type == "counter" and not family.name.endswith(("_total", "_seconds")))
            or (family.type == "gauge" and family.name.endswith("_total"))
        ]
        assert wrong == []

    def test_figures_are_scraped(self, exporter: Exporter, cluster: ClusterTestbed) -> None:
        """Prometheus has series of each family, finite ones, each told by its labels."""
        cluster.run(_SCRAPED_S)
        missing = []
        for family in exporter.families:
            for sample in family.samples:
                values = cluster.query(sample)
                if not values:
                    missing.append(sample)
                assert all(abs(value) < float("inf") for value in values.values()), sample
        assert missing == [], "nothing of these in the fixture `cluster`"

    def test_counters_do_not_fall(self, exporter: Exporter, cluster: ClusterTestbed) -> None:
        """As long as nothing restarts."""
        counters = [one.name for one in exporter.families if one.type == "counter"]
        cluster.run(_SCRAPED_S)
        before = {name: cluster.query(name) for name in counters}
        cluster.run(_SCRAPED_S)
        for name in counters:
            after = cluster.query(name)
            fallen = [key for key, value in before[name].items() if after.get(key, value) < value]
            assert fallen == [], name

    def test_asking_changes_nothing(self, exporter: Exporter, cluster: ClusterTestbed) -> None:
        """The same question has the same answer, twice and on a copy, and leaves no trace."""
        cluster.run(_SCRAPED_S)
        copy, before = cluster.fork(), cluster.world.digest()
        for family in exporter.families:
            for sample in family.samples:
                first = cluster.query(sample)
                assert cluster.query(sample) == first, sample
                assert copy.query(sample) == first, sample
        assert cluster.world.digest() == before
