"""Entry point of the plugin: names its noise source and does not import it."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [Offer("pod-restart", "sregym_noise_kubernetes.pod_restart:PodRestart")]
