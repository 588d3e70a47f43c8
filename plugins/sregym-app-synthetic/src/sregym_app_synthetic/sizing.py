"""What each part needs: replicas, processor and memory, from what the graph asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from sregym_app_synthetic.graph import Graph, Part, Role
from sregym_app_synthetic.naming import vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

# Requests of users a second, at the usual level of load.
_BASE_RATE, _RATE_PER_OPERATION = 20, 2
# One replica is to be busy for at most so much of a processor.
_BUSY = 0.6
# Limits leave room for so many times the usual use; a runtime with a compiler needs a whole processor to start.
_ROOM = 5.0
_LEAST_MILLIS: Mapping[str, int] = {"java": 1000}
# Requests (processor and memory) and limits of servers.
_SERVERS: Mapping[str, tuple[str, str, str, str]] = {
    "mongodb": ("100m", "192Mi", "1", "512Mi"),
    "postgres": ("100m", "128Mi", "1", "512Mi"),
    "mysql": ("100m", "512Mi", "1", "1Gi"),
    "redis": ("50m", "32Mi", "500m", "256Mi"),
    "memcached": ("50m", "64Mi", "500m", "256Mi"),
    "rabbitmq": ("100m", "256Mi", "1", "512Mi"),
    "kafka": ("200m", "640Mi", "1", "1Gi"),
}


@dataclass(frozen=True)
class Size:
    """What a part's manifest says.

    Attributes:
        replicas: How many.
        resources: Requests and limits of the container.
    """

    replicas: int
    resources: dict[str, dict[str, str]]


def user_rate(graph: Graph) -> int:
    """Requests of users a second."""
    usual = _BASE_RATE + _RATE_PER_OPERATION * len(graph.operations)
    return max(1, round(usual * graph.load))


def sizes(graph: Graph) -> dict[str, Size]:
    """By name of the part."""
    busy: dict[str, float] = {}
    whole = user_rate(graph)
    rates = graph.rates()
    for part, method in graph.in_order():
        rate = whole * rates.get((part.name, method.name), 0.0)
        busy[part.name] = busy.get(part.name, 0.0) + rate * method.cpu_ms / 1000
    return {
        part.name: _program(part, busy[part.name]) if part.is_program else _server(part)
        for part in graph.parts.values()
    }


def _program(part: Part, busy: float) -> Size:
    replicas = max(2 if part.role is Role.GATEWAY else 1, ceil(busy / _BUSY))
    each = 1000 * busy / replicas
    limit = max(_LEAST_MILLIS.get(part.engine, 300), 100 * ceil(each * _ROOM / 100))
    asked = max(50, 10 * ceil(each * 1.3 / 10))
    base = _base_mib(part)
    requests = {"cpu": f"{asked}m", "memory": f"{_rounded(base * 1.25)}Mi"}
    return Size(replicas, {"requests": requests, "limits": _limits(limit, _rounded(base * 2 + 64))})


def _limits(millis: int, mib: int) -> dict[str, str]:
    whole, rest = divmod(millis, 1000)
    return {"cpu": f"{millis}m" if rest else str(whole), "memory": f"{mib}Mi"}


def _base_mib(part: Part) -> float:
    known: dict[str, Any] = vocabulary()["languages"][part.engine]
    return float(known["base_mib"])


def _rounded(mib: float) -> int:
    return 32 * ceil(mib / 32)


def _server(part: Part) -> Size:
    cpu, memory, most_cpu, most_memory = _SERVERS[part.engine]
    return Size(
        1,
        {
            "requests": {"cpu": cpu, "memory": memory},
            "limits": {"cpu": most_cpu, "memory": most_memory},
        },
    )
