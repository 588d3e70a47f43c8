"""Entry point of the plugin: names its runner and does not import it."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_runners() -> list[Offer]:
    """The runner of this plugin."""
    return [Offer("ray", "sregym_runner_ray.runner:RayRunner")]
