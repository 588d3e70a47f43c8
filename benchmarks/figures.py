"""The figures that the project promises, measured on this machine.

    python benchmarks/figures.py            # all of them, about a minute
    python benchmarks/figures.py --quick    # those inside one process

CPU figures are medians of several runs in one process; wall figures are of whole processes. Times
of a busy machine are upper bounds: compare ratios, or run it twice.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from kubectl_in_process import cluster as crowd
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.cluster import Embedded, EmbeddedCluster
from sregym_cluster_embedded.kubectl import DirectAccess
from sregym_cluster_embedded.kubectl import run as kubectl
from sregym_core.interfaces import ClusterSpec, Command

if TYPE_CHECKING:
    from collections.abc import Callable

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PODS = "/api/v1/namespaces/hotel-reservation/pods"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only what runs in this process")
    quick = parser.parse_args().quick
    print(f"{'figure':<58} {'measured':>12} {'promised':>12}")
    inside()
    if not quick:
        outside()


def inside() -> None:
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    application = HotelReservation()
    spec = ClusterSpec(applications=(application,))
    application.manifests(), application.service_models()  # parsing is done once per process
    costs = [deploy(application, spec)[0] for _ in range(9)]  # the first two warm it up
    show("Hotel Reservation, manifests to all Ready, CPU", statistics.median(costs), "ms", 50)
    _, cluster = deploy(application, spec)
    with cluster.live.open() as world:
        show("fork of a warm cluster, CPU", median_ms(lambda: world.fork(1), 200), "ms", 0.2)
        request = Request("GET", PODS, (("limit", "500"),), {"accept": TABLE})
        served = median_ms(lambda: handle(world, request), 100)
    show("kubectl get pods, CPU of the server", served, "ms", 2)
    command = Command(("kubectl", "get", "pods", "-n", "hotel-reservation"))
    show("kubectl get pods in process, CPU", median_ms(lambda: cluster.kubectl(command), 100), "ms")
    crowded = DirectAccess(crowd())
    in_process = median_ms(lambda: kubectl(crowded, ["get", "pods"], ""), 100)
    show("kubectl get pods of 140 pods in process, CPU", in_process, "ms", 3)
    show("traffic of 30 s from the load generator's log, CPU", traffic(application, cluster), "ms")
    cluster.close()


def deploy(application: HotelReservation, spec: ClusterSpec) -> tuple[float, EmbeddedCluster]:
    """The CPU milliseconds until all that is deployed is there and ready, and the cluster."""
    cluster = Embedded().provision(spec)
    assert isinstance(cluster, EmbeddedCluster)
    began = time.process_time()
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: available(cluster), 600.0, 1.0)
    spent = (time.process_time() - began) * 1000
    assert not application.ready(cluster)
    return spent, cluster


def available(cluster: EmbeddedCluster) -> bool:
    """Whether all Deployments have their replicas, without a copy of each: it is asked often."""
    with cluster.live.open() as world:
        return all(
            deployment.get("status", {}).get("availableReplicas") == deployment["spec"]["replicas"]
            for deployment in world.store.list("deployments.apps")
        )


def traffic(application: HotelReservation, cluster: EmbeddedCluster) -> float:
    cluster.clock.advance(60.0)
    return median_ms(lambda: application.traffic(cluster, 30.0), 20)


def outside() -> None:
    problem = "wrong_service_selector_hotel_reservation"
    show("sregym --help, wall", wall_s("--help"), "s", 0.3)
    show(
        "sregym run ... --agent expert, wall", wall_s("run", problem, "--agent", "expert"), "s", 1.5
    )
    out = sregym("verify", "--json")
    wall = json.loads(out)["wall_s"]
    show("sregym verify of all problems, wall", wall, "s", 10)
    show("sregym quickstart, wall", wall_s("quickstart", repeats=1), "s", 10)


def wall_s(*words: str, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        sregym(*words)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def sregym(*words: str) -> str:
    """Run the command line in a folder of its own; its exit code says nothing about speed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "sregym_core", *words],
            cwd=Path(folder),
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stdout


def median_ms(action: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def show(name: str, measured: float, unit: str, promised: float | None = None) -> None:
    limit = f"< {promised:g} {unit}" if promised is not None else ""
    print(f"{name:<58} {measured:>9.3g} {unit:<2} {limit:>12}", flush=True)


if __name__ == "__main__":
    main()
