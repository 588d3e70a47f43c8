"""The exporter of one kind of datastore."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_apps.model import StoreProgram, expand

from sregym_cluster_embedded.telemetry.metrics.exporters.stores.store import Store
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.pods import Scraped, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import INSTANCES, INSTANCES_IN_ORDER
from sregym_cluster_embedded.telemetry.metrics.work import end_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exporters.stores.measures import Measure
    from sregym_cluster_embedded.telemetry.metrics.view import View


class StoreExporter(Exporter):
    """The exporter of one kind of datastore, with one target for each server.

    Args:
        kinds: Kinds of programs.
        job: Its job.
        up: The name of the metric that says whether the server answers, and its help text.
        measures: What it says of a server that answers.
    """

    reads = ("pods", INSTANCES, INSTANCES_IN_ORDER)
    found_by = ("pods", INSTANCES)

    def __init__(
        self, kinds: Sequence[str], job: str, up: tuple[str, str], measures: Sequence[Measure]
    ) -> None:
        self.title = f"Servers: {job}"
        self.about = (
            f"Job `{job}`, one target for each server, with `namespace`, `pod`, `container`, "
            "`service` and `node`."
        )
        self._kinds = kinds
        self._job = job
        self._up = up[0]
        self._measures = {measure.family.name: measure for measure in measures}
        families = (measure.family for measure in measures)
        self.families: Sequence[Family] = (Family(up[0], "gauge", up[1]), *families)

    def alike(self, _sample: str) -> bool:
        """All of them."""
        return True

    def targets(self, view: View) -> Sequence[Target]:
        """The servers."""
        return container_targets(view, self, self._is_one, _port, self._job, beside=True)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one server, instance by instance."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        stores = [
            Store(view.instances_in_order, view.world.epoch, instance)
            for instance in scraped.instances
        ]
        if sample == self._up:
            yield Row((), _up(stores))
            return
        for store in stores:
            if store.since < math.inf:
                for said in self._measures[sample].of(store):
                    row = said if isinstance(said, Row) else Row(*said)
                    since, until = (
                        max(row.since, store.since),
                        min(row.until, end_of(store.instance)),
                    )
                    if since < until:
                        yield row._replace(since=since, until=until)

    def _is_one(self, instance: ContainerInstance) -> bool:
        program = instance.process.behaviour
        return program is not None and program.kind in self._kinds


def _up(stores: Sequence[Store]) -> Steps:
    times, values = [-math.inf], [0.0]
    for store in stores:
        if store.since < math.inf:
            times.extend((store.since, end_of(store.instance)))
            values.extend((1.0, 0.0))
    return Steps(times, values)


def _port(instance: ContainerInstance) -> int:
    program = instance.process.behaviour
    if isinstance(program, StoreProgram):
        text = expand(program.port, instance.process.facts())
        if text.isdecimal():
            return int(text)
    return 0
