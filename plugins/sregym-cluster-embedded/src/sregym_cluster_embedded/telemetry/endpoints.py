"""The services of observability that a cluster offers beside its API, each a pure function.

A service answers a request about a world and changes nothing. Its module is loaded when it is
asked for the first time: most episodes ask none.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.request import Request, Response
    from sregym_cluster_embedded.world import World

    Answer: TypeAlias = Callable[[World, Request], Response]

# By the name that `sregym up` prints: `module:function`.
SERVICES: Mapping[str, str] = MappingProxyType(
    {
        "alertmanager": "sregym_cluster_embedded.telemetry.alertmanager:answer",
        "dashboard": "sregym_cluster_embedded.telemetry.dashboard.routes:answer",
        "jaeger": "sregym_cluster_embedded.telemetry.traces.jaeger:answer",
        "loki": "sregym_cluster_embedded.telemetry.loki:answer",
        "prometheus": "sregym_cluster_embedded.telemetry.prometheus:answer",
    }
)


def service(name: str) -> Answer:
    """The function that answers for a service.

    Raises:
        KeyError: There is no such service.
    """
    module, _, function = SERVICES[name].partition(":")
    answer: Answer = getattr(import_module(module), function)
    return answer
