"""Certificates that processes make for themselves when they start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram

from sregym_cluster_embedded.network.certificates import Certificate

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_YEAR_S = 365 * 86_400.0


def own_certificate(world: World, process: Process, listener: str, host: str) -> Certificate | None:
    """What a listener that speaks TLS shows; None of one that does not."""
    program = process.behaviour
    if not isinstance(program, ServiceProgram) or not program.listeners[listener].tls:
        return None
    name, begin = process.config.hostname, world.epoch + process.started_at
    return Certificate(name, name, (name, host), begin, begin + _YEAR_S, True)
