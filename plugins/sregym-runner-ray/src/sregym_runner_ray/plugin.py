"""Entry point of the plugin: names its runner and does not import it."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_runners() -> list[Registration]:
    """The runner of this plugin."""
    return [Registration("ray", "sregym_runner_ray.runner:RayRunner")]
