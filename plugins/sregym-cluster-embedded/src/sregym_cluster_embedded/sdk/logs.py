"""What the background log of a server is worked out from: calls of clients, probes, chance.

A `background` function tells what a server wrote in a span of time. `CallFlow` is a steady stream of
calls with its `RateModulations`; `moments` and `before_last` place things that happen at a rate, `ticks` the
kubelet's probes, `sample` and `tail_score` draw latencies of requests, all the same at each reading.
"""

from __future__ import annotations

from sregym_cluster_embedded.clock.jitter import mixed
from sregym_cluster_embedded.network.addresses import pod_range
from sregym_cluster_embedded.telemetry.event_times import before_last, moments
from sregym_cluster_embedded.telemetry.probe_times import Ticks, ticks
from sregym_cluster_embedded.telemetry.traces.draws import sample, tail_score
from sregym_cluster_embedded.traffic.arrivals import RateModulations
from sregym_cluster_embedded.traffic.segments import CallFlow
from sregym_cluster_embedded.userland.connections import first_port

__all__ = [
    "CallFlow",
    "RateModulations",
    "Ticks",
    "before_last",
    "first_port",
    "mixed",
    "moments",
    "pod_range",
    "sample",
    "tail_score",
    "ticks",
]
