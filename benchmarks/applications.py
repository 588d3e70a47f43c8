"""What each installed application costs on the embedded cluster, and whether it stays healthy for a day.

    python benchmarks/applications.py             # all, and a synthetic one of 1,000 parts: a minute
    python benchmarks/applications.py train-ticket synthetic:services=200
    python benchmarks/applications.py --day       # a simulated day of each, load by the hour

CPU figures are medians within one process that has read the application before. Times of a busy
machine are upper bounds: compare ratios, or run it twice.
"""

from __future__ import annotations

import argparse
import copy
import gc
import statistics
import sys
import time
from math import cos, pi
from typing import TYPE_CHECKING, Any

from sregym_apps.model import LoadGeneratorProgram, Phase, ServiceModel
from sregym_cluster_embedded.cluster import Embedded, EmbeddedCluster
from sregym_core.conductor import ComponentFactory
from sregym_core.interfaces import ClusterSpec
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import Application

LARGE = "synthetic:services=1000"
# Application -> CPU milliseconds from its manifests to all of them ready, at most.
GOALS = {
    "hotel-reservation": 50,
    "social-network": 80,
    "astronomy-shop": 120,
    "train-ticket": 250,
    LARGE: 6000,
}
FORK_MS, MINUTE_MS = 0.2, 10.0
# What takes longer than this once is not measured again.
LONG_MS = 2000.0
REPEATS = 5
HEALTHY = 0.99
# Caches that began empty are warm then.
WARM_UP_S = 1800.0
HOUR_S, DAY_S = 3600.0, 86_400.0
BUSIEST_HOUR, NIGHT = 15, 0.35


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("applications", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--day", action="store_true", help="a day of each: success and restarts")
    arguments = parser.parse_args()
    gc.set_threshold(50_000, 20, 50)  # as the command line does
    factory = ComponentFactory(Settings())
    names = arguments.applications or factory.registry.names("application")
    if arguments.day:
        return max([day(factory.application(name)) for name in names], default=0)
    known = factory.registry.names("application")
    if not arguments.applications and "synthetic" in known:
        names.append(LARGE)
    print(f"{'application':<26} {'to Ready, ms':>12} {'goal':>7} {'fork, ms':>9} {'goal':>5} {'minute, ms':>11} {'goal':>5}")  # fmt: skip
    for name in names:
        figures(name, factory.application(name))
    return 0


def figures(name: str, application: Application) -> None:
    """Print one line."""
    application.manifests(), application.components(), application.service_models()
    costs: list[float] = []
    while not costs or (len(costs) < REPEATS and costs[-1] < LONG_MS):
        spent, cluster = deployed(application)
        costs.append(spent)
    # The first one also loads what the process has not needed before.
    ready = statistics.median(costs[1:] or costs)
    cluster.clock.advance(WARM_UP_S)
    minute = median_ms(lambda: cluster.clock.advance(60.0), REPEATS)
    with cluster.live.open() as world:
        fork = median_ms(lambda: world.fork(1), 50)
    goal = f"< {GOALS[name]}" if name in GOALS else ""
    print(
        f"{name:<26} {ready:>12.1f} {goal:>7} {fork:>9.3f} {f'< {FORK_MS}':>5} {minute:>11.2f} {f'< {MINUTE_MS:.0f}':>5}",
        flush=True,
    )
    cluster.close()


def deployed(application: Application) -> tuple[float, EmbeddedCluster]:
    """The CPU milliseconds until all that is deployed is ready, and the cluster."""
    cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
    assert isinstance(cluster, EmbeddedCluster)
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        application.deploy(cluster)
        assert cluster.clock.wait_until(lambda: available(cluster), 900.0, 5.0)
        spent = (time.process_time() - began) * 1000
    finally:
        gc.enable()
    assert not application.ready(cluster), application.ready(cluster)
    return spent, cluster


def available(cluster: EmbeddedCluster) -> bool:
    """Whether all workloads have their replicas, without a copy of each: it is asked often."""
    with cluster.live.open() as world:
        return all(
            workload.get("status", {}).get("availableReplicas", 0) == workload["spec"]["replicas"]
            for resource in ("deployments.apps", "statefulsets.apps")
            for workload in world.store.list(resource)
        )


def day(application: Application) -> int:
    """Print how a day went; 1 when an operation failed too often or a container restarted."""
    application = through_a_day(application)
    _, cluster = deployed(application)
    cluster.clock.advance(300.0)
    before, began = restarts(cluster), time.process_time()
    asked: dict[str, list[int]] = {}
    rates = []
    for _ in range(24):
        cluster.clock.advance(HOUR_S)
        seen = application.traffic(cluster, HOUR_S)
        rates.append(seen.requests / seen.seconds)
        for operation, counted in seen.operations.items():
            entry = asked.setdefault(operation, [0, 0])
            entry[0] += counted.requests
            entry[1] += counted.ok
    spent = time.process_time() - began
    shares = {name: ok / requests for name, (requests, ok) in asked.items() if requests}
    worst = min(shares, key=lambda name: shares[name])
    restarted = {n: count for n, count in restarts(cluster).items() if count > before.get(n, 0)}
    good = len(shares) > 0 and shares[worst] >= HEALTHY and not restarted
    print(
        f"{application.name:<26} {min(rates):>7.1f} to {max(rates):.1f} requests/s, "
        f"{len(shares)} operations, worst {worst} {100 * shares[worst]:.2f} %, "
        f"restarts {sum(restarted.values())}, {spent:.1f} s CPU: {'healthy' if good else 'NOT HEALTHY'}",
        flush=True,
    )
    for name, count in sorted(restarted.items()):
        print(f"  restarted {count} times: {name}")
    cluster.close()
    return 0 if good else 1


def through_a_day(application: Application) -> Application:
    """The same application with a load that rises and falls with the hours of a day."""
    models = tuple(map(_with_rhythm, application.service_models()))
    daily = copy.copy(application)

    def service_models(_: Application) -> tuple[ServiceModel, ...]:
        return models

    own = {"service_models": service_models}
    daily.__class__ = type("Daily", (type(application),), own)
    return daily


def _with_rhythm(model: ServiceModel) -> ServiceModel:
    phases = tuple(Phase(at_s=half * 1800.0, times=_level(half / 2)) for half in range(48))
    rhythm = {"schedule": phases, "repeat_s": DAY_S}
    programs = {
        name: program.model_copy(update=rhythm)
        if isinstance(program, LoadGeneratorProgram)
        else program
        for name, program in model.programs.items()
    }
    return model.model_copy(update={"programs": programs})


def _level(hour: float) -> float:
    return round(NIGHT + (1 - NIGHT) * (1 + cos((hour - BUSIEST_HOUR) / 24 * 2 * pi)) / 2, 3)


def restarts(cluster: EmbeddedCluster) -> dict[str, int]:
    """Pod and container -> how often it has been started again."""
    return {
        f"{pod['metadata']['namespace']}/{pod['metadata']['name']}/{status['name']}": status["restartCount"]
        for pod in cluster.list("v1", "Pod")
        for status in pod["status"].get("containerStatuses", ())
    }  # fmt: skip


def median_ms(action: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(main())
