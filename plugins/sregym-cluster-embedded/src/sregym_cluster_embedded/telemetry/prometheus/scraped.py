"""What is scraped: targets, pools, and what is known of the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_promql import ParseError, parse_selector
from sregym_promql.storage import matchers_of

from sregym_cluster_embedded.telemetry.metrics.catalogue import catalogue_of
from sregym_cluster_embedded.telemetry.metrics.describing import (
    described,
    metadata,
    metrics,
    pools,
    targets,
)
from sregym_cluster_embedded.telemetry.prometheus.parameters import BadRequest, number_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Request
    from sregym_cluster_embedded.world import World


def metadata_data(world: World, request: Request) -> dict[str, Any]:
    """`data` of /api/v1/metadata.

    Raises:
        BadRequest: `limit` is no number.
    """
    most = number_of(request, "limit")
    wanted = request.parameter("metric")
    known = metadata(catalogue_of(world), metrics(world))
    found = {name: entries for name, entries in known.items() if not wanted or name == wanted}
    return found if most is None or most < 0 else dict(list(found.items())[:most])


def pools_data(world: World, _: Request) -> dict[str, Any]:
    """`data` of /api/v1/scrape_pools."""
    return {"scrapePools": pools(world)}


def targets_data(world: World, request: Request) -> dict[str, Any]:
    """`data` of /api/v1/targets."""
    found = targets(world)
    state, pool = request.parameter("state").lower(), request.parameter("scrapePool")
    active = found["activeTargets"] if state in ("", "any", "active") else []
    dropped = found["droppedTargets"] if state in ("", "any", "dropped") else []
    return {
        "activeTargets": [one for one in active if pool in ("", one["scrapePool"])],
        "droppedTargets": dropped,
    }


def target_metadata_data(world: World, request: Request) -> list[dict[str, Any]]:
    """`data` of /api/v1/targets/metadata.

    Raises:
        BadRequest: A parameter cannot be read.
    """
    most, metric = number_of(request, "limit"), request.parameter("metric")
    matchers = []
    if request.parameter("match_target"):
        try:
            matchers = matchers_of(parse_selector(request.parameter("match_target")))
        except ParseError as error:
            message = f'invalid parameter "match_target": {error}'
            raise BadRequest(message) from None
    found: list[dict[str, Any]] = []
    for labels, families in described(world):
        # As in Prometheus, the last target that is told of is told of wholly.
        if most is not None and 0 <= most <= len(found):
            break
        if all(matcher.matches(labels.get(matcher.name, "")) for matcher in matchers):
            found.extend(
                {
                    "target": labels,
                    **({} if metric else {"metric": family.name}),
                    "type": family.type,
                    "help": family.help,
                    "unit": "",
                }
                for family in families
                if metric in ("", family.name)
            )
    return found
