"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("retry-policy", "sregym_injector_code.timeouts_and_retries:RetryPolicy"),
        Registration(
            "timeouts-misordered", "sregym_injector_code.timeouts_and_retries:TimeoutsMisordered"
        ),
        Registration("limits-wrong", "sregym_injector_code.server_limits:LimitsWrong"),
        Registration("pool-too-small", "sregym_injector_code.server_limits:PoolTooSmall"),
        Registration("hang", "sregym_injector_code.hanging:Hang"),
        Registration("gray-replica", "sregym_injector_code.hanging:GrayReplica"),
        Registration("gc-pressure", "sregym_injector_code.memory:GcPressure"),
        Registration("heap-limit", "sregym_injector_code.memory:HeapLimit"),
        Registration("log-flood", "sregym_injector_code.log_flood:LogFlood"),
        Registration("hot-path", "sregym_injector_code.filtering:HotPath"),
    ]
