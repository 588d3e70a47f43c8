"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Registration]:
    """The noise sources of this plugin."""
    return [
        Registration("alert-flapping", "sregym_noise_telemetry.alerts:AlertFlapping"),
        Registration("counter-reset", "sregym_noise_telemetry.metrics:CounterReset"),
        Registration("false-alerts", "sregym_noise_telemetry.alerts:FalseAlerts"),
        Registration("log-deprecations", "sregym_noise_telemetry.logs:LogDeprecations"),
        Registration("log-retries", "sregym_noise_telemetry.logs:LogRetries"),
        Registration("log-stack-traces", "sregym_noise_telemetry.logs:LogStackTraces"),
        Registration("scrape-gap", "sregym_noise_telemetry.metrics:ScrapeGap"),
    ]
