"""What is known of metrics and targets, in the form of Prometheus' HTTP API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.telemetry.metrics import series_cache
from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.exposition import INTERVAL_S
from sregym_cluster_embedded.telemetry.metrics.scraping import SCRAPE_FAMILIES, Scrapes
from sregym_cluster_embedded.telemetry.metrics.surveying import Survey
from sregym_cluster_embedded.telemetry.metrics.view import view_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sregym_cluster_embedded.telemetry.metrics.catalogue import Catalogue
    from sregym_cluster_embedded.telemetry.metrics.exposition import Family, Target
    from sregym_cluster_embedded.world import World

_TIMEOUT = "10s"
# A target whose scrape failed is shown with the reason.
_REFUSED = 'Get "{url}": dial tcp {address}: connect: connection refused'


def metadata(
    catalogue: Catalogue, there: Collection[str] | None = None
) -> dict[str, list[dict[str, str]]]:
    """`data` of /api/v1/metadata: by name of the family, its type and help.

    What Prometheus notes of scrapes itself (`up` and the like) has none, as there.

    Args:
        catalogue: The exporters.
        there: The names of the samples that there are; all that there can be, if nothing is said.
    """
    return {
        family.name: [{"type": family.type, "help": family.help, "unit": ""}]
        for family in sorted(catalogue.families())
        if family not in SCRAPE_FAMILIES
        and (there is None or any(name in there for name in family.samples))
    }


def metrics(world: World) -> set[str]:
    """The names of the samples that were scraped last."""
    return _newest(world).metrics()


def described(world: World) -> list[tuple[dict[str, str], list[Family]]]:
    """The targets there are now, by labels, with the families that each has, by name."""
    of_samples = {
        name: family
        for exporter in catalogue_of(world).exporters
        for family in exporter.families
        for name in family.samples
    }
    found: dict[int, set[Family]] = {}
    for target, name in _newest(world).metrics_by_target():
        found.setdefault(id(target), set()).add(of_samples[name])
    return [
        (dict(sorted(target.labels)), sorted(found.get(id(target), ())))
        for target in _active(world)
    ]


def pools(world: World) -> list[str]:
    """The scrape pools of which there are targets, by name."""
    return sorted({target.pool for target in _active(world)})


def _newest(world: World) -> Survey:
    """What was scraped last."""
    now_ms = int((world.epoch + world.now) * 1000)
    return Survey(world, now_ms - round(2 * INTERVAL_S * 1000), now_ms)


def _active(world: World) -> list[Target]:
    """The targets there are now, by pool and address."""
    view = view_of(world)
    found = [
        target
        for exporter in catalogue_of(world).exporters
        for target in series_cache.targets(view, exporter)
        if target.since <= world.now < target.until
    ]
    return sorted(found, key=lambda target: (target.pool, target.url))


def targets(world: World) -> dict[str, Any]:
    """`data` of /api/v1/targets: the targets there are now, with their last scrape."""
    active = [_described(world, target) for target in _active(world)]
    return {"activeTargets": active, "droppedTargets": []}


def _described(world: World, target: Target) -> dict[str, Any]:
    labels = dict(sorted(target.labels))
    address = target.url.partition("://")[2].partition("/")[0]
    scheme, _, path = target.url.partition("://")
    end_ms = int((world.epoch + world.now) * 1000)
    scrapes = Scrapes(world, target, end_ms - round(2 * INTERVAL_S * 1000), end_ms)
    scraped, good = scrapes.count > 0, scrapes.last_good
    health = "unknown" if not scraped else "up" if good else "down"
    error = _REFUSED.format(url=target.url, address=address) if health == "down" else ""
    at_ms = int(scrapes.times[-1]) if scraped else 0
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    shown = f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03d}Z" if scraped else "0001-01-01T00:00:00Z"
    return {
        "discoveredLabels": {
            "__address__": address,
            "__metrics_path__": "/" + path.partition("/")[2].partition("?")[0],
            "__scheme__": scheme,
            "__scrape_interval__": f"{INTERVAL_S:g}s",
            "__scrape_timeout__": _TIMEOUT,
            "job": target.pool,
        },
        "labels": labels,
        "scrapePool": target.pool,
        "scrapeUrl": target.url,
        "globalUrl": target.url,
        "lastError": error,
        "lastScrape": shown,
        "lastScrapeDuration": 0.004 if good else 0.0,
        "health": health,
        "scrapeInterval": f"{INTERVAL_S:g}s",
        "scrapeTimeout": _TIMEOUT,
    }
