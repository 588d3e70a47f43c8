"""What questions to Prometheus cost after an hour of Hotel Reservation, well and then broken.

    python benchmarks/metric_queries.py

Prints CPU milliseconds, the best of several runs: of the first question ever, of the first one to a
copy of a cluster of which other copies have been asked, of asking again at the same moment, and of
asking the same a minute or more later. Copies share what is the same in them. All go through the HTTP API's own function, answers
as bytes.
"""

from __future__ import annotations

import gc
import json
import time
from typing import TYPE_CHECKING

from embedded_flow import deployed
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.clock import SharedCache
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.prometheus import answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

# Not at an evaluation of the rules.
_HOUR_S = 3607.0
_RUNS = 11
_NAMESPACE = 'namespace="hotel-reservation"'
INSTANT = (
    "up",
    "kube_pod_status_phase",
    f"kube_pod_status_phase{{{_NAMESPACE}}} == 1",
    f"kube_pod_container_status_restarts_total{{{_NAMESPACE}}}",
    "kube_deployment_status_replicas_available",
    "container_memory_working_set_bytes",
    f'container_memory_working_set_bytes{{{_NAMESPACE},pod=~"rate-.*"}}',
    f'rate(container_cpu_usage_seconds_total{{{_NAMESPACE},container="rate"}}[5m])',
    f"sum by (pod) (rate(container_cpu_usage_seconds_total{{{_NAMESPACE}}}[5m]))",
    "node_memory_MemAvailable_bytes",
    "mongodb_up",
    "probe_success",
    'traces_span_metrics_calls_total{service_name="frontend"}',
    "sum by (service_name) (rate(traces_span_metrics_calls_total[5m]))",
    "histogram_quantile(0.95, sum by (le, service_name) (rate(traces_span_metrics_duration_milliseconds_bucket[5m])))",
    "rate(http_server_request_duration_seconds_count[5m])",
)
RANGES = (
    f"sum by (pod) (rate(container_cpu_usage_seconds_total{{{_NAMESPACE}}}[5m]))",
    "sum by (service_name) (rate(traces_span_metrics_calls_total[5m]))",
    "rate(traces_span_metrics_duration_milliseconds_bucket[5m])",
)
OTHERS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("/api/v1/labels", ()),
    ("/api/v1/label/__name__/values", ()),
    ("/api/v1/label/namespace/values", ()),
    ("/api/v1/label/pod/values", (("match[]", "kube_pod_info"),)),
    ("/api/v1/series", (("match[]", "up"),)),
    ("/api/v1/series", (("match[]", f"{{{_NAMESPACE}}}"),)),
    ("/api/v1/alerts", ()),
    ("/api/v1/rules", ()),
    ("/api/v1/targets", ()),
)


def main() -> None:
    """Ask everything of the well and of the broken application."""
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    world = deployed()
    world.run_until(world.now + _HOUR_S)
    report("an hour of a well application", world)
    world = deployed()
    world.run_until(world.now + 300)
    internal_client.delete(world, Key("services", "hotel-reservation", "mongodb-rate"))
    world.run_until(world.now + _HOUR_S)
    report("an hour after its Service was deleted", world)


def report(title: str, world: World) -> None:
    """One line for each question."""
    print(f"\n{title}\n{'ever':>9} {'copy':>9} {'again':>9} {'later':>9}")
    for query in INSTANT:
        show(query, world, Request("GET", "/api/v1/query", (("query", query),)))
    end = world.epoch + world.now
    span = (("start", f"{end - 1800}"), ("end", f"{end}"), ("step", "15"))
    for query in RANGES:
        show(
            f"121 points of {query}",
            world,
            Request("GET", "/api/v1/query_range", (("query", query), *span)),
        )
    for path, given in OTHERS:
        show(" ".join([path, *(value for _, value in given)]), world, Request("GET", path, given))


def show(name: str, world: World, request: Request) -> None:
    """How long the answers take, and how many rows they have."""
    ever, copy, later = [], [], []
    for number in range(5):
        fresh = world.fork()
        fresh.run_until(fresh.now + 1 + number)
        copy.append(spent_ms(lambda fresh=fresh: answer(fresh, request)))
        # To each its own moment: what rules give then is not known from the others.
        fresh.run_until(fresh.now + 60 * (number + 1))
        later.append(spent_ms(lambda fresh=fresh: answer(fresh, request)))
        fresh = world.fork()
        fresh.shared_cache = SharedCache()
        fresh.run_until(fresh.now + 1 + number)
        ever.append(spent_ms(lambda fresh=fresh: answer(fresh, request)))
    again = sorted(spent_ms(lambda: answer(world, request)) for _ in range(_RUNS))
    data = json.loads(answer(world, request).body)["data"]
    rows = data.get("result", data) if isinstance(data, dict) else data
    print(
        f"{min(ever):9.2f} {min(copy):9.2f} {again[0]:9.2f} {min(later):9.2f} ms "
        f"{len(rows):>5}  {name}",
        flush=True,
    )


def spent_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main()
