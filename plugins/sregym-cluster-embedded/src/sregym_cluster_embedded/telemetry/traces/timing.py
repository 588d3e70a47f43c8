"""How the calls of a request lie in time: one after the other, at once, and tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Client, growth_of, seconds

from sregym_cluster_embedded.telemetry.traces.draws import sample
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.traces.planning import Attempt, PlannedCall

# A timer that fires comes a little late.
_LATE_MS = 0.1
# A failure that is known at once.
_FAST = Time(1.0, 0.1)
_NO_ROUTE_MS = 3100.0


class Timed(NamedTuple):
    """A call with its times in ms.

    Attributes:
        order: Which of the calls of the request.
        call: The call.
        parts: Of each try.
        pauses: Between the tries.
    """

    order: int
    call: PlannedCall
    parts: list[float]
    pauses: list[float]

    @property
    def total(self) -> float:
        """From its first try to the end of its last one."""
        return sum(self.parts) + sum(self.pauses)


def place(path: str, order: int, turn: int) -> str:
    """The path of a try of a call of the request at `path`."""
    return f"{path}.{order}r{turn}" if turn else f"{path}.{order}"


def stages(calls: list[Timed]) -> list[tuple[float, list[list[Timed]]]]:
    """By stage: the ms of its longest lane, and its lanes; calls of one lane follow each other."""
    found: dict[int, dict[int, list[Timed]]] = {}
    for timed in calls:
        lanes = found.setdefault(timed.call.site.stage, {})
        lanes.setdefault(timed.call.position, []).append(timed)
    return [
        (max(sum(timed.total for timed in lane) for lane in lanes.values()), [*lanes.values()])
        for _, lanes in sorted(found.items())
    ]


def pause_ms(client: Client, turn: int) -> float:
    """How long a client waits after a failed try before the next one."""
    retry = client.retry
    return min(seconds(retry.backoff, 0.0) * growth_of(retry) ** turn, retry.most_s) * 1000


def failing_ms(client: Client, attempt: Attempt, noise: float) -> float:
    """How long a try takes that fails."""
    failure = attempt.failure
    assert failure is not None
    patience = client.timeout_s * 1000
    if failure.kind == "timeout":
        return patience + abs(noise) * _LATE_MS
    if attempt.target.failed_time.mean_ms > 0:
        return sample(attempt.target.failed_time, noise)
    if failure.kind == "no_route":
        return min(_NO_ROUTE_MS, patience)
    if failure.kind == "server" and attempt.target.time.mean_ms > 0:
        return sample(attempt.target.time, noise)
    return sample(_FAST, noise)
