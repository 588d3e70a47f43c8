"""What kubectl commands cost in process, and what the binary costs for the same.

    python benchmarks/kubectl_in_process.py            # 140 pods, about half a minute

CPU in milliseconds: in process with the API that answers; of the binary, its process (user and
system) with the server's share. The commands of all recordings are compared by
`python tests/conformance/twin.py`, which prints the same figures for them.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sregym_apps.model import parse_service_model
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.kubeconfig import write_kubeconfig
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.pacing import Stepped
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.kubectl import DirectAccess, run
from sregym_cluster_embedded.kubectl.fallback import run_binary

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

IMAGES = Path(__file__).resolve().parents[1] / "tests" / "conformance" / "images.yaml"
DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}}}
spec:
  replicas: 7
  selector: {{matchLabels: {{app: web-{number}}}}}
  template:
    metadata: {{labels: {{app: web-{number}}}}}
    spec: {{containers: [{{name: web, image: "registry.example/shop/web:1.0"}}]}}
---
apiVersion: v1
kind: Service
metadata: {{name: web-{number}}}
spec: {{selector: {{app: web-{number}}}, ports: [{{port: 80, targetPort: 8080}}]}}
"""
COMMANDS = (
    "get pods", "get pods -o wide", "get pods -A", "get pods -l app=web-3", "get pods -o yaml",
    "get deploy,svc", "get deploy web-1 -o yaml", "get events", "get nodes", "get all",
    "describe deploy web-1", "describe svc web-1", "describe pods -l app=web-2",
    "logs deploy/web-1", "exec deploy/web-1 -- cat /www/index.html", "rollout status deploy/web-1",
    "rollout history deploy/web-1", "set image deploy/web-1 web=registry.example/shop/web:1.1",
    "scale deploy/web-2 --replicas=3", "label deploy web-3 a=b", "auth can-i create pods",
    "create configmap c --from-literal=a=b", "delete pod -l app=web-4 --wait=false",
)  # fmt: skip
REPEATS_IN_PROCESS, REPEATS_BINARY = 15, 3


def main() -> None:
    world = cluster()
    pods = len(world.store.list("pods", "default"))
    print(f"{pods} pods in the namespace\n")
    print(f"{'command':<58} {'in process':>10} {'binary':>8} {'times':>6}")
    ratios, totals = [], [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        live = LiveWorld(world.fork(), Stepped(request_cost_s=0.0))
        with ApiEndpoint(live) as endpoint:
            kubeconfig = write_kubeconfig(Path(folder) / "config", endpoint.url)
            run_binary(kubeconfig, ["get", "pods"])  # its cache of discovery is warm from now on
            for command in COMMANDS:
                argv = command.split()
                inside = in_process_ms(world, argv)
                outside = binary_ms(world, live, kubeconfig, argv)
                ratios.append(outside / inside)
                totals = [totals[0] + inside, totals[1] + outside]
                print(f"{command:<58} {inside:>10.2f} {outside:>8.1f} {ratios[-1]:>6.0f}")
    first = in_process_ms(world, ["get", "pods"])
    print(f"\n`get pods` of {pods} pods in process: {first:.2f} ms (promised: under 3 ms)")
    times = totals[1] / totals[0]
    print(f"all of these together: {times:.0f} times cheaper than the binary")
    print("promised is a mean of at least 30 over the recorded commands: tests/conformance/twin.py")


def cluster() -> World:
    """Twenty Deployments of seven pods each, all ready."""
    images = parse_service_model(IMAGES.read_text(encoding="utf-8"), IMAGES.name)
    world = build(Blueprint(models=(images,), seed=1, epoch=int(time.time()) - 400))
    manifests = "---".join(DEPLOYMENT.format(number=number) for number in range(20))
    run(DirectAccess(world), ["apply", "-f", "-"], manifests)
    world.run_until(world.now + 300)
    return world


def in_process_ms(world: World, argv: list[str]) -> float:
    """Median CPU; each run on a fork, with what clients remember between commands."""
    memory: dict[str, object] = {}
    times = []
    for _ in range(REPEATS_IN_PROCESS + 1):
        access = DirectAccess(world.fork())
        access.memory = memory
        began = time.process_time()
        run(access, argv)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times[1:])


def binary_ms(world: World, live: LiveWorld, kubeconfig: Path, argv: list[str]) -> float:
    """Median CPU of the process and of the server meanwhile."""
    times = []
    for _ in range(REPEATS_BINARY):
        live.replace(world.fork())
        began = cpu_s()
        run_binary(kubeconfig, argv)
        times.append((cpu_s() - began) * 1000)
    return statistics.median(times)


def cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
