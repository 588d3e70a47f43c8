"""What size costs the embedded cluster. Prints CPU seconds, milliseconds and memory.

    python benchmarks/embedded_scale.py             # up to 5,000 pods on 100 nodes, about a minute
    python benchmarks/embedded_scale.py --quick     # up to 1,250 pods on 25 nodes

The curve is of one pod that fails and is replaced: what it costs should not depend on how many
others there are. Compare the lines with each other, not with those of another machine.
"""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import time
from typing import TYPE_CHECKING, Any

import orjson
from sregym_app_deathstarbench.hotel_reservation import HotelReservation
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.cluster import Embedded, EmbeddedCluster
from sregym_cluster_embedded.node.bootstrap import NodeSpec
from sregym_cluster_embedded.store import Key
from sregym_core.interfaces import ClusterSpec

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
NAMESPACE = "fleet"
REPLICAS = 10
PODS_PER_NODE = 50
SIZES = (10, 25, 50, 100)
FAILURES = 15
FORKS = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only the small sizes")
    sizes = SIZES[:2] if parser.parse_args().quick else SIZES
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    forks()  # first: what a process has held once counts for ever
    print(
        f"{'nodes':>5} {'pods':>6} {'to Ready, s':>12} {'get pods -A, ms':>16} "
        f"{'fork, ms':>9} {'one failure, ms':>16}"
    )
    for nodes in sizes:
        row(nodes)


def row(nodes: int) -> None:
    began = time.process_time()
    world = build(Blueprint(nodes=[NodeSpec(f"node{number}") for number in range(1, nodes + 1)]))
    pods = nodes * PODS_PER_NODE
    fill(world, pods // REPLICAS)
    while ready(world) < pods:
        world.run_until(world.now + 5.0)
    deployed = time.process_time() - began
    listed = median_ms(lambda: listing(world), 5)
    forked = median_ms(lambda: world.fork(1), 5)
    failed = statistics.median(failure(world, number) for number in range(FAILURES))
    print(
        f"{nodes:>5} {pods:>6} {deployed:>12.2f} {listed:>16.1f} {forked:>9.3f} {failed:>16.2f}",
        flush=True,
    )


def fill(world: World, deployments: int) -> None:
    """As many Deployments, each with a Service and ten pods."""
    post(world, "/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for number in range(deployments):
        metadata, labels = {"name": f"worker-{number}"}, {"app": f"worker-{number}"}
        container = {
            "name": "worker",
            "image": "registry.k8s.io/pause:3.10",
            "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
        }
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"replicas": REPLICAS, "selector": {"matchLabels": labels}, "template": template}
        place = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
        post(world, place, {"kind": "Deployment", "metadata": metadata, "spec": spec}, "apps/v1")
        service = {"selector": labels, "ports": [{"port": 80}]}
        place = f"/api/v1/namespaces/{NAMESPACE}/services"
        post(world, place, {"kind": "Service", "metadata": metadata, "spec": service})


def post(world: World, path: str, obj: dict[str, Any], version: str = "v1") -> None:
    headers = {"content-type": "application/json", "accept": "application/json"}
    body = orjson.dumps({"apiVersion": version, **obj})
    answer: Any = handle(world, Request("POST", path, (), headers, body))
    assert answer.status == 201, answer.body


def ready(world: World) -> int:
    return sum(
        entry["type"] == "Ready" and entry["status"] == "True"
        for pod in world.store.list("pods", NAMESPACE)
        for entry in pod["status"].get("conditions", ())
    )


def listing(world: World) -> None:
    answer: Any = handle(world, Request("GET", "/api/v1/pods", (), {"accept": TABLE}))
    assert answer.status == 200


def failure(world: World, number: int) -> float:
    """CPU milliseconds of a pod that is gone at once, until its successor is ready."""
    pods = world.store.list("pods", NAMESPACE)
    name = pods[number * len(pods) // FAILURES]["metadata"]["name"]
    began = time.process_time()
    internal_client.delete(world, Key("pods", NAMESPACE, name), grace_s=0)
    world.run_until(world.now + 30.0)
    return (time.process_time() - began) * 1000


def forks() -> None:
    """Memory of many forks of one application that all go on on their own."""
    application = HotelReservation()
    cluster = Embedded().provision(ClusterSpec(applications=(application,)))
    assert isinstance(cluster, EmbeddedCluster)
    application.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 20.0)
    before = resident_mib()
    with cluster.live.open() as world:
        kept = [world.fork(number) for number in range(FORKS)]
        for fork in kept:
            pod = fork.store.list("pods", "hotel-reservation")[0]["metadata"]["name"]
            internal_client.delete(fork, Key("pods", "hotel-reservation", pod), grace_s=0)
            fork.run_until(fork.now + 60.0)
    print(f"{FORKS} forks of Hotel Reservation, a pod lost in each and a minute on:")
    print(f"  {resident_mib() - before:.0f} MiB more than one; {resident_mib():.0f} MiB in all")
    cluster.close()


def resident_mib() -> float:
    """Most memory the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def median_ms(action: Any, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
