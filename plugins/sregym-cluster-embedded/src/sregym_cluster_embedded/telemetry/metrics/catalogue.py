"""All exporters of a world, by what they export."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sregym_core.errors import PluginLoadError

from sregym_cluster_embedded.telemetry.keys import EXPORTERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_apps.simulation import Installed, Reference

    from sregym_cluster_embedded.telemetry.metrics.chapters import Chapter
    from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter, Family
    from sregym_cluster_embedded.world import World


class Catalogue:
    """All exporters of a world: its own, and those of kinds of servers and extensions.

    Args:
        known: The extensions of the world.

    Attributes:
        known: The same.
    """

    def __init__(self, known: Installed) -> None:
        self.known = known

    @cached_property
    def chapters(self) -> tuple[Chapter, ...]:
        """All exporters in the order of the documentation.

        Raises:
            PluginLoadError: One cannot be imported, or is none; names the distribution.
        """
        # Most clusters are never asked for metrics: their exporters are loaded by the first question.
        from sregym_cluster_embedded.telemetry.metrics.chapters import builtin_exporters

        return (*builtin_exporters(), *self._of_servers(), *self._of_extensions())

    @cached_property
    def exporters(self) -> tuple[Exporter, ...]:
        """All exporters; those that export metrics of the same names count as one."""
        from sregym_cluster_embedded.telemetry.metrics.joining import joined

        return joined([exporter for chapter in self.chapters for exporter in chapter.exporters])

    @cached_property
    def by_sample(self) -> Mapping[str, Exporter]:
        """By the names that samples have, who exports them."""
        return {
            name: exporter
            for exporter in self.exporters
            for family in exporter.families
            for name in family.samples
        }

    def families(self) -> Iterator[Family]:
        """All families that there can be, those that Prometheus adds itself first."""
        from sregym_cluster_embedded.telemetry.metrics.scraping import SCRAPE_FAMILIES

        yield from SCRAPE_FAMILIES
        for exporter in self.exporters:
            yield from exporter.families

    def _of_servers(self) -> Iterator[Chapter]:
        """Kinds of servers, by name; several kinds may have one exporter."""
        from sregym_cluster_embedded.telemetry.metrics.chapters import Chapter

        kinds = [kind for _, kind in sorted(self.known.kinds.items()) if kind.exporter is not None]
        loaded = [self._loaded("server kind", kind.name, kind.exporter) for kind in kinds]
        for exporter in dict.fromkeys(loaded):
            yield Chapter(exporter.title, exporter.about, (exporter,))

    def _of_extensions(self) -> Iterator[Chapter]:
        from sregym_cluster_embedded.telemetry.metrics.chapters import Chapter

        for extension in self.known.extensions:
            for reference in extension.exporters:
                exporter = self._loaded("extension", extension.name, reference)
                yield Chapter(exporter.title, exporter.about, (exporter,))

    def _loaded(self, what: str, name: str, reference: Reference) -> Exporter:
        from sregym_cluster_embedded.telemetry.metrics.exposition import Exporter

        exporter = self.known.load(what, name, reference)
        if not isinstance(exporter, Exporter):
            message = (
                f"{what} {name!r} of {self.known.owner(what, name)} has the exporter {reference}, "
                "which is no instance of sregym_cluster_embedded.sdk.exporters.Exporter"
            )
            raise PluginLoadError(message)
        return exporter


def catalogue_of(world: World) -> Catalogue:
    """The exporters of a world."""
    found: Catalogue = world.service(EXPORTERS)
    return found
