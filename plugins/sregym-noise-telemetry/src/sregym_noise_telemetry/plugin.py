"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [
        Offer("alert-flapping", "sregym_noise_telemetry.alerts:AlertFlapping"),
        Offer("counter-reset", "sregym_noise_telemetry.metrics:CounterReset"),
        Offer("false-alerts", "sregym_noise_telemetry.alerts:FalseAlerts"),
        Offer("log-deprecations", "sregym_noise_telemetry.logs:LogDeprecations"),
        Offer("log-retries", "sregym_noise_telemetry.logs:LogRetries"),
        Offer("log-stack-traces", "sregym_noise_telemetry.logs:LogStackTraces"),
        Offer("scrape-gap", "sregym_noise_telemetry.metrics:ScrapeGap"),
    ]
