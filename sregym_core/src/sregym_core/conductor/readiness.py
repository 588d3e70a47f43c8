"""Getting an application ready and warm, and recording it as the healthy baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.node_recovery import failed_pods
from sregym_core.conductor.objects import capture
from sregym_core.errors import WorldError
from sregym_core.interfaces import Baseline, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.model import ObjectRef

READY_TIMEOUT_S = 900.0
BASELINE_WINDOW_S = 30.0
# A cluster on the wall clock may need a moment more than the warm-up until its users are served.
HEALTHY_TIMEOUT_S = 120.0
HEALTHY_SUCCESS_RATE = 0.95


def wait_ready(
    cluster: Cluster,
    application: Application,
    timeout_s: float,
    without: Iterable[ObjectRef] = (),
) -> None:
    """Wait until all parts of the application are ready.

    Args:
        cluster: Where.
        application: The application.
        timeout_s: At most so long.
        without: Objects that are not there yet: what is told of them does not count.

    Raises:
        WorldError: They are not, and which.
    """
    names = tuple(map(str, without))

    def waiting_for() -> list[str]:
        told = application.ready(cluster)
        return [phrase for phrase in told if not any(name in phrase for name in names)]

    if not cluster.clock.wait_until(lambda: not waiting_for(), timeout_s, 5.0):
        waiting = "; ".join(waiting_for())
        msg = f"application {application.name!r} was not ready after {timeout_s:g} s: {waiting}"
        raise WorldError(msg)


def settle(cluster: Cluster, application: Application, warm_up_s: float) -> Baseline:
    """Wait until the application is ready, let it warm up, and record it."""
    wait_ready(cluster, application, READY_TIMEOUT_S)
    cluster.clock.advance(max(warm_up_s, BASELINE_WINDOW_S))
    return take_baseline(cluster, application)


def take_baseline(cluster: Cluster, application: Application) -> Baseline:
    """Record the healthy system.

    Raises:
        WorldError: Its users are not served well enough to call it healthy.
    """
    traffic = Traffic(seconds=0.0)

    def healthy() -> bool:
        nonlocal traffic
        traffic = application.traffic(cluster, BASELINE_WINDOW_S)
        return traffic.success_rate >= HEALTHY_SUCCESS_RATE

    if not cluster.clock.wait_until(healthy, HEALTHY_TIMEOUT_S, 5.0):
        msg = (
            f"application {application.name!r} is not healthy before any fault: "
            f"{traffic.ok} of {traffic.requests} requests succeeded"
        )
        raise WorldError(msg)
    objects = capture(cluster, application.namespaces)
    nodes = () if cluster.nodes is None else cluster.nodes.settings()
    return Baseline(
        objects=objects,
        hidden=cluster.hidden_state(),
        traffic=traffic,
        nodes=nodes,
        machines=cluster.keep_machines(),
        failed_pods=failed_pods(cluster, application.namespaces),
    )
