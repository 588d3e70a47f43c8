"""What each source of noise does to a healthy system, by level.

    python benchmarks/noise_dose.py [SOURCE ...] [--hours H] [--seed N]

Hotel Reservation runs for as long with one source at a time. Printed are the share of requests that
succeed, the worst minute, the 99th percentile of latency against the quiet system, and which alerts
fired; at the end whether everything is as it was, and whether levels 1 and 2 keep their goal for each whole hour: 99 % of its
requests are served, and no rule about requests fires. The exit code is 1 where they do not. A row of `everything` has all sources at once, one of `mixture` those of
`--noise-level`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.timeline import Timeline
from sregym_core.interfaces import ClusterSpec, NoiseContext
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_injectors.noise.mixture import mixture
from sregym_injectors.noise.pump import NoisePump
from sregym_kubernetes.operations.objects import capture, differences

if TYPE_CHECKING:
    from sregym_core.interfaces import Checkpoint, Cluster, Noise

EVERYTHING, MIXTURE = "everything", "mixture"
# What levels 1 and 2 leave a healthy system, hour by hour.
GOAL, OF_USERS = 0.99, ("HighRequestErrorRate", "HighCallErrorRate", "HighRequestLatency")


@dataclass
class Seen:
    """What users and those on call saw."""

    asked: int = 0
    served: int = 0
    worst: float = 1.0
    p99_ms: list[float] = field(default_factory=list)
    alerts: set[str] = field(default_factory=set)
    disturbed: int = 0
    left: str = ""
    minutes: list[tuple[int, int]] = field(default_factory=list)
    hours: list[float] = field(default_factory=list)

    def keeps(self, level: int) -> bool:
        """Whether it is what a level may do."""
        if level > 2:
            return True
        return min(self.hours, default=1.0) >= GOAL and self.alerts.isdisjoint(OF_USERS)


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", default="1,2,3")
    given = parser.parse_args()
    registry = Registry(Plugins(Settings()))
    names = given.sources or [*registry.names("noise source"), MIXTURE, EVERYTHING]
    checkpoint = _quiet()
    print(f"{'source':22} level  served   worst   p99 ms  events  goal  alerts")
    kept = True
    _row("(none)", 0, measured(checkpoint, [], 0, given.hours, given.seed))
    for name in names:
        for level in map(int, given.levels.split(",")):
            wanted = _wanted(registry, name, level, given.seed)
            sources = [registry.make("noise source", one) for one in wanted]
            seen = measured(checkpoint, sources, level, given.hours, given.seed)
            # All sources at once are nobody's choice.
            kept = kept and (name == EVERYTHING or seen.keeps(level))
            _row(name, level, seen)
    return int(not kept)


def _wanted(registry: Registry, name: str, level: int, seed: int) -> list[str]:
    names = registry.names("noise source")
    if name != MIXTURE:
        return names if name == EVERYTHING else [name]
    families: dict[str, list[str]] = {}
    for one in names:
        families.setdefault(registry.load("noise source", one).family, []).append(one)
    return mixture(families, level, seed)


def measured(
    checkpoint: Checkpoint, sources: list[Noise], level: int, hours: float, seed: int
) -> Seen:
    """Let sources disturb a copy of the quiet system."""
    application = HotelReservation()
    cluster = checkpoint.fork(ClusterSpec(seed=seed, applications=(application,)))
    before = capture(cluster, application.namespaces)
    set_before = cluster.nodes.settings()
    timeline = Timeline("e0001", Plugins(Settings(), found=()))
    timeline.follow(cluster.clock)
    levels = {source.name: level for source in sources}
    context = NoiseContext(cluster, application, (), seed)
    pump = NoisePump(sources, context, timeline.record, levels=levels)
    seen = Seen()
    for _ in range(round(hours * 60)):
        for _ in range(6):
            cluster.clock.advance(10.0)
            pump.due()
        _look(cluster, application, seen)
    seen.hours = _hours(seen.minutes)
    pump.stop()
    seen.disturbed = len(timeline.entries)
    cluster.clock.wait_until(lambda: not application.ready(cluster), 300.0, 5.0)
    cluster.clock.advance(60.0)
    after = capture(cluster, application.namespaces)
    left = list(differences(before, after))
    left += [setting.key for setting in cluster.nodes.settings() if setting not in set_before]
    seen.left = "; ".join([*left, *application.ready(cluster)])
    cluster.close()
    return seen


def _look(cluster: Cluster, application: HotelReservation, seen: Seen) -> None:
    traffic = application.traffic(cluster, 60.0)
    seen.asked += traffic.requests
    seen.served += traffic.ok
    seen.minutes.append((traffic.requests, traffic.ok))
    if traffic.requests:  # where nothing can be read, as while a kubelet is away, nothing is told
        seen.worst = min(seen.worst, traffic.success_rate)
    if traffic.p99_ms is not None:
        seen.p99_ms.append(traffic.p99_ms)
    told = cluster.operations.firing() or {}
    seen.alerts |= {alert["labels"]["alertname"] for alert in told.get("alerts", [])}


def _hours(minutes: list[tuple[int, int]]) -> list[float]:
    """Share served of each whole hour; of the whole time where that is less than one."""
    size = min(60, len(minutes)) or 1
    parts = [minutes[at : at + size] for at in range(0, len(minutes) - size + 1, size)]
    return [sum(ok for _, ok in part) / max(1, sum(asked for asked, _ in part)) for part in parts]


def _quiet() -> Checkpoint:
    application = HotelReservation()
    cluster = Embedded().provision(ClusterSpec(seed=7, applications=(application,)))
    application.deploy(cluster)
    cluster.clock.wait_until(lambda: not application.ready(cluster), 600.0, 2.0)
    cluster.clock.advance(600.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    return checkpoint


def _row(name: str, level: int, seen: Seen) -> None:
    served = seen.served / max(1, seen.asked)
    p99 = median(seen.p99_ms) if seen.p99_ms else 0.0
    alerts = ", ".join(sorted(seen.alerts)) or "-"
    print(
        f"{name:22} {level:5}  {served:.4f}  {seen.worst:.4f}  {p99:7.1f}  {seen.disturbed:6}  "
        f"{'kept' if seen.keeps(level) else 'LOST':4}  {alerts}{'  LEFT: ' + seen.left if seen.left else ''}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
