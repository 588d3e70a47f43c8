"""What the tools of a session cost over a typical transcript. Prints CPU milliseconds.

    python benchmarks/tool_calls.py

Hotel Reservation has lost a Service ten minutes ago; the transcript looks around with kubectl,
metrics, logs and traces, repairs it, waits and looks again. Each line is the best of several
sessions, each on a fork of the cluster that nobody has asked anything yet; below them the mean
over the transcript, and without the alerts.
"""

from __future__ import annotations

import gc
import statistics
import time

from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.api import Workspace
from sregym_core.conductor.session import LiveSession
from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import Budget, ClusterSpec, Command
from sregym_core.plugins import Plugins
from sregym_core.settings import Settings

NAMESPACE = "hotel-reservation"
_SESSIONS = 5
_FAILED_S = 600.0
_ERRORS = 'sum by (service_name) (rate(traces_span_metrics_calls_total{status_code="STATUS_CODE_ERROR"}[5m]))'


def kubectl(words: str) -> tuple[str, dict[str, object]]:
    return "kubectl", {"command": f"kubectl {words}"}


TRANSCRIPT: tuple[tuple[str, dict[str, object]], ...] = (
    ("alerts", {}),
    kubectl(f"get pods -n {NAMESPACE} -o wide"),
    kubectl(f"get svc,endpoints -n {NAMESPACE}"),
    kubectl(f"get events -n {NAMESPACE} --sort-by=.lastTimestamp"),
    ("query_metrics", {"query": _ERRORS}),
    (
        "query_metrics",
        {"query": f'kube_pod_container_status_restarts_total{{namespace="{NAMESPACE}"}} > 0'},
    ),
    (
        "query_logs",
        {"query": f'{{namespace="{NAMESPACE}", app="rate"}}', "limit": 20},
    ),
    ("search_traces", {"service": "frontend", "limit": 5}),
    ("service_dependencies", {}),
    kubectl(f"logs -n {NAMESPACE} deploy/rate --tail=20"),
    kubectl(f"describe deploy rate -n {NAMESPACE}"),
    kubectl(f"get deploy rate -n {NAMESPACE} -o yaml"),
    kubectl(f"describe svc rate -n {NAMESPACE}"),
    kubectl("get nodes"),
    ("query_metrics_range", {"query": _ERRORS, "minutes": 15}),
    kubectl(f"get pods -n {NAMESPACE} -l io.kompose.service=mongodb-rate --show-labels"),
    kubectl(f"get svc mongodb-geo -n {NAMESPACE} -o yaml"),
    kubectl(f"create service clusterip mongodb-rate --tcp=27017:27017 -n {NAMESPACE}"),
    kubectl(f"set selector svc mongodb-rate io.kompose.service=mongodb-rate -n {NAMESPACE}"),
    ("wait", {"seconds": 60}),
    kubectl(f"get pods -n {NAMESPACE}"),
    kubectl(f"get endpoints mongodb-rate -n {NAMESPACE}"),
    ("query_metrics", {"query": _ERRORS}),
    ("alerts", {}),
)


def main() -> None:
    """Run the transcript in several sessions."""
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    application = HotelReservation()
    cluster = Embedded().provision(ClusterSpec(seed=1, applications=(application,)))
    application.deploy(cluster)
    cluster.clock.advance(300.0)
    cluster.kubectl(Command(("kubectl", "delete", "svc", "mongodb-rate", "-n", NAMESPACE)))
    cluster.clock.advance(_FAILED_S)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    taken: list[list[float]] = [[] for _ in TRANSCRIPT]
    toolset = Workspace().factory.toolset
    for number in range(_SESSIONS):
        fork = checkpoint.fork(ClusterSpec(seed=number, applications=(application,)))
        timeline = Timeline("tools", Plugins(Settings(), found=()))
        timeline.follow(fork.clock)
        session = LiveSession(
            fork,
            timeline,
            "Look around.",
            application.namespaces,
            Budget(episode_s=None, wall_s=None),
            None,
            lambda *_: None,
            lambda: None,
            toolset=toolset,
        )
        for place, (tool, arguments) in enumerate(TRANSCRIPT):
            began = time.process_time()
            result = session.call(tool, arguments)
            taken[place].append((time.process_time() - began) * 1000)
            if number == 0 and not result.ok:
                print(tool, arguments, result.text)
        fork.close()
    best = [min(times) for times in taken]
    for (tool, arguments), spent in zip(TRANSCRIPT, best, strict=True):
        print(
            f"{spent:8.2f} ms  {tool} {' '.join(str(value) for value in arguments.values())[:90]}"
        )
    others = [spent for (tool, _), spent in zip(TRANSCRIPT, best, strict=True) if tool != "alerts"]
    print(f"{statistics.mean(best):8.2f} ms  mean (promised: under 3 ms)")
    print(f"{statistics.mean(others):8.2f} ms  mean without alerts")


if __name__ == "__main__":
    main()
