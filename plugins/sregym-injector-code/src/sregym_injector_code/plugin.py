"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("retry-policy", "sregym_injector_code.calling:RetryPolicy"),
        Offer("timeouts-misordered", "sregym_injector_code.calling:TimeoutsMisordered"),
        Offer("limits-wrong", "sregym_injector_code.serving:LimitsWrong"),
        Offer("pool-too-small", "sregym_injector_code.serving:PoolTooSmall"),
        Offer("hang", "sregym_injector_code.hanging:Hang"),
        Offer("gray-replica", "sregym_injector_code.hanging:GrayReplica"),
        Offer("gc-pressure", "sregym_injector_code.memory:GcPressure"),
        Offer("heap-limit", "sregym_injector_code.memory:HeapLimit"),
        Offer("log-flood", "sregym_injector_code.log_flood:LogFlood"),
        Offer("hot-path", "sregym_injector_code.filtering:HotPath"),
    ]
