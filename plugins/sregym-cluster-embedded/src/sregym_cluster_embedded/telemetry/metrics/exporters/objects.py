"""The exporter of one resource of the API: what its objects say, custom resources above all."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sregym_cluster_embedded.telemetry.metrics.exporters.kube_state.measures import (
    Measure,
    rows_of,
)
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    FOREVER,
    Exporter,
    Family,
    Part,
    Target,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs
    from sregym_cluster_embedded.telemetry.metrics.view import View


class ObjectExporter(Exporter):
    """Figures that follow from the objects of one resource, at each moment of their past.

    Args:
        resource: Plural and group: `widgets.acme.example`, `services`.
        job: Its job; there is one target.
        measures: What is said of each object; make them with `of_objects`. Each says the labels
            that tell objects apart, `namespace` and the name for instance.
        port: Where it is scraped.
    """

    def __init__(
        self, resource: str, job: str, measures: Sequence[Measure], port: int = 8080
    ) -> None:
        self.title = f"Objects: {job}"
        self.about = f"Job `{job}`, one target. Series carry the labels of the object."
        self.families: Sequence[Family] = tuple(measure.family for measure in measures)
        self.reads = (resource,)
        self.found_by = ()
        self._measures = {measure.family.name: measure for measure in measures}
        self._job, self._instance = job, f"{job}:{port}"

    def targets(self, view: View) -> Sequence[Target]:
        """The one instance."""
        labels = (("job", self._job), ("instance", self._instance))
        return [Target(self._job, f"http://{self._instance}/metrics", labels, honours=True)]

    def parts(self, view: View, target: Target, sample: str) -> Iterable[Part]:
        """What each object says."""
        measure = self._measures[sample]
        for line in view.past.of(self.reads[0]):
            versions = line.versions
            until = FOREVER if versions[-1].obj is not None else versions[-1].since
            rows = partial(rows_of, line, measure)
            yield Part(line.key, (line,), (), versions[0].since, until, rows)


def of_objects(
    name: str, type_: str, text: str, said: Callable[[Object], Iterable[tuple[Pairs, float]]]
) -> Measure:
    """A family of an `ObjectExporter`.

    Args:
        name: Of the metric.
        type_: `gauge` or `counter`.
        text: The help text.
        said: What an object says: pairs of labels and a number.
    """
    return Measure(Family(name, type_, text), said)
