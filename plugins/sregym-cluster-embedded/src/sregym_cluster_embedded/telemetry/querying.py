"""What programs of observability inside the cluster answer to HTTP requests from containers."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote

from sregym_cluster_embedded.api.request import Request

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.request import Response
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class Querying:
    """Offered to lower layers as `querying`."""

    def metrics(self, world: World, url: str) -> str | None:
        """What a target of scrapes says of itself at an address; None when there is none."""
        from sregym_cluster_embedded.telemetry.metrics.exposing import exposed

        return exposed(world, url)

    def traces(self, world: World, process: Process, method: str, path: str) -> Response | None:
        """What a collector of traces answers; None when the process is none that runs."""
        # Most clusters are never asked: what it takes is loaded by the first question.
        from sregym_cluster_embedded.telemetry.traces.collectors import collectors
        from sregym_cluster_embedded.telemetry.traces.jaeger import answer_of

        bare, _, query = path.partition("?")
        pairs = tuple(parse_qsl(query, keep_blank_values=True))
        for collector in collectors([process]):
            return answer_of(world, collector, Request(method, unquote(bare), pairs))
        return None
