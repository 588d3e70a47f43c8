"""What requests and logs cost on the embedded cluster, on Hotel Reservation. Prints CPU milliseconds.

python benchmarks/embedded_flow.py
"""

from __future__ import annotations

import base64
import time
from importlib import resources
from typing import TYPE_CHECKING

import yaml
from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

_ROUTES: TableKey[object, object] = TableKey("network.routes")
NAMESPACE = "hotel-reservation"
RESOURCES = {
    "Namespace": "namespaces",
    "Service": "services",
    "ConfigMap": "configmaps",
    "Secret": "secrets",
    "Deployment": "deployments.apps",
    "PersistentVolumeClaim": "persistentvolumeclaims",
}


def deployed() -> World:
    """Hotel Reservation, two virtual minutes after its manifests were applied."""
    folder = resources.files("sregym_app_deathstarbench") / "hotel_reservation"
    model = parse_service_model((folder / "service_model.yaml").read_text(), "service_model.yaml")
    world = build(Blueprint(models=(model,)))
    files = sorted((folder / "manifests").iterdir(), key=lambda file: file.name)
    objects = [obj for file in files for obj in yaml.safe_load_all(file.read_text()) if obj]
    for obj in sorted(objects, key=lambda obj: obj["kind"] != "Namespace"):
        if "stringData" in obj:
            given = obj.pop("stringData")
            obj["data"] = {
                key: base64.b64encode(text.encode()).decode() for key, text in given.items()
            }
        internal_client.create(world, RESOURCES[obj["kind"]], obj)
    started = time.process_time()
    world.run_until(world.now + 120)
    report("two minutes from manifests to traffic", time.process_time() - started)
    return world


def best_of(count: int, act: Callable[[], object]) -> float:
    """Least CPU seconds of a number of runs."""
    found = []
    for _ in range(count):
        started = time.process_time()
        act()
        found.append(time.process_time() - started)
    return min(found)


def report(what: str, seconds: float) -> None:
    """Print one figure."""
    print(f"{what:<48} {seconds * 1000:8.3f} ms")


def main() -> None:
    """Measure and print."""
    world = deployed()
    runtime, traffic = world.service(RUNTIME), world.service(REQUEST_FLOW)
    report("one solve of the request flow", best_of(50, lambda: traffic.solve(world)))
    report("fork", best_of(50, world.fork))

    def cold() -> None:
        world.table(_ROUTES).clear()
        traffic.solve(world)

    report("one solve after a change of the network", best_of(50, cold))
    for service in world.store.list("services", NAMESPACE):
        if service["metadata"]["name"] == "mongodb-reservation":
            spec = {**service["spec"], "selector": {"nobody": "here"}}
            internal_client.update(world, "services", {**service, "spec": spec})
    world.run_until(world.now + 60)
    front = next(p.ref for p in runtime.running(world) if p.ref.pod.startswith("frontend-"))
    lines = len(runtime.logs(world, front, tail_lines=1000))
    report(
        f"{lines} lines of a failing service", best_of(20, lambda: runtime.logs(world, front, 1000))
    )


if __name__ == "__main__":
    main()
