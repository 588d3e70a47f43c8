"""Getting an application ready and warm, and recording it as the healthy baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.progress import Progress
from sregym_core.errors import WorldError
from sregym_core.interfaces import Traffic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Application, Baseline, Cluster
    from sregym_core.model import ObjectRef

READY_TIMEOUT_S = 900.0
BASELINE_WINDOW_S = 30.0
# A cluster on the wall clock may need a moment more than the warm-up until its users are served.
HEALTHY_TIMEOUT_S = 120.0
HEALTHY_SUCCESS_RATE = 0.95
# On a wall clock: what counts as steady traffic in windows that hold whole rounds of load generators.
STEADY_WINDOW_S = 20.0
STEADY_POLL_S = 5.0
STEADY_SUCCESS_RATE = 0.99
STEADY_SHARE = 0.25
WAITING = "waiting until pods are ready"


def wait_ready(
    cluster: Cluster,
    application: Application,
    timeout_s: float,
    without: Iterable[ObjectRef] = (),
    progress: Progress | None = None,
    *,
    starting: bool = False,
) -> None:
    """Wait until all parts of the application are ready.

    Args:
        cluster: Where.
        application: The application.
        timeout_s: At most so long.
        without: Objects that are not there yet: what is known of them does not count.
        progress: Receives what is waited for.
        starting: Whether it was deployed just now: pods that crash or cannot be pulled then end the
            wait soon. Later they may only wait out their back-off.

    Raises:
        WorldError: They are not, and which; on a wall clock with the reasons of their pods.
    """
    names = tuple(map(str, without))
    startup = cluster.operations.starting(application)
    began = cluster.clock.now()

    def waiting_for() -> list[str]:
        told = application.ready(cluster)
        return [phrase for phrase in told if not any(name in phrase for name in names)]

    with (progress or Progress()).phase(cluster.clock, WAITING, timeout_s) as phase:

        def ready() -> bool:
            waiting = waiting_for()
            if not waiting or not phase.watched:
                return not waiting
            phase.look(startup.not_ready() or waiting)
            lost = startup.stuck() if starting else ()
            if lost:
                after_s = round(cluster.clock.now() - began)
                msg = (
                    f"application {application.name!r} will not get ready, given up after "
                    f"{after_s} s: {'; '.join(lost)}"
                )
                raise WorldError(msg)
            return False

        if not cluster.clock.wait_until(ready, timeout_s, 5.0):
            waiting = "; ".join(dict.fromkeys([*waiting_for(), *phase.waiting_for]))
            msg = f"application {application.name!r} was not ready after {timeout_s:g} s: {waiting}"
            raise WorldError(msg)


def settle(
    cluster: Cluster, application: Application, warm_up_s: float, progress: Progress | None = None
) -> Baseline:
    """Wait until the application is ready, let it warm up, and record it."""
    wait_ready(cluster, application, READY_TIMEOUT_S, progress=progress, starting=True)
    seconds = max(warm_up_s, BASELINE_WINDOW_S)
    with (progress or Progress()).phase(cluster.clock, "warming up", seconds) as phase:
        phase.look()
        warm_up(cluster, application, seconds)
    return take_baseline(cluster, application, progress)


def warm_up(cluster: Cluster, application: Application, seconds: float) -> None:
    """Let traffic become steady.

    In virtual time that takes `seconds`. On a wall clock it is over as soon as the users of two
    successive windows were all but all served, with the same number of requests.
    """
    clock = cluster.clock
    if not clock.real_time:
        clock.advance(seconds)
        return
    seen: list[Traffic] = []

    def steady() -> bool:
        seen.append(application.traffic(cluster, STEADY_WINDOW_S))
        last, before = seen[-1], seen[-2] if len(seen) > 1 else None
        if before is None or min(last.success_rate, before.success_rate) < STEADY_SUCCESS_RATE:
            return False
        return abs(last.requests - before.requests) <= STEADY_SHARE * before.requests

    clock.advance(min(seconds, STEADY_WINDOW_S))
    clock.wait_until(steady, max(0.0, seconds - STEADY_WINDOW_S), STEADY_POLL_S)


def take_baseline(
    cluster: Cluster,
    application: Application,
    progress: Progress | None = None,
    window_s: float = BASELINE_WINDOW_S,
) -> Baseline:
    """Record the healthy system, with what its users saw in the last `window_s`.

    Raises:
        WorldError: Its users are not served well enough to call it healthy.
    """
    traffic = Traffic(seconds=0.0)

    with (progress or Progress()).phase(
        cluster.clock, "waiting until users are served", HEALTHY_TIMEOUT_S
    ) as phase:

        def healthy() -> bool:
            nonlocal traffic
            traffic = application.traffic(cluster, window_s)
            if traffic.success_rate >= HEALTHY_SUCCESS_RATE:
                return True
            phase.look([f"{traffic.ok} of {traffic.requests} requests succeeded"])
            return False

        if not cluster.clock.wait_until(healthy, HEALTHY_TIMEOUT_S, 5.0):
            msg = (
                f"application {application.name!r} is not healthy before any fault: "
                f"{traffic.ok} of {traffic.requests} requests succeeded"
            )
            raise WorldError(msg)
    return cluster.operations.baseline(application.namespaces, traffic)
