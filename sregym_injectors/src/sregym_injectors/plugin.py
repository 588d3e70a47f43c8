"""Entry point of the toolkit: it drives the noise of episodes, whoever brings the sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import hookimpl

if TYPE_CHECKING:
    from sregym_core.interfaces import EpisodeNoise, NoiseRequest


@hookimpl
def sregym_drive_noise(request: NoiseRequest) -> EpisodeNoise:
    """Sources by their schedules, and a mixture of all that is installed."""
    from sregym_injectors.noise.pump import NoisePump

    return NoisePump.of(request)
