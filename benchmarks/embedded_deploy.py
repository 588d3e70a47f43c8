"""What the embedded cluster costs: deploying, forking, waiting. Prints CPU milliseconds.

python benchmarks/embedded_deploy.py
"""

from __future__ import annotations

import gc
import statistics
import time
from typing import TYPE_CHECKING

from sregym_cluster_embedded import controllers, kubelet, network, node, scheduler
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.kubelet.runtime import (
    ContainerConfig,
    ContainerRef,
    ExecResult,
    ExitState,
    ImagePull,
    LogLine,
    ProbeResult,
)
from sregym_cluster_embedded.node.bootstrap import NodeSpec, bootstrap
from sregym_cluster_embedded.subsystem import Subsystem, build_spec
from sregym_cluster_embedded.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.store import Object

EPOCH = 1_795_000_000
REPEATS = 7


class QuietRuntime:
    """Every image exists, every process runs and is healthy: what is left is the cluster."""

    def pull(self, world: World, node: str, image: str) -> ImagePull:
        return ImagePull(True, 3_000_000, "sha256:" + "0" * 64)

    def start(self, world: World, config: ContainerConfig) -> ExitState | None:
        return None

    def terminate(self, world: World, ref: ContainerRef) -> float | None:
        return 0.05

    def kill(self, world: World, ref: ContainerRef) -> ExitState | None:
        return None

    def probe(self, world: World, ref: ContainerRef, handler: Object) -> ProbeResult:
        return ProbeResult(True)

    def exec(
        self, world: World, ref: ContainerRef, command: tuple[str, ...], stdin: str
    ) -> ExecResult:
        return ExecResult(0)

    def logs(
        self,
        world: World,
        ref: ContainerRef,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        return []

    def forget(self, world: World, ref: ContainerRef) -> None:
        return None


def empty_cluster() -> World:
    """Two large nodes, DNS running."""
    spec = build_spec(
        (
            controllers.subsystem(),
            scheduler.subsystem(),
            network.subsystem(),
            node.subsystem(),
            kubelet.subsystem(),
            Subsystem("quiet", services={"runtime": QuietRuntime()}),
        )
    )
    world = World(spec, 1, EPOCH)
    bootstrap(world, [NodeSpec(cpu=64, images=("shop/app:1",)) for _ in range(2)])
    world.run_until(70.0)
    internal_client.create(world, "namespaces", {"metadata": {"name": "shop"}})
    world.run_until(71.0)
    return world


def manifests(name: str, replicas: int) -> list[tuple[str, Object]]:
    """A ConfigMap, a Service and a Deployment with a probe, limits, environment and a volume."""
    labels = {"app": name}
    container = {
        "name": "app",
        "image": "shop/app:1",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080, "name": "http"}],
        "env": [{"name": "MODE", "value": "fast"}],
        "envFrom": [{"configMapRef": {"name": name}}],
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "readinessProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 5},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/app"}],
    }
    spec = {
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": name}}],
    }
    metadata = {"name": name, "namespace": "shop"}
    service = {"selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": "http"}]}
    deployment = {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec},
    }
    return [
        ("configmaps", {"metadata": metadata, "data": {"level": "info"}}),
        ("services", {"metadata": metadata, "spec": service}),
        ("deployments.apps", {"metadata": metadata, "spec": deployment}),
    ]


def deploy(world: World, deployments: int, replicas: int) -> None:
    """Create everything and let the cluster settle."""
    for number in range(deployments):
        for resource, obj in manifests(f"app-{number}", replicas):
            internal_client.create(world, resource, obj)
    world.run_until(world.now + 30.0)
    ready = sum(
        1
        for pod in world.store.list("pods", "shop")
        for entry in pod["status"]["conditions"]
        if entry["type"] == "Ready" and entry["status"] == "True"
    )
    assert ready == deployments * replicas, f"{ready} pods are ready"


def cpu_ms(action: Callable[[World], object], make: Callable[[], World]) -> float:
    """Median CPU time of `action` on fresh worlds."""
    times = []
    for _ in range(REPEATS):
        world = make()
        gc.collect()
        began = time.process_time()
        action(world)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


def main() -> None:
    base = empty_cluster()
    forked = base.fork
    large = cpu_ms(lambda world: deploy(world, 20, 7), forked)
    print(f"20 deployments x 7 replicas to ready   {large:8.1f} ms")
    small = cpu_ms(lambda world: deploy(world, 19, 1), forked)
    print(f"19 deployments x 1 replica to ready    {small:8.1f} ms")
    warm = base.fork()
    deploy(warm, 19, 1)
    warm.run_until(warm.now + 600)
    many = cpu_ms(lambda world: [world.fork() for _ in range(100)], lambda: warm) / 100
    print(f"fork of the warm cluster               {many:8.3f} ms")
    hour = cpu_ms(lambda world: world.run_until(world.now + 3600), warm.fork)
    print(f"a quiet virtual hour                   {hour:8.3f} ms")
    print(f"planned events in the warm cluster     {len(warm.clock):8d}")


if __name__ == "__main__":
    main()
